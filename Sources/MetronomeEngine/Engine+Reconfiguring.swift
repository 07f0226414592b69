import HardwareAbstraction
import MetronomeCore

extension Engine {
  /// Takes over other options while it plays or not: the beat goes on, and only what differs is touched.
  ///
  /// What hands have done is done by then, as it was meant then. Tempo and signature change, as a command would change them,
  /// if the options have others than before; otherwise they stay as hands have set them. Rules, gestures, pulses and
  /// latencies hold from now on; of a button that is held nothing comes any more if gestures are others. Other sounds begin
  /// with the next click of the running stream, and of clicks none is lost and none comes twice. What concerns a
  /// beginning, ``EngineOptions/restores``, is of no effect.
  ///
  /// On the control loop's thread. Then the beat loop is to be called, and the sound keeper.
  ///
  /// - Parameters:
  ///   - old: the options in force.
  ///   - board: the same board.
  ///   - rewire: has the board wired as it is to be, and says what of it is another than before.
  public func reconfigure(
    _ options: EngineOptions, from old: EngineOptions, board: B, at now: Instant,
    rewire: () -> BoardChanges = { BoardChanges() }
  ) {
    _ = control.step(at: now)
    let changes = rewire()
    if options.latencies != old.latencies {
      control.holdCommitted(at: now)
      plan.set(options.latencies)
      lead.fit(options.latencies)
    }
    if options.pattern != old.pattern { patterns.publish(options.pattern) }
    if options.gestures != old.gestures || options.lockOut != old.lockOut {
      control.reader.rebind(to: options.gestures, lockOut: options.lockOut)
    }
    control.reader.follow(board, hasOtherButtons: changes.buttons, hasOtherInputs: changes.inputs, at: now)
    control.reconfigure(options, from: old, at: now)
    if options.sounds != old.sounds { sound.keeper.use(options.sounds) }
    if changes.sound { sound.keeper.use(board.sound) }
  }
}
