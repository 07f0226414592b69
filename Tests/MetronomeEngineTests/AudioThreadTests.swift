import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The audio loop and the card manager while the sounds and the card change. Each runs on its own thread, as on the real board.
@Suite struct AudioThreadTests {
  /// A clock that advances with the frames written.
  private final class FrameClock: MonotonicClock, Sendable {
    let count = Atomic<Int64>(0)
    var now: Instant { Instant(nanoseconds: count.load(ordering: .relaxed) * 1_000_000_000 / 48_000) }
    var pair: ClockPair {
      let now = now
      return ClockPair(monotonic: now, raw: now)
    }
  }

  /// A card that accepts everything at once.
  private final class Card: AudioOutput {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 64, bufferFrames: 256)
    private let clock: FrameClock
    private let first: Int64

    init(_ clock: FrameClock) {
      self.clock = clock
      first = clock.count.load(ordering: .relaxed)
    }

    func status() throws(HardwareError) -> AudioStatus {
      AudioStatus(instant: clock.now, frame: clock.count.load(ordering: .relaxed) - first, delay: 0, available: 256)
    }

    func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
      clock.count.wrappingAdd(Int64(frames.count / format.bytesPerFrame), ordering: .relaxed)
      return frames.count / format.bytesPerFrame
    }
  }

  /// A port that counts openings and closings. `@unchecked Sendable`: only the thread of the card manager uses the port.
  private final class Port: AudioPort, @unchecked Sendable {
    let name = "port"
    let clock: FrameClock
    var opened = 0
    var closed = 0

    init(_ clock: FrameClock) { self.clock = clock }

    func open() throws(HardwareError) -> Card {
      opened += 1
      return Card(clock)
    }

    func resume(_ output: Card) throws(HardwareError) {}

    func close(_ output: Card) { closed += 1 }
  }

  @Test func soundsAndCardsMayChangeWhilePlaying() {
    let clock = FrameClock()
    let ports = [Port(clock), Port(clock)]
    let publication = TimelinePublication()
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 999)!, signature: .initial))
    let figures = LiveFigures()
    let audio = Audio(
      port: ports[0], clock: clock, sounds: ClickSounds(), publication: publication, plan: OutputPlan(),
      lead: SharedLead(), observer: figures, wake: Waker { _ in })
    let isOver = Atomic(false)
    onThreads(
      { while !isOver.load(ordering: .acquiring) { _ = audio.loop.step(at: clock.now) } },
      {
        for change in 1...200 {
          let frames = clock.count.load(ordering: .relaxed)
          audio.cards.use(ClickSounds(volume: Double(change % 10) / 10))
          if change.isMultiple(of: 20) {
            let port = ports[change / 20 % 2]
            let opened = port.opened
            audio.cards.use(port)
            while port.opened == opened {
              _ = audio.cards.step(at: clock.now)
              sched_yield()
            }
          }
          // Waits for more frames: a change completes only after the last old click has ended.
          while clock.count.load(ordering: .relaxed) < frames + 2_400 {
            _ = audio.cards.step(at: clock.now)
            sched_yield()
          }
        }
        isOver.store(true, ordering: .releasing)
      })
    audio.cards.end()
    for port in ports { #expect(port.opened == port.closed) }
    #expect(ports[0].opened == 6)
    #expect(ports[1].opened == 5)
    #expect(figures.now.underruns == 0)
  }
}
