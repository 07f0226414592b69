import CALSA
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A call to alsa-lib that failed.
struct ALSAFailure: Error {
  /// Not a `String`, which whoever catches it would have to let go, the audio thread among them.
  private let name: StaticString
  /// Positive.
  var errno: Int32

  init(call: StaticString, errno: Int32) {
    name = call
    self.errno = errno
  }

  var call: String { name.description }

  /// Throws if a call did not go well.
  static func check(_ result: Int32, _ call: StaticString) throws(ALSAFailure) {
    if result < 0 { throw ALSAFailure(call: call, errno: -result) }
  }
}

/// A PCM that plays, open and non-blocking. It falls silent and is closed when this ends.
struct PCM: ~Copyable {
  let name: String
  let handle: OpaquePointer

  init(name: String) throws(ALSAFailure) {
    var handle: OpaquePointer?
    let result = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
    guard result >= 0, let handle else { throw ALSAFailure(call: "snd_pcm_open", errno: -result) }
    self.name = name
    self.handle = handle
  }

  deinit {
    snd_pcm_drop(handle)
    snd_pcm_close(handle)
  }

  /// Whether other programs may play on the card at the same time, through a mixer of alsa-lib's that hides from its users
  /// when the card is gone.
  var isShared: Bool {
    let sharing = ["default", "sysdefault", "dmix"]
    return sharing.contains { name == $0 || name.hasPrefix($0 + ":") } || snd_pcm_type(handle) == SND_PCM_TYPE_DMIX
  }
}

extension PCM {
  /// Agrees on a format with the card, as near to the request as it can do.
  func agree(on request: AudioRequest) throws(ALSAFailure) -> AudioFormat {
    var parameters: OpaquePointer?
    try ALSAFailure.check(snd_pcm_hw_params_malloc(&parameters), "snd_pcm_hw_params_malloc")
    defer { snd_pcm_hw_params_free(parameters) }
    try ALSAFailure.check(snd_pcm_hw_params_any(handle, parameters), "snd_pcm_hw_params_any")
    try ALSAFailure.check(
      snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
    let sampleFormat = try chooseSampleFormat(parameters)
    let channels = try chooseChannels(parameters)
    var rate = UInt32(request.rate)
    var period = snd_pcm_uframes_t(request.period)
    var periods = UInt32(request.periods)
    var buffer = snd_pcm_uframes_t(0)
    try ALSAFailure.check(
      snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil), "snd_pcm_hw_params_set_rate_near")
    try ALSAFailure.check(
      snd_pcm_hw_params_set_period_size_near(handle, parameters, &period, nil),
      "snd_pcm_hw_params_set_period_size_near")
    try ALSAFailure.check(
      snd_pcm_hw_params_set_periods_near(handle, parameters, &periods, nil), "snd_pcm_hw_params_set_periods_near")
    try ALSAFailure.check(snd_pcm_hw_params(handle, parameters), "snd_pcm_hw_params")
    try ALSAFailure.check(
      snd_pcm_hw_params_get_period_size(parameters, &period, nil), "snd_pcm_hw_params_get_period_size")
    try ALSAFailure.check(
      snd_pcm_hw_params_get_buffer_size(parameters, &buffer), "snd_pcm_hw_params_get_buffer_size")
    return AudioFormat(
      rate: Int(rate), channels: channels, sampleFormat: sampleFormat, periodFrames: Int(period),
      bufferFrames: Int(buffer))
  }

  /// The first format that the card takes: 16 bits are enough for a click, and every converter has them.
  private func chooseSampleFormat(_ parameters: OpaquePointer?) throws(ALSAFailure) -> SampleFormat {
    let choices: [(SampleFormat, snd_pcm_format_t)] = [
      (.s16, SND_PCM_FORMAT_S16_LE), (.s32, SND_PCM_FORMAT_S32_LE), (.s24, SND_PCM_FORMAT_S24_3LE),
      (.float, SND_PCM_FORMAT_FLOAT_LE),
    ]
    for (sampleFormat, format) in choices where snd_pcm_hw_params_set_format(handle, parameters, format) == 0 {
      return sampleFormat
    }
    throw ALSAFailure(call: "snd_pcm_hw_params_set_format", errno: EINVAL)
  }

