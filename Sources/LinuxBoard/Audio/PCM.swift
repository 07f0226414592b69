import CALSA
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A call to alsa-lib that failed.
struct ALSAFailure: Error {
  /// A `StaticString`, because the audio thread would have to release a `String`.
  private let name: StaticString
  /// The error number, positive.
  var errno: Int32

  init(call: StaticString, errno: Int32) {
    name = call
    self.errno = errno
  }

  var call: String { name.description }
}

/// Throws if a call to alsa-lib failed.
private func check(_ result: Int32, _ call: StaticString) throws(ALSAFailure) {
  if result < 0 { throw ALSAFailure(call: call, errno: -result) }
}

/// An open, non-blocking playback PCM. `deinit` stops and closes it.
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

  /// Whether the PCM uses alsa-lib's software mixer. Then other programs can play too, but removal of the card goes unnoticed.
  var isShared: Bool {
    let sharing = ["default", "sysdefault", "dmix"]
    return sharing.contains { name == $0 || name.hasPrefix($0 + ":") } || snd_pcm_type(handle) == SND_PCM_TYPE_DMIX
  }
}

extension PCM {
  /// Whether a sound server (PipeWire, PulseAudio, JACK) plays the frames, through a plugin of alsa-lib.
  var isServer: Bool { snd_pcm_type(handle) == SND_PCM_TYPE_IOPLUG }

  /// Feeds a sound server silence until its position has advanced steadily for 250 ms, for 3 s at most. PulseAudio may first
  /// buffer two seconds, during which the position does not advance. Returns the number of frames written. May block.
  func settle(_ format: AudioFormat, silence: UnsafeRawBufferPointer) -> Int {
    let (clock, rest) = (LinuxClock(), Doorbell())
    let end = clock.now + .seconds(3)
    var written = 0
    var (position, moved, steadySince) = (Int.min, clock.now, clock.now)
    while clock.now < end, clock.now - steadySince < .milliseconds(250) {
      _ = rest.wait(until: clock.now + .milliseconds(5))
      var (available, delay) = (snd_pcm_sframes_t(0), snd_pcm_sframes_t(0))
      guard snd_pcm_avail_delay(handle, &available, &delay) == 0 else { return written }
      if written - delay > position { (position, moved) = (written - delay, clock.now) }
      if delay <= 0 || clock.now - moved > .milliseconds(50) { steadySince = clock.now }
      let result = snd_pcm_writei(
        handle, silence.baseAddress, snd_pcm_uframes_t(min(max(available, 0), format.bufferFrames)))
      if result > 0 { written += result }
    }
    return written
  }

