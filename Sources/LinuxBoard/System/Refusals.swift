import CLibrary
import HardwareAbstraction

/// A system call that failed for lack of memory, descriptors or threads. The metronome cannot continue without these.
public struct SystemError: Error, Hashable, Sendable {
  /// The name of the call's manual page.
  public var call: String
  /// The error number, positive.
  public var errno: Int32

  public init(_ call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }

  var text: String { "\(call): \(reason(errno))" }

  /// Returns the result of a call; throws if it is a negative error number.
  static func check(_ result: Int32, _ call: String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(call, errno: -result) }
    return result
  }
}

/// Whether the system granted an optional privilege that improves the timing.
public enum Grant: Hashable, Sendable {
  case granted
  case refused(errno: Int32)
}

extension HardwareError {
  /// An error of the kernel or alsa-lib; its kind is derived from the error number. Any thread, including real-time ones.
  package init(_ operation: Operation, errno: Int32, detail: String = "") {
    let isAudio = operation == .openAudio || operation == .readAudioPosition || operation == .writeAudio
    let kind: Kind =
      switch errno {
      // An ALSA device whose card was unplugged.
      case ENOTTY where isAudio, EBADFD where isAudio: .gone
      case ENOENT, ENXIO, ENODEV: .gone
      // An I²C device that was unplugged.
      case EREMOTEIO where operation == .writeDisplay: .gone
      case EPERM, EACCES: .denied
      case EBUSY: .busy
      case EINVAL: .invalid
      case ENOTTY, ENOSYS, EOPNOTSUPP: .unsupported
      case EPIPE where operation == .readAudioPosition: .underrun
      case ENOTUNIQ: .ambiguous
      case ESTRPIPE: .suspended
      case ETIMEDOUT: .timedOut
      default: .other
      }
    self.init(operation, kind, errno: errno, detail: detail)
  }

  init(_ operation: Operation, _ error: SystemError) {
    self.init(operation, errno: error.errno, detail: error.text)
  }
}

/// Which missing hardware a board waits for when it is opened.
public enum WaitPolicy: Hashable, Sendable {
  /// Wait only for a sound card that is in use.
  case none
  /// Also wait for a missing chip and a missing sound card.
  case forMissingHardware
  /// Also wait for busy lines and for permissions, which are set a moment after the device appears at boot.
  case forAll

  /// Whether to wait for hardware that failed with this error.
  func covers(_ error: HardwareError) -> Bool {
    switch error.obstacle {
    case .missing: self != .none
    case .passing: self == .forAll
    case .lasting: false
    }
  }
}

/// Why hardware cannot be used: it is missing; or it is busy or denied, which may change; or the user must fix a problem.
enum Obstacle { case missing, passing, lasting }

extension HardwareError {
  var obstacle: Obstacle {
    switch (operation, kind) {
    case (_, .gone): .missing
    case (_, .denied), (.requestLines, .busy): .passing
    // A card that does not support the requested format will never support it. Any other failure may be temporary.
    case (.openAudio, .invalid): .lasting
    case (.openAudio, _): .passing
    default: .lasting
    }
  }
}

/// The advice for a user who has no permission to open a device file, as part of a sentence.
func accessAdvice(_ path: String) -> String {
  var status = stat()
  let isForGroup = stat(path, &status) == 0 && status.st_mode & 0o060 == 0o060 && status.st_gid != 0
  guard isForGroup, let group = getgrgid(status.st_gid) else {
    return "only root may open \(path): run this as root, or add a udev rule that gives the file to one of your groups"
  }
  let name = String(cString: group.pointee.gr_name)
  return "only members of the group \(name) may open \(path): join it with `sudo usermod -aG \(name) $USER`, then log"
    + " in again"
}
