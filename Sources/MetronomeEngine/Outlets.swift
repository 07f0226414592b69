import MetronomeCore

/// Where the control loop leaves what the outputs are to do, and where it learns how long they need.
struct Outlets {
  /// The beats.
  let timeline: TimelinePublication
  /// What is told by light and buzzer beside the beats.
  let signals: Publication<Signal>
  /// Which outputs keep quiet.
  let plan: OutputPlan
  /// How long after a press its effect falls.
  let lead: SharedLead
}