  /// Configures the hardware parameters, as close to the request as the card supports.
  func configure(_ request: AudioRequest) throws(ALSAFailure) -> AudioFormat {
    var params: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&params), "snd_pcm_hw_params_malloc")
    defer { snd_pcm_hw_params_free(params) }
    try check(snd_pcm_hw_params_any(handle, params), "snd_pcm_hw_params_any")
    try check(
      snd_pcm_hw_params_set_access(handle, params, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
    let sampleFormat = try chooseSampleFormat(params)
    let channels = try chooseChannels(params, request.channels)
    var rate = UInt32(request.rate)
    var period = snd_pcm_uframes_t(request.period)
    var periods = UInt32(request.periods)
    var buffer = snd_pcm_uframes_t(0)
    try check(snd_pcm_hw_params_set_rate_near(handle, params, &rate, nil), "snd_pcm_hw_params_set_rate_near")
    try check(
      snd_pcm_hw_params_set_period_size_near(handle, params, &period, nil), "snd_pcm_hw_params_set_period_size_near")
    try check(snd_pcm_hw_params_set_periods_near(handle, params, &periods, nil), "snd_pcm_hw_params_set_periods_near")
    try check(snd_pcm_hw_params(handle, params), "snd_pcm_hw_params")
    try check(snd_pcm_hw_params_get_period_size(params, &period, nil), "snd_pcm_hw_params_get_period_size")
    try check(snd_pcm_hw_params_get_buffer_size(params, &buffer), "snd_pcm_hw_params_get_buffer_size")
    return AudioFormat(
      rate: Int(rate), channels: channels, sampleFormat: sampleFormat, periodFrames: Int(period),
      bufferFrames: Int(buffer))
  }

  /// The first supported format. 16 bits come first: they are enough for a click, and nearly every card supports them.
  private func chooseSampleFormat(_ params: OpaquePointer?) throws(ALSAFailure) -> SampleFormat {
    let choices: [(SampleFormat, snd_pcm_format_t)] = [
      (.s16, SND_PCM_FORMAT_S16_LE), (.s32, SND_PCM_FORMAT_S32_LE), (.s24, SND_PCM_FORMAT_S24_3LE),
      (.float, SND_PCM_FORMAT_FLOAT_LE),
    ]
    for (sampleFormat, format) in choices where snd_pcm_hw_params_set_format(handle, params, format) == 0 {
      return sampleFormat
    }
    throw ALSAFailure(call: "snd_pcm_hw_params_set_format", errno: EINVAL)
  }

  /// As many channels as requested, else the fewest more that the card supports, else the most fewer ones.
  private func chooseChannels(_ params: OpaquePointer?, _ requested: Int) throws(ALSAFailure) -> Int {
    let wanted = min(max(requested, 1), AudioRequest.mostChannels)
    let choices = Array(wanted...AudioRequest.mostChannels) + (1..<wanted).reversed()
    for channels in choices.map(UInt32.init)
    where snd_pcm_hw_params_set_channels(handle, params, channels) == 0 {
      return Int(channels)
    }
    throw ALSAFailure(call: "snd_pcm_hw_params_set_channels", errno: EINVAL)
  }

  /// Sets the software parameters so that a started card never stops: on an underrun it plays silence and counts frames.
  ///
  /// - Returns: whether the card's positions have `CLOCK_MONOTONIC` timestamps.
  func setFreeRunning(_ format: AudioFormat) throws(ALSAFailure) -> Bool {
    var params: OpaquePointer?
    var boundary = snd_pcm_uframes_t(0)
    try check(snd_pcm_sw_params_malloc(&params), "snd_pcm_sw_params_malloc")
    defer { snd_pcm_sw_params_free(params) }
    try check(snd_pcm_sw_params_current(handle, params), "snd_pcm_sw_params_current")
    try check(snd_pcm_sw_params_get_boundary(params, &boundary), "snd_pcm_sw_params_get_boundary")
    try check(snd_pcm_sw_params_set_start_threshold(handle, params, boundary), "snd_pcm_sw_params_set_start_threshold")
    try check(snd_pcm_sw_params_set_stop_threshold(handle, params, boundary), "snd_pcm_sw_params_set_stop_threshold")
    try check(snd_pcm_sw_params_set_silence_threshold(handle, params, 0), "snd_pcm_sw_params_set_silence_threshold")
    try check(snd_pcm_sw_params_set_silence_size(handle, params, boundary), "snd_pcm_sw_params_set_silence_size")
    try check(
      snd_pcm_sw_params_set_avail_min(handle, params, snd_pcm_uframes_t(format.periodFrames)),
      "snd_pcm_sw_params_set_avail_min")
    let hasInstants =
      snd_pcm_sw_params_set_tstamp_mode(handle, params, SND_PCM_TSTAMP_ENABLE) == 0
      && snd_pcm_sw_params_set_tstamp_type(handle, params, SND_PCM_TSTAMP_TYPE_MONOTONIC) == 0
    try check(snd_pcm_sw_params(handle, params), "snd_pcm_sw_params")
    return hasInstants
  }

  /// Fills the card's buffer with `silence`, which must be as long as the buffer, and starts the card.
  func start(_ format: AudioFormat, silence: UnsafeRawBufferPointer) throws(ALSAFailure) {
    try check(snd_pcm_prepare(handle), "snd_pcm_prepare")
    var written = 0
    while written < format.bufferFrames {
      let result = snd_pcm_writei(
        handle, silence.baseAddress! + written * format.bytesPerFrame,
        snd_pcm_uframes_t(format.bufferFrames - written))
      guard result > 0 else { throw ALSAFailure(call: "snd_pcm_writei", errno: result < 0 ? Int32(-result) : EIO) }
      written += result
    }
    try check(snd_pcm_start(handle), "snd_pcm_start")
  }
}

