import Foundation
import MetronomeCore

/// A file for a picture that is made as SVG, and drawn by another program if it is to be a PNG.
struct PictureFile {
  enum Kind: String {
    case svg
    case png

    /// By the end of the name; nil for any other.
    init?(path: String) { self.init(rawValue: (path as NSString).pathExtension.lowercased()) }
  }

  private let path: String
  private let kind: Kind
  private let file: OutputFile

  /// - Throws: `Failure` when nothing can be written there, or nobody is there who draws.
  init(path: String) throws {
    guard let kind = Kind(path: path) else { throw Failure.usage("\(shownName(path)) is no picture") }
    self.path = path
    self.kind = kind
    let drawers = PictureFile.drawers.filter { OtherProgram.output(of: $0.name, "--version") != nil }
    if kind == .png, drawers.isEmpty {
      throw Failure.cannotBeMade("nobody draws a PNG here: apt install librsvg2-bin, or name an .svg")
    }
    file = try OutputFile(path: path)
  }

  /// Who makes a PNG of an SVG, and its option for where.
  private static let drawers = [
    (name: "rsvg-convert", target: "--output"), (name: "inkscape", target: "--export-filename"),
  ]

  func write(svg: String) throws {
    file.empty()
    switch kind {
    case .svg:
      var svg = svg
      svg.withUTF8 { file.write(UnsafeRawBufferPointer($0)) }
      try file.check()
    case .png: try draw(svg)
    }
  }

  private func draw(_ svg: String) throws {
    let folder = FileManager.default.temporaryDirectory
    let source = folder.appendingPathComponent("metronome-\(UUID().uuidString).svg")
    defer { try? FileManager.default.removeItem(at: source) }
    do {
      try svg.write(to: source, atomically: false, encoding: .utf8)
    } catch {
      throw Failure.cannotBeMade("\(shownName(source.path)) cannot be written")
    }
    let target = URL(fileURLWithPath: path).path
    for drawer in PictureFile.drawers {
      let words = [drawer.name, drawer.target, target, source.path]
      if OtherProgram.output(of: words, patience: .seconds(60)) != nil { return }
    }
    throw Failure.cannotBeMade("\(shownName(path)) cannot be drawn")
  }
}
