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

  /// A file that is no good.
  public struct Loss: Hashable, Sendable {
    public var name: String
    public var trouble: Trouble
    /// Under which name it is set aside; nil: all that are for that are taken.
    public var newName: String?
  }

  /// The newest that is good; nil: none.
  public internal(set) var memory: Memory?
  /// Whether it is what was saved last, where it is looked for first, so that it need not be saved anew.
  public internal(set) var isWhole = false
  public internal(set) var losses: [Loss] = []
  /// Whether they are set aside.
  public package(set) var isSetAside = false
  /// Why what is no good could not be set aside, and nothing can be saved.
  public package(set) var refusal: HardwareError?

  /// What a person should know, in a line; nil: nothing.
  ///
  /// - Parameters:
  ///   - isPlaying: whether it is a metronome that tells it, which goes on and tries again.
  ///   - reason: what the system says about an error number.
  public func notice(isPlaying: Bool = true, reason: (Int32) -> String) -> String? {
    guard !losses.isEmpty else { return nil }
    let troubles = losses.map { "\($0.name) \($0.trouble.text(reason))" }.joined(separator: ", ")
    let names = losses.compactMap(\.newName)
    if let refusal {
      let isCrowded = names.count < losses.count
      let why = isCrowded ? "there are \(StateArchive.mostAside) of the kind already" : reason(refusal.errno)
      return "\(troubles), and cannot be set aside (\(why)): the state cannot be saved before it is"
        + (isPlaying ? "; playing goes on, and it is tried again" : "")
    }
    let setAside = isSetAside ? ", and is set aside as \(names.joined(separator: ", "))" : ""
    return "\(troubles)\(setAside); \(outcome)"
  }

  private var outcome: String {
    switch (memory, isWhole) {
    case (nil, _): "there is no other, so what the configuration says holds"
    case (_, true): "the newest state is whole"
    case (_, false): isSetAside ? "the good one before it is restored" : "the good one before it holds"
    }
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
