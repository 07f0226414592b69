import CALSA
import Glibc
import HardwareAbstraction

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
