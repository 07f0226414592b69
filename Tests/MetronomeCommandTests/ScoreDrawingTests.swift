import Foundation
import Testing

/// The pictures of `metronome score show --picture`.
@Suite struct ScoreDrawingTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func file(_ text: String, _ name: String = "song.txt") throws -> String {
    try folder.file(name, Array(text.utf8)).path
  }

  @Test func drawingIsWellFormedAndShowsEverything() throws {
    let path = folder.path("song.svg")
    let text = ScoreTests.song.replacingOccurrences(of: "Erotomania", with: "One & <two>\u{7}")
    let result = try Program.run("score", "show", try file(text), "--picture", path)
    #expect(result.code == 0 && result.output.hasPrefix("song \"One & <two>"))
    let svg = try String(contentsOfFile: path, encoding: .utf8)
    let reader = XMLReader(svg)
    #expect(reader.isWellFormed)
    for word in ["intro", "verse", "vamp ∞", "wait", "2×", "♩/min", "0:32"] {
      #expect(svg.contains(">\(word)</text>"), "\(word) is missing")
    }
    // The bars in which sections begin; those after a part without an end come later.
    let row = try #require(svg.firstMatch(of: /(y="[0-9.]+">)bar<\/text>/)).output.1
    let numbers = svg.components(separatedBy: row).dropFirst().map { $0.prefix { $0 != "<" } }
    #expect(numbers == ["1", "9", "11", "13", "17+", "bar"])
    #expect(svg.contains("One &amp; &lt;two&gt;U+0007") && svg.contains("prefers-color-scheme:dark"))
    #expect(
      svg.contains("<title id=\"title\">Score ") && svg.contains("song.txt: 1 song, 4 sections, at least 1:01</title>"))
    // Each repetition of the verse has a silent bar.
    #expect(reader.count(of: "rect", "silent") == 2 && reader.count(of: "rect", nil) == 1)
  }

  /// Each text is a beginning and lines that are repeated.
  @Test(arguments: [
    ("{1000000000\n1 60\n{8\n1 90-80\n}\n}\n", "", 0), ("* 60+0.01/1beat..999!reverse mute=1/1beat\n", "", 0),
    ("song \"x\"\n8 1-999\n", "song \"x\"\n8 60\n", 2_000), ("", "a: 1 100 mute=1/1beat\nb: 1 120-140\n", 20_000),
    ("* 60\n", "1 100\npause 1s\n", 20_000), ("1000000000 60 mute=1/1beat\npause 1s\n1 60\n", "", 0),
    ("pause wait\n", "", 0), ("pause 1s\n", "", 0), ("{\n{\n{\n1 60\n}\npause wait\n}\n}\n", "", 0),
    ("1 4/4 100,110,100,120\n", "", 0), ("{\n", "{\n1 60\n}\n", 1_000), ("25000 120,", "60,120,", 49_999),
  ])
  func drawingIsSmallForEveryScore(head: String, lines: String, count: Int) throws {
    var text = head + String(repeating: lines, count: count)
    if head == "{\n" { text += "}\n" }
    if text.last == "," { text += "60" }
    let path = folder.path("song.svg")
    let result = try Program.run("score", "show", try file(text), "--picture", path)
    #expect(result.code == 0, "\(result.errors)")
    let svg = try String(contentsOfFile: path, encoding: .utf8)
    let reader = XMLReader(svg)
    #expect(reader.isWellFormed)
    #expect(svg.utf8.count < 300_000, "\(svg.utf8.count) bytes")
    #expect(reader.points <= 2_000, "\(reader.points) points")
  }

  /// A page for a browser: each song with its picture, and a table with the bar, the metre and the tempo of each section.
  @Test func pageHasTheMapOfEachSong() throws {
    let song =
      "song \"Jig <1>\" beat=3/8 count=2\nA: 8 6/8 63\n{2\nB: 8 9/8 63-80\n}\ncoda: 4 3/4 1/4=100\nsong \"Zwölf\"\n8 120\n"
    let path = folder.path("song.html")
    let result = try Program.run("score", "show", try file(song), "--page", path)
    #expect(result.code == 0 && result.output.contains("3/8 = 63 to 80"), "\(result.errors)")
    let html = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    #expect(html.contains("<h1>Jig &lt;1&gt;</h1>") && html.contains("<h1>Zwölf</h1>"))
    #expect(html.matches(of: /<svg\s/).count == 2 && html.matches(of: /<table>/).count == 2)
    func row(_ cells: String...) -> String {
      let numbers =
        cells.prefix(3).map { "<td class=\"number\">\($0)</td>" } + cells.dropFirst(3).map { "<td>\($0)</td>" }
      return "<tr>\(numbers.joined())</tr>"
    }
    #expect(html.contains(row("1", "0:00.000", "8", "6/8", "\u{2669}. = 63", "A")))
    #expect(html.contains(row("25", "0:55.709", "4", "3/4", "100", "coda")), "\(html)")
    // On paper the picture has the light colors and the width of the sheet.
    #expect(html.contains("@media screen and (prefers-color-scheme:dark)") && html.contains("@page{size:A4"))
    let wrong = try Program.run("score", "show", try file("8 120"), "--page", "x.pdf")
    #expect(wrong.code == 64 && wrong.errors.contains("\"x.pdf\" is no name for a page; name it FILE.html"))
    let same = try Program.run("score", "show", try file("8 120", "own.html"), "--page", folder.path("own.html"))
    #expect(same.code == 64 && same.errors.contains("is the score itself; give the page its own name"))
  }

  /// Where no converter is installed, the message says so.
  @Test func scoreIsDrawnAsAPNG() throws {
    let path = folder.path("song.png")
    let result = try Program.run("score", "show", try file("8 120"), "--picture", path)
    if result.code == 73 {
      #expect(result.errors.contains("apt install librsvg2-bin"))
    } else {
      #expect(result.code == 0, "\(result.errors)")
      let bytes = try #require(FileManager.default.contents(atPath: path))
      #expect(Array(bytes.prefix(8)) == [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A])
    }
  }

  /// Each song begins on a sheet of its own, and its table goes on over several. Where no converter is installed, the message says so.
  @Test func scoreIsWrittenAsAPDF() throws {
    let verses = (1...120).map { "verse\($0): 8 6/8 3/8=\(50 + $0)" }
    let text = "song \"Zwölf\"\n\(verses.joined(separator: "\n"))\nsong \"2\"\n8 120\n"
    let path = folder.path("song.pdf")
    let result = try Program.run("score", "show", try file(text), "--pdf", path)
    if result.code == 73 {
      #expect(result.errors.contains("apt install librsvg2-bin"))
    } else {
      #expect(result.code == 0, "\(result.errors)")
      let pdf = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: Unicode.ASCII.self)
      #expect(pdf.hasPrefix("%PDF-"))
      // Newer converters compress this object.
      if let pages = pdf.firstMatch(of: /\/Count (\d+)/) { #expect(pages.output.1 == "4") }
    }
    let wrong = try Program.run("score", "show", try file("8 120"), "--pdf", "x.html")
    #expect(wrong.code == 64 && wrong.errors.contains("\"x.html\" is no name for a PDF; name it FILE.pdf"))
  }

  @Test func drawingMustBeAPictureFileAndNotTheScore() throws {
    let wrong = try Program.run("score", "show", "x", "--picture", "x.gif")
    #expect(wrong.code == 64 && wrong.errors.contains("\"x.gif\" has no supported picture format; name it FILE.svg"))
    let path = try file("8 120", "song.svg")
    let same = try Program.run("score", "show", path, "--picture", path)
    #expect(same.code == 64 && same.errors.contains("is the score itself"))
    #expect(FileManager.default.contents(atPath: path) == Data("8 120".utf8))
    let nowhere = try Program.run("score", "show", path, "--picture", "/nowhere/a.svg")
    #expect(nowhere.code == 73)
  }
}

