import HardwareAbstraction
import MetronomeCore

/// What a folder was found to hold of a metronome's state.
public struct StateFindings: Hashable, Sendable {
  /// Why a file is no good.
  public enum Trouble: Hashable, Sendable {
    case content(MemoryFileError)
    /// It cannot be read.
    case refused(errno: Int32)
  }

  /// A file that is no good, and is set aside.
  public struct Loss: Hashable, Sendable {
    public var name: String
    public var trouble: Trouble
  }

  /// The newest that is good; nil: none.
  public internal(set) var memory: Memory?
  /// Whether it is what was saved last, where it is looked for first, so that it need not be saved anew.
  public internal(set) var isWhole = false
  public internal(set) var losses: [Loss] = []
  /// Why what is no good could not be set aside, and nothing can be saved.
  public internal(set) var refusal: HardwareError?

  /// What a person should know, in a line; nil: nothing.
  ///
  /// - Parameter reason: what the system says about an error number.
  public func notice(reason: (Int32) -> String) -> String? {
    guard !losses.isEmpty else { return nil }
    let troubles = losses.map { "\($0.name) \($0.trouble.text(reason))" }.joined(separator: ", ")
    if let refusal {
      return "\(troubles), and cannot be set aside (\(reason(refusal.errno))): the state cannot be saved before it is; "
        + "playing goes on, and it is tried again"
    }
    let names = losses.map { $0.name + StateArchive.aside }.joined(separator: ", ")
    let outcome: String
    switch (memory, isWhole) {
    case (nil, _): outcome = "there is no other, so what the configuration says holds"
    case (_, true): outcome = "the newest state is whole"
    case (_, false): outcome = "the good one before it is restored"
    }
    return "\(troubles), and is set aside as \(names); \(outcome)"
  }
}

extension StateFindings.Trouble {
  fileprivate func text(_ reason: (Int32) -> String) -> String {
    switch self {
    case .content(let error): error.text
    case .refused(let errno): "cannot be read (\(reason(errno)))"
    }
  }
}
