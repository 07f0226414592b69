/// What a preset is called: one line that can be seen.
public struct PresetName: Hashable, Sendable, CustomStringConvertible {
  /// In bytes of UTF-8.
  public static let longest = 64

  public let description: String

  /// nil for a name that is empty, longer than ``longest``, begins or ends with a space, begins with what joins the
  /// character before it, or has a character that ends lines or is not seen.
  public init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard !text.isEmpty, text.utf8.count <= PresetName.longest, scalars.first != " ", scalars.last != " ",
      scalars.allSatisfy(PresetName.isSeen), (" " + text).first == " "
    else { return nil }
    description = text
  }

  private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .unassigned, .privateUse: false
    default: true
    }
  }
}
