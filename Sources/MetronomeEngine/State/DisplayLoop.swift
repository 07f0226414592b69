import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Shows the state on a display: a text on four digits, a page on a screen. It runs on an ordinary thread without priority: a text takes
/// milliseconds, on an I²C bus 0.1 s. The control loop only passes it the newest state. The display's thread uses what the lock does not
/// guard.
public final class DisplayLoop<Observer: EngineObserver> {
  /// The shortest time between two texts, which bounds the processor time while a dial is turned.
  public static var interval: Nanoseconds { .milliseconds(200) }
  /// A text is sent again after this time, for a display that was plugged in or has lost its text.
  public static var refresh: Nanoseconds { .seconds(5) }
  /// The same for the page of a screen: then only a part of it is sent, and the chip's setup.
  package static var pageRefresh: Nanoseconds { .seconds(1) }
  /// The time from one part of a page to the next one, while beats play.
  package static var partInterval: Nanoseconds { .milliseconds(50) }

  private struct Shared {
    var content: DisplayContent
    /// nil unless the display is a screen.
    var page: PageContent?
    var faults: Set<DisplayFault> = []
    /// Whether the text is to be sent although it may be the same.
    var isDue = true
    /// Whether the sound card has played.
    var hasPlayed = false
  }

  private let display: any CharacterDisplay
  /// The display as a screen; nil: the board has none.
  private let screen: (any PageDisplay)?
  private let observer: Observer
  private let wake: Waker
  private let shared: Mutex<Shared>
  /// nil while no display is configured.
  private var projection: DisplayProjection?
  /// The last text or page, when it was sent, and whether other parts of the page are still to be sent; nil: the next step sends it at
  /// once.
  private var sent: (frame: DisplayFrame, at: Instant, isPartial: Bool)?
  private var condition = Condition.works

  private enum Condition {
    case works
    /// The last text failed, which was reported.
    case fails
    /// The last text failed; then the display was wired differently, so a new failure is reported again.
    case failedBefore
  }

  init(
    _ display: any CharacterDisplay, _ content: DisplayContent, _ page: PageContent, observer: Observer, wake: Waker
  ) {
    self.display = display
    screen = display as? any PageDisplay
    self.observer = observer
    self.wake = wake
    shared = Mutex(Shared(content: content, page: page))
  }

  /// Whether the display is a screen, which shows pages.
  var showsPages: Bool { screen?.showsPages ?? false }

  /// Shows a state with the preset recalled last, and a reply, if there is one; a screen also what a page is made from. Any thread; never
  /// waits for the display.
  func show(_ content: DisplayContent, _ reply: Reply?, page: PageContent?) {
    let isNews = shared.withLock { shared in
      var new = content
      new.reply = reply ?? shared.content.reply
      new.replies = shared.content.replies + (reply == nil ? 0 : 1)
      defer { (shared.content, shared.page) = (new, page) }
      return shared.isDue || new != shared.content || page != shared.page
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

  /// Sends the text if it has changed or is due again. A page waits until no beat is near. Returns when to call again; nil: only when
  /// woken. Display's thread.
  public func step(at now: Instant) -> Instant? {
    let (content, page, faults, isDue) = shared.withLock { shared in
      defer { shared.isDue = false }
      return (shared.content, showsPages ? shared.page : nil, shared.faults, shared.isDue)
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
    let target =
      page.map { DisplayFrame.page($0.page(at: now, notice: projection.notice(at: now))) }
      ?? .text(projection.text(at: now))
    let frame = content.isPlaying ? part(of: target) : target
    let change = [projection.nextChange(after: now), page?.nextBar(after: now)].compactMap(\.self).min()
    let pause = sent?.isPartial == true ? Self.partInterval : Self.interval
    var due = sent.map { max(now, $0.at + (frame == $0.frame ? refresh(page) : pause)) } ?? now
    if let page { due = page.quiet(from: due) }
    guard now >= due else { return earlier(due, change) }
    send(frame, isPartial: frame != target, at: now)
    let next = now + (frame == target ? refresh(page) : Self.partInterval)
    return earlier(page?.quiet(from: next) ?? next, change.map { max($0, now + Self.interval) })
  }

  /// The part of a page that is sent next, so that a page that changes much is sent between the beats.
  private func part(of target: DisplayFrame) -> DisplayFrame {
    guard case .page(let new) = target, case .page(let old)? = sent?.frame, condition == .works else { return target }
    return .page(old.step(toward: new))
  }

  private func refresh(_ page: PageContent?) -> Nanoseconds {
    page != nil && condition == .works ? Self.pageRefresh : Self.refresh
  }

  private func send(_ frame: DisplayFrame, isPartial: Bool, at now: Instant) {
    sent = (frame, now, isPartial)
    do throws(HardwareError) {
      switch frame {
      case .text(let text): try display.show(text)
      case .page(let page): try screen?.show(page)
      }
      if condition != .works, display.isConfigured { observer.displayRecovered(at: now) }
      condition = .works
    } catch {
      if condition != .fails { observer.failed(error, at: now) }
      condition = .fails
    }
  }

  private func earlier(_ one: Instant, _ other: Instant?) -> Instant { other.map { min(one, $0) } ?? one }
}
