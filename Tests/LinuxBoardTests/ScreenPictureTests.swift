import Foundation
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Testing

/// The picture of the screen in the documentation has the pixels that the program sends. With `METRONOME_PICTURES` set, the test writes it.
@Suite struct ScreenPictureTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Documentation/screen.svg")
  /// The side of a pixel, and the space around a screen.
  private static let (pixel, space) = (3, 12)

  private static func wiring(_ size: DisplayWiring.Size = .high, _ view: DisplayWiring.View = .song) -> DisplayWiring {
    var wiring = DisplayWiring()
    (wiring.size, wiring.view) = (size, view)
    return wiring
  }

  /// A song, the same in the stage view, without a score, and on a screen of 32 rows.
  private static var screens: [(ScreenPicture, x: Int, y: Int)] {
    let song = ScreenPage(
      title: "Für Elise", place: "3/12", number: "17", width: .bar, upper: "Übergang", lower: "120 BPM",
      footer: "→ Refrain 96 3/4")
    let plain = ScreenPage(
      title: "Walzer", place: "2/8", number: "97.5", width: .tempo, upper: "BPM", lower: "3/4", footer: "sub=2")
    return [
      (ScreenPicture(song, wiring()), 0, 0), (ScreenPicture(song, wiring(.high, .stage)), 1, 0),
      (ScreenPicture(plain, wiring()), 0, 1), (ScreenPicture(song, wiring(.low)), 1, 1),
    ]
  }

  private static var drawing: String {
    let (width, height) = (128 * pixel + space, 64 * pixel + space)
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(2 * width + space) \(2 * height + space)\">\n"
      + "<title>A screen: a song, its stage view, a preset, and a song on 128 × 32 pixels</title>\n"
    for (screen, column, row) in screens {
      let (x, y) = (space + column * width, space + row * height)
      text +=
        "<g transform=\"translate(\(x) \(y))\">\n<rect width=\"\(128 * pixel)\" height=\"\(screen.height * pixel)\"/>\n"
        + "<path fill=\"#cfe8ff\" d=\"\(path(screen))\"/>\n</g>\n"
    }
    return text + "</svg>\n"
  }

  /// The lit pixels, as runs of each row.
  private static func path(_ screen: ScreenPicture) -> String {
    var runs: [String] = []
    for y in 0..<screen.height {
      var x = 0
      while x < ScreenPicture.width {
        let length = (x..<ScreenPicture.width).prefix { screen.isLit($0, y) }.count
        if length > 0 { runs.append("M\(x * pixel) \(y * pixel)h\(length * pixel)v\(pixel)h-\(length * pixel)z") }
        x += max(length, 1)
      }
    }
    return stride(from: 0, to: runs.count, by: 8).map { runs[$0..<min($0 + 8, runs.count)].joined() }
      .joined(separator: "\n")
  }

  @Test func thePictureIsCurrent() throws {
    if ProcessInfo.processInfo.environment["METRONOME_PICTURES"] != nil {
      try ScreenPictureTests.drawing.write(to: ScreenPictureTests.file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: ScreenPictureTests.file, encoding: .utf8)
    #expect(
      kept == ScreenPictureTests.drawing, "draw it again: METRONOME_PICTURES=1 Scripts/test --filter ScreenPicture")
  }
}
