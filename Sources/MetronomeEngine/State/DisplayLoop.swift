import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Shows the state on a display. It runs on an ordinary thread without priority: a text takes milliseconds, on an I²C bus 0.1 s. The control
/// loop only passes it the newest state. The display's thread uses what the lock does not guard.
public final class DisplayLoop<Observer: EngineObserver> {
  /// The shortest time between two texts, which bounds the processor time while a dial is turned.
  public static var interval: Nanoseconds { .milliseconds(200) }
  /// A text is sent again after this time, for a display that was plugged in or has lost its text.
  public static var refresh: Nanoseconds { .seconds(5) }

  private struct Shared {
    var content: DisplayContent
    var faults: Set<DisplayFault> = []
    /// Whether the text is to be sent although it may be the same.
    var isDue = true
    /// Whether the sound card has played.
    var hasPlayed = false
  }

  private let display: any CharacterDisplay
  private let observer: Observer
  private let wake: Waker
  private let shared: Mutex<Shared>
  /// nil while no display is configured.
  private var projection: DisplayProjection?
  /// The last text, and when it was sent; nil: the next step sends the text at once.
  private var sent: (text: DisplayText, at: Instant)?
  private var condition = Condition.works

  private enum Condition {
    case works
    /// The last text failed, which was reported.
    case fails
    /// The last text failed; then the display was wired differently, so a new failure is reported again.
    case failedBefore
  }

  init(_ display: any CharacterDisplay, _ content: DisplayContent, observer: Observer, wake: Waker) {
    self.display = display
    self.observer = observer
    self.wake = wake
    shared = Mutex(Shared(content: content))
  }

  /// Shows a state with the preset recalled last, and a reply, if there is one. Any thread; never waits for the display.
  func show(_ content: DisplayContent, _ reply: Reply?) {
    let isNews = shared.withLock { shared in
      var new = content
      new.reply = reply ?? shared.content.reply
      new.replies = shared.content.replies + (reply == nil ? 0 : 1)
      defer { shared.content = new }
      return shared.isDue || new != shared.content
    }
    if isNews, display.isConfigured { wake(.display) }
  }

  /// Shows the faults of the box while it is stopped. Any thread.
  ///
  /// - Parameters:
  ///   - audio: the state of the sound; a card that is missing from the start is no fault.
  ///   - saving: whether the state is saved.
  ///   - isConfigurationRefused: whether the newest configuration has an error.
  public func report(audio: AudioState?, saving: Saving?, isConfigurationRefused: Bool = false) {
    let isNews = shared.withLock { shared in
      var faults: Set<DisplayFault> = isConfigurationRefused ? [.configuration] : []
      if case .refused? = saving { faults.insert(.state) }
      switch audio {
      case .waiting? where shared.hasPlayed: faults.insert(.sound)
      case .locking?, .locked?: shared.hasPlayed = true
      case .off?: shared.hasPlayed = false
      case .waiting?, nil: break
      }
      defer { shared.faults = faults }
      return faults != shared.faults
    }
    if isNews, display.isConfigured { wake(.display) }
  }

  /// Sends the text again at once, because the display was wired differently. Any thread.
  public func sendAgain() {
    shared.withLock { $0.isDue = true }
    wake(.display)
  }

  /// Sends the text if it has changed or is due again. Returns when to call again; nil: only when woken. Display's thread.
  public func step(at now: Instant) -> Instant? {
    let (content, faults, isDue) = shared.withLock { shared in
      defer { shared.isDue = false }
      return (shared.content, shared.faults, shared.isDue)
    }
    guard display.isConfigured else {
      (projection, sent, condition) = (nil, nil, .works)
      return nil
    }
    // Changes from before there was a display are not shown.
    var projection = projection ?? DisplayProjection(content)
    projection.show(content, faults: faults, at: now)
    self.projection = projection
    if isDue {
      sent = nil
      if condition == .fails { condition = .failedBefore }
    }
    let text = projection.text(at: now)
    let due = sent.map { $0.at + (text == $0.text ? Self.refresh : Self.interval) } ?? now
    guard now >= due else { return earlier(due, projection.nextChange(after: now)) }
    send(text, at: now)
    return earlier(now + Self.refresh, projection.nextChange(after: now).map { max($0, now + Self.interval) })
  }

  private func send(_ text: DisplayText, at now: Instant) {
    sent = (text, now)
    do throws(HardwareError) {
      try display.show(text)
      if condition != .works, display.isConfigured { observer.displayRecovered(at: now) }
      condition = .works
    } catch {
      if condition != .fails { observer.failed(error, at: now) }
      condition = .fails
    }
  }

  private func earlier(_ one: Instant, _ other: Instant?) -> Instant { other.map { min(one, $0) } ?? one }
}