  /// Two channels, else one, else as few as the card insists on, up to eight.
  private func chooseChannels(_ parameters: OpaquePointer?) throws(ALSAFailure) -> Int {
    for channels in [2, 1, 3, 4, 5, 6, 7, 8] as [UInt32]
    where snd_pcm_hw_params_set_channels(handle, parameters, channels) == 0 {
      return Int(channels)
    }
    throw ALSAFailure(call: "snd_pcm_hw_params_set_channels", errno: EINVAL)
  }

  /// Lets the card run for ever once it is started: when nothing was written in time it plays silence and goes on counting,
  /// so that frames and time stay tied to each other.
  ///
  /// - Returns: whether the card's positions come with instants of `CLOCK_MONOTONIC`.
  func letRunFree(_ format: AudioFormat) throws(ALSAFailure) -> Bool {
    var parameters: OpaquePointer?
    var boundary = snd_pcm_uframes_t(0)
    try ALSAFailure.check(snd_pcm_sw_params_malloc(&parameters), "snd_pcm_sw_params_malloc")
    defer { snd_pcm_sw_params_free(parameters) }
    try ALSAFailure.check(snd_pcm_sw_params_current(handle, parameters), "snd_pcm_sw_params_current")
    try ALSAFailure.check(snd_pcm_sw_params_get_boundary(parameters, &boundary), "snd_pcm_sw_params_get_boundary")
    try ALSAFailure.check(
      snd_pcm_sw_params_set_start_threshold(handle, parameters, boundary), "snd_pcm_sw_params_set_start_threshold")
    try ALSAFailure.check(
      snd_pcm_sw_params_set_stop_threshold(handle, parameters, boundary), "snd_pcm_sw_params_set_stop_threshold")
    try ALSAFailure.check(
      snd_pcm_sw_params_set_silence_threshold(handle, parameters, 0), "snd_pcm_sw_params_set_silence_threshold")
    try ALSAFailure.check(
      snd_pcm_sw_params_set_silence_size(handle, parameters, boundary), "snd_pcm_sw_params_set_silence_size")
    try ALSAFailure.check(
      snd_pcm_sw_params_set_avail_min(handle, parameters, snd_pcm_uframes_t(format.periodFrames)),
      "snd_pcm_sw_params_set_avail_min")
    let hasInstants =
      snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE) == 0
      && snd_pcm_sw_params_set_tstamp_type(handle, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC) == 0
    try ALSAFailure.check(snd_pcm_sw_params(handle, parameters), "snd_pcm_sw_params")
    return hasInstants
  }

  /// Fills the buffer with silence and starts the card.
  ///
  /// - Parameter silence: a full buffer of it.
  func start(_ format: AudioFormat, silence: UnsafeRawBufferPointer) throws(ALSAFailure) {
    try ALSAFailure.check(snd_pcm_prepare(handle), "snd_pcm_prepare")
    var written = 0
    while written < format.bufferFrames {
      let result = snd_pcm_writei(
        handle, silence.baseAddress! + written * format.bytesPerFrame,
        snd_pcm_uframes_t(format.bufferFrames - written))
      guard result > 0 else { throw ALSAFailure(call: "snd_pcm_writei", errno: result < 0 ? Int32(-result) : EIO) }
      written += result
    }
    try ALSAFailure.check(snd_pcm_start(handle), "snd_pcm_start")
  }
}

/// What a card says of itself at an instant.
struct PCMReading {
  var instant: Instant
  /// Frames between the one that sounds and the next to be written; negative when the card has overtaken the writer.
  var delay: Int64
  /// Frames that can be written; more than the buffer takes when the card has overtaken the writer.
  var available: Int
  /// It ran dry and stopped.
  var isStopped: Bool
}

