import Foundation
import MetronomeCore

extension Life {
  /// Why a life cannot be read from its files.
  public struct Unreadable: Error, CustomStringConvertible {
    public var description: String
  }

  /// The command that replays it from the folder of its files.
  public func command(named name: String) -> String {
    "metronome simulate --virtual --config \(name).yaml --script \(name).script --seed \(seed) --for \(length.text)"
  }

  /// Writes `NAME.yaml`, `NAME.script`, the configurations that the script reloads, and the scores.
  public func write(named name: String, in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ text: String, _ file: String) throws {
      try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    var script = "# \(command(named: name))\n"
    for line in lines { script += renamed(line, name) + "\n" }
    try write(script, "\(name).script")
    try write(scored(configuration, name).text, "\(name).yaml")
    for file in reloads { try write(scored(file, name).text, "\(name)-\(file.name)") }
    for file in scores { try write(file.text, "\(name)-\(file.name)") }
  }

  /// A configuration with the name of its score's file.
  private func scored(_ file: File, _ name: String) -> File {
    var file = file
    for score in scores {
      file.lines = file.lines.map { $0 == "score: \(score.name)" ? "score: \(name)-\(score.name)" : $0 }
    }
    return file
  }

  private func renamed(_ line: String, _ name: String) -> String {
    guard let file = reloads.first(where: { line.hasSuffix(" reload \($0.name)") }) else { return line }
    return line.dropLast(file.name.count) + "\(name)-\(file.name)"
  }

  /// Reads the files written by ``write(named:in:)``.
  public init(named name: String, in folder: String) throws {
    try self.init(named: name) { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
  }

  /// Reads the same files.
  ///
  /// - Parameter text: the text of a file.
  public init(named name: String, from text: (_ file: String) throws -> String) throws {
    func read(_ file: String) throws -> [String] { try text(file).split(separator: "\n").map(String.init) }
    let script = try read("\(name).script")
    func option(_ name: String) -> String? {
      let words = script.first?.split(separator: " ").map(String.init) ?? []
      return words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }
    guard let seed = option("--seed").flatMap(UInt64.init),
      let length = option("--for").flatMap({ Nanoseconds(text: $0) })
    else { throw Unreadable(description: "\(name).script does not begin with the command that replays it") }
    let lines = script.filter { !$0.hasPrefix("#") }
    let names = lines.compactMap { line in line.range(of: " reload ").map { String(line[$0.upperBound...]) } }
    var reloads: [File] = []
    for file in Set(names).sorted() { reloads.append(File(name: file, lines: try read(file))) }
    let configuration = File(name: "\(name).yaml", lines: try read("\(name).yaml"))
    let keys = ([configuration] + reloads).flatMap(\.lines).filter { $0.hasPrefix("score: ") }
    var scores: [File] = []
    for key in Set(keys).sorted() {
      let file = String(key.dropFirst("score: ".count))
      scores.append(File(name: file, lines: try read(file)))
    }
    self.init(
      seed: seed, length: length, configuration: configuration, reloads: reloads, scores: scores, lines: lines)
  }
}
