import CLibrary
import MetronomeCore

/// The format of a picture file. A PNG is drawn from an SVG by another program.
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

  /// Converts an SVG to a PNG file. Returns the reason if that fails, otherwise nil.
  package static func draw(_ svg: String, toPNG path: String) -> String? {
    var name = Array("/tmp/metronome-XXXXXX.svg".utf8CString)
    let source = mkstemps(&name, 4)
    guard source >= 0 else { return "a file in /tmp cannot be created: \(reason(errno))" }
    defer {
      close(source)
      unlink(name)
    }
    var svg = svg
    guard svg.withUTF8({ writeAll(UnsafeRawBufferPointer($0), to: source) }) else {
      return "a file in /tmp cannot be written: \(reason(errno))"
    }
    let sourcePath = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    for converter in converters {
      // A path that begins with a hyphen must not be read as an option.
      let target = path.hasPrefix("/") ? path : "./" + path
      let words = [converter.name, converter.target, target, sourcePath]
      if OtherProgram.output(of: words, patience: .seconds(60)) != nil { return nil }
    }
    return "\(shownName(path)) cannot be drawn: no converter succeeded"
  }
}