/// Reads where a card is, without allocating.
final class PCMReader {
  /// How far two readings of the clock may lie apart that stand in for the card's own.
  private static let bracket = Nanoseconds.microseconds(200)
  private static let attempts = 3

  private let status: OpaquePointer
  private let hasInstants: Bool
  private let clock = LinuxClock()

  /// - Parameter hasInstants: whether the card's positions come with instants of `CLOCK_MONOTONIC`.
  init(hasInstants: Bool) throws(ALSAFailure) {
    var status: OpaquePointer?
    let result = snd_pcm_status_malloc(&status)
    guard result >= 0, let status else { throw ALSAFailure(call: "snd_pcm_status_malloc", errno: -result) }
    self.status = status
    self.hasInstants = hasInstants
  }

  deinit { snd_pcm_status_free(status) }

  func read(_ handle: OpaquePointer) throws(ALSAFailure) -> PCMReading {
    var reading = PCMReading(instant: .zero, delay: 0, available: 0, isStopped: true)
    for _ in 0..<PCMReader.attempts {
      let before = clock.now
      let result = snd_pcm_status(handle, status)
      let after = clock.now
      if result == -EPIPE { return reading }
      try ALSAFailure.check(result, "snd_pcm_status")
      guard try isRunning() else { return reading }
      reading = PCMReading(
        instant: stamp ?? before + (after - before) / 2, delay: Int64(snd_pcm_status_get_delay(status)),
        available: Int(snd_pcm_status_get_avail(status)), isStopped: false)
      if stamp != nil || after - before <= PCMReader.bracket { break }
    }
    return reading
  }

  private func isRunning() throws(ALSAFailure) -> Bool {
    switch snd_pcm_status_get_state(status) {
    case SND_PCM_STATE_RUNNING: return true
    case SND_PCM_STATE_XRUN: return false
    case SND_PCM_STATE_SUSPENDED: throw ALSAFailure(call: "snd_pcm_status", errno: ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED: throw ALSAFailure(call: "snd_pcm_status", errno: ENODEV)
    default: throw ALSAFailure(call: "snd_pcm_status", errno: EBADFD)
    }
  }

  /// The card's own instant, where it gives one.
  private var stamp: Instant? {
    guard hasInstants else { return nil }
    var time = snd_htimestamp_t()
    snd_pcm_status_get_htstamp(status, &time)
    return time.tv_sec == 0 && time.tv_nsec == 0 ? nil : Instant(time)
  }
}

/// Lets a thread sleep until a sound card has played a period, until another thread rings, or until an instant.
///
/// Many cards know where they stand only when an interrupt comes: a thread that is woken by it reads a fresh position, one
/// that wakes by the clock an old one. Neither allocates nor takes a lock.
public final class CardWait {
  private let bell: EventDescriptor
  private let entries: UnsafeMutableBufferPointer<pollfd>
  private let clock = LinuxClock()

  /// - Parameter bell: to be rung by other threads.
  public init(_ bell: EventDescriptor) {
    self.bell = bell
    entries = .allocate(capacity: 1 + ALSAOutput.mostDescriptors)
    entries.initialize(repeating: pollfd())
    entries[0] = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
  }

  deinit { entries.deallocate() }

  /// Sleeps.
  ///
  /// - Parameters:
  ///   - card: nil: only the bell is waited for.
  ///   - deadline: nil: as long as it takes.
  public func wait(for card: ALSAOutput?, until deadline: Instant?) {
    let polled = UnsafeMutableBufferPointer(rebasing: entries[1...])
    let count = card?.fillDescriptors(polled) ?? 0
    var timeout = timespec()
    if let deadline { timeout = timespec(Instant(nanoseconds: max(deadline - clock.now, .zero).count)) }
    // An interrupted wait is a wait that ends early: the thread looks and waits again.
    _ = withUnsafePointer(to: &timeout) {
      clinux_poll(entries.baseAddress, UInt(1 + count), deadline == nil ? nil : $0)
    }
    if entries[0].revents != 0 { bell.clear() }
    card?.takeEvents(UnsafeMutableBufferPointer(rebasing: polled[..<count]))
  }
}
