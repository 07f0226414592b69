import CALSA
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Looks at the sound cards, and plays silence on the one that is asked for.
public enum SoundInspection {
  /// For a card that hangs.
  private static let patience = Nanoseconds.seconds(3)
  /// How often its position is read: often enough to see the steps it goes by, which for many cards last a millisecond, and
  /// never in step with them.
  private static func interval(_ number: Int64) -> Nanoseconds { .microseconds(150 + number * 61 % 200) }

  /// - Parameter length: for how long the card's clock is measured.
  public static func look(_ request: AudioRequest, measuring length: Nanoseconds) -> SoundFacts {
    calsa_silence_messages()
    let cards = SoundCard.all().map { card in
      SoundFacts.Card(id: card.id, isScreen: card.isScreen, device: card.playbackDevice.map(Int.init))
    }
    guard request.device != .none else { return SoundFacts(cards: cards, outcome: .notWanted) }
    return SoundFacts(cards: cards, outcome: outcome(request, length))
  }

  private static func outcome(_ request: AudioRequest, _ length: Nanoseconds) -> SoundFacts.Outcome {
    let attempt: OpeningAttempt
    do throws(SystemError) {
      attempt = try OpeningAttempt(request)
    } catch {
      return .refused(errno: error.errno, detail: error.call)
    }
    guard let (result, notices) = attempt.outcome(within: patience) else { return .hangs }
    switch result {
    case .failure(let error): return .refused(errno: error.errno, detail: error.detail)
    case .success(let output):
      defer { output.release() }
      var opened = SoundFacts.Opened(name: output.name, format: output.format, notices: notices)
      do throws(HardwareError) {
        try measure(output, for: length) { opened.readings.append($0) }
      } catch {
        opened.errno = error.errno
      }
      return .opened(opened)
    }
  }

  /// Plays silence, and reads where the card is.
  private static func measure(
    _ output: ALSAOutput, for length: Nanoseconds, _ take: (SoundFacts.Reading) -> Void
  ) throws(HardwareError) {
    let clock = LinuxClock()
    let bell = Doorbell()
    let format = output.format
    let silence = [UInt8](repeating: 0, count: format.periodFrames * format.bytesPerFrame)
    let end = clock.now + length
    var number: Int64 = 0
    while clock.now < end {
      let status = try output.status()
      let pair = clock.pair
      let age = pair.monotonic - status.instant
      take(SoundFacts.Reading(instant: pair.raw - age, frame: status.frame - status.delay))
      if status.available >= format.periodFrames { try write(silence, to: output) }
      _ = bell.wait(until: clock.now + interval(number))
      number += 1
    }
  }

  private static func write(_ bytes: [UInt8], to output: ALSAOutput) throws(HardwareError) {
    var failure: HardwareError?
    bytes.withUnsafeBytes { buffer in
      do throws(HardwareError) { _ = try output.write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