/// Counts the elements of an XML text, and the points of its curves.
private final class XMLReader {
  private(set) var isWellFormed = true
  private(set) var points = 0
  private var elements: [String: Int] = [:]

  init(_ text: String) {
    var open: [Substring] = []
    for tag in text.split(separator: "<", omittingEmptySubsequences: true) {
      guard let end = tag.firstIndex(of: ">") else { isWellFormed = false; break }
      let inside = tag[..<end]
      if inside.hasPrefix("/") {
        isWellFormed = isWellFormed && open.popLast() == inside.dropFirst()
        continue
      }
      let name = inside.prefix { $0 != " " && $0 != "/" }
      let style = XMLReader.value(of: "class", in: inside)
      elements["\(name) \(style ?? "")", default: 0] += 1
      if style == "curve" { points += (XMLReader.value(of: "d", in: inside) ?? "").split(separator: " ").count }
      if !inside.hasSuffix("/") { open.append(name) }
    }
    isWellFormed = isWellFormed && open.isEmpty && !text.contains("&lt;&") && !text.contains("\u{7}")
  }

  func count(of name: String, _ style: String?) -> Int { elements["\(name) \(style ?? "")"] ?? 0 }

  private static func value(of key: String, in tag: Substring) -> String? {
    tag.range(of: " \(key)=\"").map { tag[$0.upperBound...].prefix { $0 != "\"" } }.map(String.init)
  }
}
