/// Lines for a person, on standard error: at once, or at the end while a picture is drawn.
final class Notices {
  private let waits: Bool
  private var waiting: [String] = []

  init(waits: Bool) { self.waits = waits }

  func tell(_ text: String) {
    if waits { waiting.append(text) } else { standardError("metronome: \(text)\n") }
  }

  /// Tells what has waited.
  func tellRest() {
    for text in waiting { standardError("metronome: \(text)\n") }
    waiting = []
  }
}
