/// One thing that was looked at, and what to think of it.
public struct Finding: Hashable, Sendable {
  /// What it is about, in the order in which it is told.
  public enum Area: String, Hashable, Sendable, CaseIterable {
    case configuration
    case computer
    case rights
    case lines
    case sound
    case inputs
    case state
    case service
    case trial
  }

  /// The worse the later.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// This machine has no such thing, and need not have it.
    case absent
    case right
    /// The box plays, but perhaps not as it could, or not for ever.
    case doubtful
    /// Something that was asked for does not work.
    case wrong
  }

  /// A number for programs; the text has it in words.
  public struct Figure: Hashable, Sendable {
    /// With its unit last: `drift_ppm`.
    public var name: String
    /// In thousandths.
    public var thousandths: Int

    public init(_ name: String, thousandths: Int) {
      self.name = name
      self.thousandths = thousandths
    }

    public init(_ name: String, _ value: Int) { self.init(name, thousandths: value * 1_000) }
  }

  public var area: Area
  /// What was looked at, alike from run to run: `governor`, `light`.
  public var subject: String
  public var state: State
  public var text: String
  /// The command or the change that mends it; nil where there is nothing to mend, never for what is doubtful or wrong.
  public var remedy: String?
  public var figures: [Figure]

  private init(
    _ area: Area, _ subject: String, _ state: State, _ text: String, remedy: String? = nil, figures: [Figure] = []
  ) {
    self.area = area
    self.subject = subject
    self.state = state
    self.text = text
    self.remedy = remedy
    self.figures = figures
  }

  public static func absent(_ area: Area, _ subject: String, _ text: String) -> Finding {
    Finding(area, subject, .absent, text)
  }

  public static func right(_ area: Area, _ subject: String, _ text: String, figures: [Figure] = []) -> Finding {
    Finding(area, subject, .right, text, figures: figures)
  }

  public static func doubtful(
    _ area: Area, _ subject: String, _ text: String, remedy: String, figures: [Figure] = []
  ) -> Finding {
    Finding(area, subject, .doubtful, text, remedy: remedy, figures: figures)
  }

  public static func wrong(
    _ area: Area, _ subject: String, _ text: String, remedy: String, figures: [Figure] = []
  ) -> Finding {
    Finding(area, subject, .wrong, text, remedy: remedy, figures: figures)
  }
}

/// How bad it is, all in all.
extension [Finding] {
  /// The worst state among them, at least `right`.
  public var state: Finding.State {
    for state in [Finding.State.wrong, .doubtful] where contains(where: { $0.state == state }) { return state }
    return .right
  }

  /// 0, 1 for something doubtful, 2 for something wrong.
  public var exitCode: Int32 {
    switch state {
    case .absent, .right: 0
    case .doubtful: 1
    case .wrong: 2
    }
  }

  /// How many are in a state.
  public func count(_ state: Finding.State) -> Int { filter { $0.state == state }.count }
}

extension BoardFacts {
  /// All that is to be said, in the order of the areas.
  public var findings: [Finding] {
    configurationFindings + computerFindings + clockFindings + rightsFindings + lineFindings + soundFindings
      + inputFindings + stateFindings + serviceFindings
  }
}
