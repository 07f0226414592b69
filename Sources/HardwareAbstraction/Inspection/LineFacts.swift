/// What was seen of a line that something is wired to.
public struct LineFacts: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    case input
    case output
  }

  /// A button's contact, looked at for a moment.
  public enum Contact: Hashable, Sendable {
    case open
    case pressed
    /// The kernel did not hand the line out.
    case unknown(errno: Int32)
  }

  /// What hangs on it, by the name that the configuration gives it.
  public var role: String
  public var isButton: Bool
  /// As configured.
  public var id: LineID
  public var active: Polarity
  /// nil if the chip has no such line; all that follows is then unknown.
  public var offset: Int?
  /// As the chip calls it; nil if it has no name.
  public var name: String?
  /// Who holds it; nil if nobody does, empty if the kernel does not say.
  public var holder: String?
  public var direction: Direction?
  /// nil for an output, and for a line that is held: those are not asked for.
  public var contact: Contact?

  public init(
    role: String, isButton: Bool, id: LineID, active: Polarity, offset: Int? = nil, name: String? = nil,
    holder: String? = nil, direction: Direction? = nil, contact: Contact? = nil
  ) {
    self.role = role
    self.isButton = isButton
    self.id = id
    self.active = active
    self.offset = offset
    self.name = name
    self.holder = holder
    self.direction = direction
    self.contact = contact
  }
}
