import CALSA
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A place for a sound card: the one that was asked for, or the first that plays.
///
/// The card that was had once is waited for by its id when it is gone, whatever number it comes back with.
public final class ALSAPort: AudioPort {
  private static let patience = Nanoseconds.seconds(2)

  private let request: AudioRequest
  private let notice: (String) -> Void
  /// What was told already: a card that is opened again tells nothing new.
  private var told: Set<String> = []
  /// The PCM that was opened last.
  private var lastName: String?
  /// Opened by ``prepare()`` and not asked for yet.
  private var ready: ALSAOutput?

  /// - Parameters:
  ///   - request: asks for a card.
  ///   - notice: told, in one line each, what a person should know but what stops nothing: that a card grants another rate.
  public init(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    precondition(request.device != .none, "a place is made for a card that is not asked for")
    self.request = request
    self.notice = notice
  }

  public var name: String {
    if let lastName { return lastName }
    guard case .named(let name) = request.device else { return "a sound card" }
    return SoundCard.all().contains { $0.id == name } ? "hw:CARD=\(name)" : name
  }

  /// Opens the card for the first call of ``open()``, to find out what waiting will not mend. It waits for the card two
  /// seconds at the most: one that hangs must not keep the lights from being lit.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`, when a card that was asked for by name is none to play on, or is
  ///   not there and patience does not cover that. Not when it is in use, nor when any card will do and there is none: these
  ///   may change.
  public func prepare(_ patience: Patience = .none) throws(HardwareError) {
    let attempt: OpeningAttempt
    do throws(SystemError) {
      attempt = try OpeningAttempt(request)
    } catch {
      throw HardwareError(.openAudio, errno: error.errno)
    }
    guard let (result, notices) = attempt.outcome(within: ALSAPort.patience) else {
      tell("the sound card does not answer; light and buzzer go on without it")
      return
    }
    for text in notices { tell(text) }
    switch result {
    case .success(let output):
      ready = output
      lastName = output.name
    case .failure(let error):
      if case .named = request.device, error.errno != EBUSY, !patience.covers(error) { throw error }
    }
  }

  public func open() throws(HardwareError) -> ALSAOutput {
    if let ready {
      self.ready = nil
      return ready
    }
    var request = request
    if let lastName { request.device = .named(lastName) }
    let output = try AudioOpening(request, notice: { [self] in tell($0) }).open()
    lastName = output.name
    return output
  }

  public func resume(_ output: ALSAOutput) throws(HardwareError) { try output.wake() }

  public func close(_ output: ALSAOutput) { output.release() }

  private func tell(_ text: String) {
    if told.insert(text).inserted { notice(text) }
  }
}
