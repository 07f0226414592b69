import MetronomeConfiguration

/// Reads the configuration again when SIGHUP says so.
final class Reloading {
  /// In force.
  var current: Reading
  private let readAgain: () throws -> Reading
  private let terminal = StartTerminal()

  /// - Parameters:
  ///   - first: with which it began.
  ///   - read: reads it again, from where that was read.
  init(_ first: Reading, read: @escaping () throws -> Reading) {
    current = first
    readAgain = read
  }

  /// Whether that is what SIGHUP means at this moment, and not that the terminal has gone.
  var isMeant: Bool { !terminal.hasGone }

  /// - Parameter tell: is told in a line why not.
  /// - Returns: what is to be in force, and what is.
  func read(_ tell: (String) -> Void) -> (new: Reading, old: Reading)? {
    do {
      return (try readAgain(), current)
    } catch let failure as Failure {
      tell(Reading.refusal(failure.message))
    } catch {
      tell(Reading.refusal("\(error)"))
    }
    return nil
  }
}
