import MetronomeCore

extension StateFacts {
  /// What was found of a metronome's memory in its folder.
  public enum Contents: Hashable, Sendable {
    /// Whoever asks may not read it.
    case unread(errno: Int32)
    case read(losses: [Loss], rest: Rest)
  }

  /// A file that is no good.
  public struct Loss: Hashable, Sendable {
    public enum Trouble: Hashable, Sendable {
      case content(MemoryFileError)
      /// It cannot be read.
      case refused(errno: Int32)
    }

    public var name: String
    public var trouble: Trouble
    /// Under which name the next start sets it aside; nil: all that are for that are taken, and nothing can be saved.
    public var newName: String?

    public init(name: String, trouble: Trouble, newName: String?) {
      self.name = name
      self.trouble = trouble
      self.newName = newName
    }
  }

  /// What is good.
  public enum Rest: Hashable, Sendable {
    case nothing
    /// What was saved last.
    case newest(presets: Int)
    /// What was saved before that.
    case older(presets: Int)
  }
}
