import HardwareAbstraction
import MetronomeCore

/// Mixes clicks into frames, period by period, with sub-frame precision. Used on the audio thread; allocates only in `init`.
package final class ClickMixer {
  /// A click between two frames begins this many frames before its onset. So it must be started if its onset is at most this
  /// many frames beyond the next period's end.
  package static let leadIn = FractionalDelay.leadIn
  /// The gain of a click: leaves 2.5 dB below full scale for overlapping clicks.
  package static let headroom: Float = 0.75
  /// How many clicks may sound before the oldest fades out; more if a period is long.
  ///
  /// A built-in click lasts at most 80 ms. Of thirty-second notes at 300 BPM, four overlap in each voice: sixteen in the four voices
  /// of a rhythm. Of those at 999 BPM, eleven overlap in one voice.
  private static let voices = 16
  /// How many spoken numbers may sound, in addition to the clicks. They overlap only if beats follow each other in less than
  /// the time from a word's beginning to its onset, which is at most 300 ms: five times a beat at 999 BPM.
  package static let words = 8
  /// The shortest time between clicks, in seconds: thirty-second notes at 999 BPM.
  private static let shortestBeat = 0.0075
  /// The fade-out on a stop, in seconds: too short to be heard as sound, long enough to avoid an audible click.
  private static let fadeOut = 0.002

  private struct Sounding {
    /// nil: the voice is free.
    var samples: ReadableSamples?
    /// The frame of the click at the period's first frame; negative if it starts later.
    var position: Int
    var isDelayed: Bool
    var source = ClickRoutes.Source.weak
    /// The frames until the end of the fade-out, which may begin later; nil without a fade-out.
    var fading: Int?
    /// The sample of a spoken number that sounds on the beat; nil: a click.
    var onset: Int?
    /// Whether its samples are from before a change of sounds.
    var isOutgoing = false
  }

  let format: AudioFormat
  /// How many clicks may sound, or start later in the period.
  private let voices: Int
  /// Places for clicks: ``voices``, and as many that fade out; and for ``words``.
  private let places: Int
  /// Retains the samples being played. Only the thread that owns the mixer uses it, never the audio thread.
  var bank: ClickBank
  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) private var samples: ReadableBank
  /// Whether clicks may still sound that began before the last change of ``samples``.
  @exclusivity(unchecked) private(set) var isChanging = false
  @exclusivity(unchecked) private var mix: MixedPeriod
  /// The buffer of a fading click, before it is mixed.
  private let fader: UnsafeMutablePointer<Float>
  private let fadeCurve: UnsafeMutableBufferPointer<Float>
  /// The interpolation kernels of the clicks, one row per place.
  private let kernels: UnsafeMutablePointer<Float>
  private let sounding: UnsafeMutableBufferPointer<Sounding>
  @exclusivity(unchecked) private var soundingCount = 0
  @exclusivity(unchecked) private var isSilent = true
  @exclusivity(unchecked) private var volume: GainRamp

  package init(format: AudioFormat, sounds: ClickSounds) {
    self.format = format
    // In a long period many clicks start later while others sound.
    let perPeriod = Int(Double(format.periodFrames) / Double(format.rate) / ClickMixer.shortestBeat)
    voices = ClickMixer.voices + 2 * perPeriod
    places = 2 * voices + ClickMixer.words
    bank = ClickBank(sounds, format: format)
    samples = bank.readable
    mix = MixedPeriod(format: format, samples, isStereo: samples.isStereo)
    volume = GainRamp(rate: format.rate)
    fader = .allocate(capacity: format.periodFrames)
    fader.initialize(repeating: 0, count: format.periodFrames)
    fadeCurve = ClickMixer.fadeCurve(rate: format.rate)
    kernels = .allocate(capacity: places * FractionalDelay.taps)
    kernels.initialize(repeating: 0, count: places * FractionalDelay.taps)
    // The first computation initializes a lazy static property, which must not happen on the audio thread.
    FractionalDelay.compute(fraction: 0.5, into: kernels)
    sounding = .allocate(capacity: places)
    sounding.initialize(repeating: Sounding(samples: nil, position: 0, isDelayed: false, fading: nil))
  }

  deinit {
    fader.deallocate()
    fadeCurve.deallocate()
    kernels.deallocate()
    sounding.deallocate()
  }

  /// Uses other samples for new clicks. Clicks that have begun keep their samples. No other change may be in progress. The bank
  /// must be for ``format``, and its owner must retain it.
  func begin(with samples: ReadableBank) {
    precondition(!isChanging, "the previous change of sounds is not complete")
    isChanging = true
    self.samples = samples
    for place in 0..<places where sounding[place].samples != nil { sounding[place].isOutgoing = true }
    mix.use(samples, isStereo: mix.isStereo || samples.isStereo)
  }

  /// Ends a change once the last click with the old samples has ended; returns whether it has.
  func endChange() -> Bool {
    for place in 0..<places where sounding[place].samples != nil && sounding[place].isOutgoing { return false }
    isChanging = false
    mix.use(samples, isStereo: samples.isStereo)
    return true
  }

  /// Starts a click at the gain of its level. If the click begins before the next period, its beginning is cut off.
  ///
  /// `offset` is the click's frame, counted from the first frame of the next period: from -``leadIn`` to ``leadIn`` beyond the
  /// period's end. `fraction` is the additional delay in frames, from 0 to below 1. At 0 the samples are unchanged, apart from
  /// the gain. The level must not be a rest. `gain` is multiplied by the gain of the level. `set` is what ``Voice/Sound/click``
  /// plays, unless a recording, or another sound of the level or the beat, wins over it. `beat` is counted from 1 in the bar; 0: none.
  package func start(
    _ level: Level, of sound: Voice.Sound = .click, set: Voice.Sound = .click, beat: Int = 0, gain: Float = 1,
    source: ClickRoutes.Source? = nil, atFrame offset: Int, fraction: Double
  ) {
    var samples = samples.samples(level, sound, set: set, beat: beat)
    samples.gain *= gain
    begin(samples, source ?? ClickRoutes.Source(level), at: freePlace(), from: offset, fraction: fraction)
  }

  /// How many frames before a beat a word may begin; nil without a spoken count.
  var longestOnset: Int? { samples.words.longestOnset }

  func speaks(_ beat: Beat) -> Bool {
    samples.words.speakAlways || beat.isSpoken || (samples.words.speakInCountIn && beat.isCountedIn)
  }

  var speaksSubdivisions: Bool { samples.words.speakSubdivisions }

  /// Starts the word for one of ``SpokenNumber/places``, in the order of their onsets, so that its onset is in a frame, which is counted as in ``start(_:of:atFrame:fraction:)`` and
  /// may be later. Returns false, and starts nothing, if there is no word, if it should have begun more than 1 ms ago, or if
  /// ``words`` are sounding.
  ///
  /// The previous word fades out when this one begins, but not before the middle between the two onsets, so that every number
  /// is heard.
  package func say(
    _ number: Int, at level: Level, source: ClickRoutes.Source = .words, onsetAtFrame offset: Int, fraction: Double
  ) -> Bool {
    guard let word = samples.words[number] else { return false }
    let start = offset - word.onset
    guard start >= -format.rate / 1_000, let place = freePlaceForWord() else { return false }
    for other in 0..<places {
      let previous = sounding[other]
      guard previous.samples != nil, previous.fading == nil, let onset = previous.onset else { continue }
      let middle = (onset + (previous.isDelayed ? ClickMixer.leadIn : 0) - previous.position + offset) / 2
      sounding[other].fading = max(0, start, middle) + fadeCurve.count
    }
    var samples = word.samples
    if level == .ghost { samples.gain = ClickSounds.ghostGain }
    begin(samples, source, at: place, from: start, fraction: fraction)
    sounding[place].onset = word.onset
    return true
  }

  private func begin(
    _ samples: ReadableSamples, _ source: ClickRoutes.Source, at place: Int, from offset: Int, fraction: Double
  ) {
    let isDelayed = fraction > 0
    if isDelayed {
      let kernel = kernel(of: place)
      FractionalDelay.compute(fraction: fraction, into: kernel)
      for tap in 0..<FractionalDelay.taps { kernel[tap] *= samples.gain }
    }
    sounding[place] = Sounding(
      samples: samples, position: (isDelayed ? ClickMixer.leadIn : 0) - offset, isDelayed: isDelayed, source: source,
      fading: nil)
    soundingCount += 1
  }

  /// Fades out sounding clicks from the next period on, and drops clicks that have not begun.
  package func stop() { for place in 0..<places where sounding[place].samples != nil { end(place) } }

  package func silence() {
    for place in 0..<places { sounding[place].samples = nil }
    soundingCount = 0
  }

  /// Changes the factor of the mixed samples, from the next period on: with a ramp if a click sounds, otherwise at once.
  package func change(gain: Float) {
    volume.change(to: gain)
    if soundingCount == 0 { volume.finish() }
  }

  /// The next period's frames, valid until the next call.
  package func nextPeriod() -> UnsafeRawBufferPointer {
    guard soundingCount > 0 else {
      if !isSilent { mix.eraseFrames() }
      isSilent = true
      return mix.frames
    }
    mix.clear()
    for place in 0..<places { mixClick(at: place) }
    mix.store(volume)
    volume.advance(by: format.periodFrames)
    isSilent = false
    return mix.frames
  }

  private func mixClick(at place: Int) {
    let click = sounding[place]
    guard let samples = click.samples else { return }
    let length = samples.count + (click.isDelayed ? FractionalDelay.taps - 1 : 0)
    let count = format.periodFrames
    let begin = max(0, -click.position)
    let end = min(count, length - click.position, click.fading ?? count)
    if begin < end {
      for plane in 0..<mix.lanes.count {
        let lane = mix.lanes[plane]
        let factor = lane.factors[click.source.rawValue]
        if factor == 0 { continue }
        let target = mix.plane(plane)
        if lane.left != 0 {
          mixClick(click, samples.left, lane.left * factor, begin..<end, kernel(of: place), to: target)
        }
        if lane.right != 0 {
          mixClick(click, samples.right, lane.right * factor, begin..<end, kernel(of: place), to: target)
        }
      }
    }
    sounding[place].position += count
    sounding[place].fading = click.fading.map { $0 - count }
    if click.position + count >= length || (click.fading ?? .max) <= count { remove(place) }
  }

  /// Mixes a channel of a click, times a factor, into the `frames` of a plane.
  private func mixClick(
    _ click: Sounding, _ samples: UnsafePointer<Float>, _ factor: Float, _ frames: Range<Int>,
    _ kernel: UnsafePointer<Float>, to plane: UnsafeMutablePointer<Float>
  ) {
    let count = frames.count
    let source = samples + click.position + frames.lowerBound
    let target = plane + frames.lowerBound
    let kernel = click.isDelayed ? kernel : nil
    // The kernel contains the gain of the click.
    let gain = kernel == nil ? factor * (click.samples?.gain ?? 1) : factor
    guard let fading = click.fading else {
      add(source, gain, kernel, count, to: target)
      return
    }
    fader.update(repeating: 0, count: count)
    add(source, gain, kernel, count, to: fader)
    // Negative before the fade-out begins.
    let place = fadeCurve.count - fading + frames.lowerBound
    let unfaded = min(count, max(0, -place))
    for frame in 0..<unfaded { target[frame] += fader[frame] }
    for frame in unfaded..<count { target[frame] += fader[frame] * fadeCurve[place + frame] }
  }

  /// Adds samples times a gain, and delayed by a kernel, if there is one. A gain of 1 changes no bit of a sample. The taps are the
  /// outer loop, so that the inner loop is vectorized.
  private func add(
    _ source: UnsafePointer<Float>, _ gain: Float, _ kernel: UnsafePointer<Float>?, _ count: Int,
    to target: UnsafeMutablePointer<Float>
  ) {
    guard let kernel else {
      for frame in 0..<count { target[frame] += gain * source[frame] }
      return
    }
    for tap in 0..<FractionalDelay.taps {
      let weight = kernel[tap] * gain
      let delayed = source - tap
      for frame in 0..<count { target[frame] += weight * delayed[frame] }
    }
  }

  private func kernel(of place: Int) -> UnsafeMutablePointer<Float> { kernels + place * FractionalDelay.taps }

  /// A place for one more click. With too many clicks the oldest fades out, so it ends without a pop. Only if more clicks than
  /// there are ``voices`` start within one fade-out does the oldest fading one end at once.
  private func freePlace() -> Int {
    let clicks = sounding.count { $0.samples != nil && $0.fading == nil && $0.onset == nil }
    if clicks >= voices { end(oldest(fading: false)) }
    if let place = (0..<places).first(where: { sounding[$0].samples == nil }) { return place }
    let place = oldest(fading: true)
    remove(place)
    return place
  }

  /// nil if as many words are sounding as may sound. A word that fades out needs its place no longer than 2 ms.
  private func freePlaceForWord() -> Int? {
    guard sounding.count(where: { $0.samples != nil && $0.onset != nil }) < ClickMixer.words else { return nil }
    return (0..<places).first { sounding[$0].samples == nil }
  }

  /// The place of the click that begins first; there must be one. Words keep their places.
  private func oldest(fading: Bool) -> Int {
    var oldest = 0
    var position = Int.min
    for place in 0..<places {
      let click = sounding[place]
      guard click.samples != nil, click.onset == nil, (click.fading != nil) == fading, click.position > position else {
        continue
      }
      (oldest, position) = (place, click.position)
    }
    return oldest
  }

  /// Fades a click out, or removes it if it has not begun.
  private func end(_ place: Int) {
    if sounding[place].position <= 0 {
      remove(place)
    } else {
      sounding[place].fading = min(sounding[place].fading ?? .max, fadeCurve.count)
    }
  }

  /// Removes the clicks of which only frames before the onset were mixed.
  func removeLeadIns() {
    for place in 0..<places where sounding[place].samples != nil && sounding[place].onset == nil {
      if sounding[place].position <= (sounding[place].isDelayed ? ClickMixer.leadIn : 0) { remove(place) }
    }
  }

  private func remove(_ place: Int) {
    sounding[place].samples = nil
    soundingCount -= 1
  }

  /// A curve from 1 to 0, with zero slope at both ends.
  private static func fadeCurve(rate: Int) -> UnsafeMutableBufferPointer<Float> {
    let curve = UnsafeMutableBufferPointer<Float>.allocate(capacity: Int(fadeOut * Double(rate)))
    for frame in curve.indices {
      let part = Float(frame + 1) / Float(curve.count + 1)
      curve.initializeElement(at: frame, to: 1 - part * part * (3 - 2 * part))
    }
    return curve
  }
}