/// The status of a card at an instant.
package struct PCMReading {
  /// The numbers of frames are within these limits: 265 days at 48 kHz.
  private static let most = 1 << 40

  package let instant: Instant
  /// The frames between the frame now playing and the next frame to write. Negative when the card has overtaken the writer.
  package let delay: Int64
  /// The frames that can be written. More than the buffer holds when the card has overtaken the writer.
  package let available: Int
  /// Whether the card stopped after an underrun.
  package let isStopped: Bool

  /// A faulty driver may report any numbers. A negative number of frames that can be written arrives as a large one.
  package init(_ instant: Instant, delay: Int, available: UInt, isStopped: Bool = false) {
    self.instant = instant
    self.delay = Int64(min(max(delay, -PCMReading.most), PCMReading.most))
    self.available = min(max(Int(bitPattern: available), 0), PCMReading.most)
    self.isStopped = isStopped
  }
}

/// Reads a card's playback position without allocating.
final class PCMReader {
  /// Without a timestamp of the card, the mean of two clock readings is used. If they are further apart than this, the card is
  /// read again.
  private static let bracket = Nanoseconds.microseconds(200)
  private static let attempts = 3

  private let status: OpaquePointer
  /// Whether the card's positions have `CLOCK_MONOTONIC` timestamps.
  private let hasInstants: Bool
  private let clock = LinuxClock()

  init(hasInstants: Bool) throws(ALSAFailure) {
    var status: OpaquePointer?
    let result = snd_pcm_status_malloc(&status)
    guard result >= 0, let status else { throw ALSAFailure(call: "snd_pcm_status_malloc", errno: -result) }
    self.status = status
    self.hasInstants = hasInstants
  }

  deinit { snd_pcm_status_free(status) }

  func read(_ handle: OpaquePointer) throws(ALSAFailure) -> PCMReading {
    var reading = PCMReading(.zero, delay: 0, available: 0, isStopped: true)
    for _ in 0..<PCMReader.attempts {
      let before = clock.now
      let result = snd_pcm_status(handle, status)
      let after = clock.now
      if result == -EPIPE { return reading }
      try check(result, "snd_pcm_status")
      guard try isRunning() else { return reading }
      reading = PCMReading(
        stamp ?? before + (after - before) / 2, delay: snd_pcm_status_get_delay(status),
        available: snd_pcm_status_get_avail(status))
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

  /// The card's own timestamp, if it provides one.
  private var stamp: Instant? {
    guard hasInstants else { return nil }
    var time = snd_htimestamp_t()
    snd_pcm_status_get_htstamp(status, &time)
    return time.tv_sec == 0 && time.tv_nsec == 0 ? nil : Instant(time)
  }
}

/// Lets a thread sleep until a sound card has played a period, until another thread rings, or until a deadline.
///
/// Many cards update their position only at an interrupt. A thread that the interrupt wakes up reads an up-to-date position.
/// A wait allocates nothing and takes no lock.
public final class CardWait {
  private let bell: EventDescriptor
  private let entries: UnsafeMutableBufferPointer<pollfd>
  private let clock = LinuxClock()

  /// - Parameter bell: other threads ring it to wake up the thread.
  public init(_ bell: EventDescriptor) {
    self.bell = bell
    entries = .allocate(capacity: 1 + ALSAOutput.maxDescriptors)
    entries.initialize(repeating: pollfd())
    entries[0] = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
  }

  deinit { entries.deallocate() }

  /// Sleeps until the card has played a period, the bell rings or the deadline is reached. nil: no card, or no deadline.
  public func wait(for card: ALSAOutput?, until deadline: Instant?) {
    let polled = UnsafeMutableBufferPointer(rebasing: entries[1...])
    let count = card?.fillDescriptors(polled) ?? 0
    var timeout = timespec()
    if let deadline { timeout = timespec(Instant(nanoseconds: max(deadline - clock.now, .zero).count)) }
    // An interrupted wait only ends early: the caller checks the card and waits again.
    _ = withUnsafePointer(to: &timeout) {
      clinux_poll(entries.baseAddress, UInt(1 + count), deadline == nil ? nil : $0)
    }
    if entries[0].revents != 0 { bell.clear() }
    card?.processEvents(UnsafeMutableBufferPointer(rebasing: polled[..<count]))
  }
}
