/// The valid positions in a text: lines from 1, and columns from 1 counted in Unicode scalars, as in editors.
struct TextPlaces {
  /// The number of scalars in each line.
  private var lengths = [0]

  /// - Parameter bytes: each invalid UTF-8 sequence counts as one character or more.
  init(_ bytes: [UInt8]) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    var afterReturn = false
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      defer { afterReturn = scalar == "\r" }
      if afterReturn, scalar == "\n" { continue }
      if scalar == "\n" || scalar == "\r" { lengths.append(0) } else { lengths[lengths.count - 1] += 1 }
    }
  }

  /// Whether a position is that of a character or of the end of a line.
  func contains(line: Int, column: Int) -> Bool {
    (1...lengths.count).contains(line) && (1...lengths[line - 1] + 1).contains(column)
  }
}
