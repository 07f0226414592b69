import HardwareAbstraction
import MetronomeCore

/// Lays clicks into a stream of frames, one period at a time, each at its exact place between two frames.
///
/// Used by the audio thread: everything is allocated at the start, and silence costs nothing but the writing of it.
package final class ClickMixer {
  /// How many frames before its onset's frame a click between two frames begins. A click is thus to be started while its
  /// onset lies up to so many frames beyond the next period's end.
  package static let leadIn = FractionalDelay.leadIn
  /// What a click's samples are multiplied by: 2.5 dB of room below full scale for clicks that overlap.
  package static let headroom: Float = 0.75
  /// How many clicks may sound at once, if no period is long; of more the oldest fades out. At the fastest five of the own
  /// voices overlap.
  private static let voices = 8
  /// At the fastest, 999 BPM in thirty-seconds, a click follows another after so many seconds.
  private static let shortestBeat = 0.0075
  /// How long the sound takes to die away on a stop, in seconds: too short to be heard as sound, too long for a crack.
  private static let fadeOut = 0.002

  private struct Sounding {
    /// nil: the place is free.
    var samples: ReadableSamples?
    /// The frame of the click as it is to be mixed that falls on the period's first; negative when it starts later.
    var position: Int
    var isDelayed: Bool
    /// Frames left until a fade-out has ended; nil when none is under way.
    var fading: Int?
    /// Counts the clicks, so that the oldest is known.
    var number: Int64
    /// Whether its samples are those of before a change.
    var isOutgoing = false
  }

  let format: AudioFormat
  /// How many clicks may sound, or wait for their place in the period.
  private let voices: Int
  /// Places for clicks: those, and as many that fade out.
  private let places: Int
  /// Keeps the samples alive that are played. Only the thread that owns the mixer uses it, never the one that plays.
  var bank: ClickBank
  private var samples: ReadableBank
  /// Whether clicks may still ring that began with other samples than ``samples``.
  private(set) var isChanging = false
  private var mix: MixedPeriod
  /// A click that fades, before it is mixed.
  private let fader: UnsafeMutablePointer<Float>
  private let fadeCurve: UnsafeMutableBufferPointer<Float>
  /// The kernels of the clicks between two frames, a row for each place.
  private let kernels: UnsafeMutablePointer<Float>
  private let sounding: UnsafeMutableBufferPointer<Sounding>
  private var soundingCount = 0
  private var startedCount: Int64 = 0
  private var isSilent = true

  package init(format: AudioFormat, sounds: ClickSounds) {
    self.format = format
    // In a long period many wait for their turn while others sound.
    let perPeriod = Int(Double(format.periodFrames) / Double(format.rate) / ClickMixer.shortestBeat)
    voices = max(ClickMixer.voices, 2 * perPeriod)
    places = 2 * voices
    bank = ClickBank(sounds, format: format)
    samples = bank.readable
    mix = MixedPeriod(format: format, isStereo: samples.isStereo)
    fader = .allocate(capacity: format.periodFrames)
    fader.initialize(repeating: 0, count: format.periodFrames)
    fadeCurve = ClickMixer.fadeCurve(rate: format.rate)
    kernels = .allocate(capacity: places * FractionalDelay.taps)
    kernels.initialize(repeating: 0, count: places * FractionalDelay.taps)
    // What kernels are computed from is made with the first one, which is not to be on the audio thread.
    FractionalDelay.compute(fraction: 0.5, into: kernels)
    sounding = .allocate(capacity: places)
    sounding.initialize(
      repeating: Sounding(samples: nil, position: 0, isDelayed: false, fading: nil, number: 0))
  }

  deinit {
    fader.deallocate()
    fadeCurve.deallocate()
    kernels.deallocate()
    sounding.deallocate()
  }

  /// Begins clicks with other samples from now on. What has begun ends as it began.
  ///
  /// - Precondition: no change is under way. The bank is one for ``format``, and its owner holds it.
  func begin(with samples: ReadableBank) {
    precondition(!isChanging, "other sounds are taken while those before the last ones ring")
    isChanging = true
    self.samples = samples
    for place in 0..<places where sounding[place].samples != nil { sounding[place].isOutgoing = true }
    mix.isStereo = mix.isStereo || samples.isStereo
  }

  /// Ends a change once the last click with the samples before has ended.
  ///
  /// - Returns: whether it has.
  func endChange() -> Bool {
    for place in 0..<places where sounding[place].samples != nil && sounding[place].isOutgoing { return false }
    isChanging = false
    mix.isStereo = samples.isStereo
    return true
  }

  /// Starts a click.
  ///
  /// What lies before the next period is cut off, as the beginning of a click that comes late.
  ///
  /// - Parameters:
  ///   - offset: the frame, counted from the next period's first, that the click's beginning falls on: from -``leadIn``
  ///     to ``leadIn`` beyond the period's end.
  ///   - fraction: how much later than that frame the click is, in frames, from 0 up to but not including 1. At 0 its
  ///     samples are those of the sound itself.
  package func start(_ level: Level, atFrame offset: Int, fraction: Double) {
    let place = freePlace()
    let isDelayed = fraction > 0
    if isDelayed { FractionalDelay.compute(fraction: fraction, into: kernel(of: place)) }
    sounding[place] = Sounding(
      samples: samples[level], position: (isDelayed ? ClickMixer.leadIn : 0) - offset, isDelayed: isDelayed,
      fading: nil,
      number: startedCount)
    startedCount += 1
    soundingCount += 1
  }

  /// Lets what sounds die away, from the next period on. What has not begun to sound does not.
  package func stop() {
    for place in 0..<places where sounding[place].samples != nil { end(place) }
  }

  /// Ends what sounds at once.
  package func silence() {
    for place in 0..<places { sounding[place].samples = nil }
    soundingCount = 0
  }

  /// The next period's frames. They are good until the next call.
  package func nextPeriod() -> UnsafeRawBufferPointer {
    guard soundingCount > 0 else {
      if !isSilent { mix.eraseFrames() }
      isSilent = true
      return mix.frames
    }
    mix.clear()
    for place in 0..<places { mixClick(at: place) }
    mix.store()
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
      for plane in 0..<mix.planeCount {
        mixClick(click, samples.plane(plane), begin..<end, kernel(of: place), into: mix.plane(plane))
      }
    }
    sounding[place].position += count
    sounding[place].fading = click.fading.map { $0 - count }
    if click.position + count >= length || (click.fading ?? .max) <= count { remove(place) }
  }

  /// - Parameter frames: of the period, those in which the click sounds.
  private func mixClick(
    _ click: Sounding, _ samples: UnsafePointer<Float>, _ frames: Range<Int>, _ kernel: UnsafePointer<Float>,
    into target: UnsafeMutablePointer<Float>
  ) {
    let count = frames.count
    let source = samples + click.position + frames.lowerBound
    let target = target + frames.lowerBound
    guard let fading = click.fading else {
      add(source, click.isDelayed ? kernel : nil, count, to: target)
      return
    }
    fader.update(repeating: 0, count: count)
    add(source, click.isDelayed ? kernel : nil, count, to: fader)
    let curve = fadeCurve.baseAddress! + fadeCurve.count - fading + frames.lowerBound
    for frame in 0..<count { target[frame] += fader[frame] * curve[frame] }
  }

  /// Adds samples, delayed by a kernel if there is one. Its taps are the outer loop, so that the inner one is of whole
  /// vectors.
  private func add(
    _ source: UnsafePointer<Float>, _ kernel: UnsafePointer<Float>?, _ count: Int,
    to target: UnsafeMutablePointer<Float>
  ) {
    guard let kernel else {
      for frame in 0..<count { target[frame] += source[frame] }
      return
    }
    for tap in 0..<FractionalDelay.taps {
      let weight = kernel[tap]
      let delayed = source - tap
      for frame in 0..<count { target[frame] += weight * delayed[frame] }
    }
  }

  private func kernel(of place: Int) -> UnsafeMutablePointer<Float> { kernels + place * FractionalDelay.taps }

  /// A place for one more click. The oldest of too many fades out; if even the fading ones are too many it ends.
  private func freePlace() -> Int {
    if count(fading: false) >= voices { end(oldest(fading: false)) }
    if let place = (0..<places).first(where: { sounding[$0].samples == nil }) { return place }
    let place = oldest(fading: true)
    remove(place)
    return place
  }

  private func count(fading: Bool) -> Int {
    var count = 0
    for click in sounding where click.samples != nil && (click.fading != nil) == fading { count += 1 }
    return count
  }

  /// The place of the click that was started first; there must be one.
  private func oldest(fading: Bool) -> Int {
    var oldest = 0
    var number = Int64.max
    for place in 0..<places {
      let click = sounding[place]
      guard click.samples != nil, (click.fading != nil) == fading, click.number < number else { continue }
      oldest = place
      number = click.number
    }
    return oldest
  }

  /// Lets a click fade out, or takes it away if nothing of it was heard yet.
  private func end(_ place: Int) {
    if sounding[place].position <= 0 {
      remove(place)
    } else if sounding[place].fading == nil {
      sounding[place].fading = fadeCurve.count
    }
  }

  private func remove(_ place: Int) {
    sounding[place].samples = nil
    soundingCount -= 1
  }

  /// From 1 to 0, level at both ends.
  private static func fadeCurve(rate: Int) -> UnsafeMutableBufferPointer<Float> {
    let curve = UnsafeMutableBufferPointer<Float>.allocate(capacity: Int(fadeOut * Double(rate)))
    for frame in curve.indices {
      let part = Float(frame + 1) / Float(curve.count + 1)
      curve.initializeElement(at: frame, to: 1 - part * part * (3 - 2 * part))
    }
    return curve
  }
}
