import MetronomeEngine

/// What the box is for while its loops run: to play, or to be calibrated. All of it is done by the control thread.
struct BoxTask {
  /// What the buttons lead.
  var steering: any SteeringLoop
  /// What it waits for besides buttons, signals and incidents; -1: nothing.
  var descriptor: Int32 = -1
  /// Reads what has come there.
  var read: () -> Void = {}
  /// Tells what is new after a step.
  var tell: () -> Void
  /// Whether it is done before a signal comes.
  var isOver: () -> Bool = { false }
}
