import CLibrary
import MetronomeCore

/// The format of a picture file. Another program makes a PNG or a PDF from SVGs.
package enum PictureFormat: String {
  case svg
  case png

  /// The programs that convert an SVG to a PNG, with their options for the target.
  private static let converters = [
    (name: "rsvg-convert", target: "--output"), (name: "inkscape", target: "--export-filename"),
  ]

  /// The format by the extension of the path; nil for any other extension.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[dot...].dropFirst().lowercased())
  }

  /// Why this computer cannot create the format; nil if it can.
  package var problem: String? {
    let isAvailable =
      self == .svg || PictureFormat.converters.contains { OtherProgram.output(of: $0.name, "--version") != nil }
    return isAvailable
      ? nil
      : "no program that can draw a PNG is installed: apt install librsvg2-bin, or use a file name that ends in .svg"
  }

  /// Why this computer cannot make a PDF; nil if it can.
  package static var problemWithPDF: String? {
    OtherProgram.output(of: "rsvg-convert", "--version") == nil
      ? "no program that can make a PDF is installed: apt install librsvg2-bin, or print the page from a browser" : nil
  }

  /// Converts an SVG to a PNG file. Returns the reason if that fails, otherwise nil.
  package static func draw(_ svg: String, toPNG path: String) -> String? {
    convert([svg], to: path) { target, sources in converters.map { [$0.name, $0.target, target] + sources } }
  }

  /// Makes a PDF with one page for each SVG. Returns the reason if that fails, otherwise nil.
  package static func draw(_ svgs: [String], toPDF path: String) -> String? {
    convert(svgs, to: path) { target, sources in
      [["rsvg-convert", "--format", "pdf", "--unlimited", "--output", target] + sources]
    }
  }

  /// Runs the first command that succeeds. `commands`: from the path of the target and those of the sources.
  private static func convert(
    _ svgs: [String], to path: String, _ commands: (_ target: String, _ sources: [String]) -> [[String]]
  ) -> String? {
    // Standard input has room for one sheet only, and inkscape knows the format of its source by the name.
    let folder = Environment.all["TMPDIR"] ?? "/tmp"
    var sources: [String] = []
    defer { for source in sources { unlink(source) } }
    for var svg in svgs {
      var name = Array("\(folder)/metronome-XXXXXX.svg".utf8CString)
      let source = mkstemps(&name, 4)
      guard source >= 0 else { return "a file in \(shownName(folder)) cannot be created: \(reason(errno))" }
      defer { close(source) }
      sources.append(name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
      guard svg.withUTF8({ writeAll(UnsafeRawBufferPointer($0), to: source) }) else {
        return "a file in \(shownName(folder)) cannot be written: \(reason(errno))"
      }
    }
    // A path that begins with a hyphen must not be read as an option.
    let target = path.hasPrefix("/") ? path : "./" + path
    for words in commands(target, sources) where OtherProgram.output(of: words, patience: .seconds(60)) != nil {
      return nil
    }
    return "\(shownName(path)) cannot be drawn: no converter succeeded"
  }
}
