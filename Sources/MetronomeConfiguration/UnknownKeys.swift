import HardwareAbstraction
import MetronomeCore

extension Field {
  /// The problem of a key that its section does not have. `path` is the path of the section, empty for the file itself; `known` are
  /// its keys. `names` are those of the outputs and buttons.
  func unknownKey(in path: String, _ known: [String], _ names: BoxNames = .standard) -> Problem {
    if let part = NamedPart(section: path), let problem = problem(of: part, beside: known, names) { return problem }
    let what = "unknown key \(quoted(key))" + (path.isEmpty ? "" : " in \(path)")
    var remedy = remedy(in: path, known)
    // More than four words suggest a comment whose "#" is missing. Quoted text is not counted.
    var words = key.split(separator: " ").count
    if case .scalar(let scalar) = value.content, scalar.isPlain { words += scalar.text.split(separator: " ").count }
    if words > 4 {
      remedy +=
        remedy.hasSuffix("?") ? " If this is a note, begin it with \"#\"" : "; if this is a note, begin it with \"#\""
    }
    return Problem(what, remedy: remedy, at: position)
  }

  private func remedy(in path: String, _ known: [String]) -> String {
    let all = Keys.all
    if path.isEmpty, let section = all.first(where: { $0.keys.contains { $0.name == key } }) {
      return "write it on an indented line below \(quoted(section.name))"
    }
    // A button may have the same name as a section.
    if let buttons = all.first(where: { $0.layout == .alike && $0.keys.contains { $0.name == path } }),
      buttons.keys[0].keys.contains(where: { $0.name == key })
    {
      return "it belongs under \(quoted(path)) in \(quoted(buttons.name))"
    }
    let owners = all.filter { $0.layout == .alike && $0.keys[0].keys.contains { $0.name == key } }.map(\.name)
    if owners.contains(path) { return "indent it further, below \(enumeration(known))" }
    if path.isEmpty, !owners.isEmpty { return "write it below a key of \(enumeration(owners))" }
    if !path.isEmpty, all.contains(where: { $0.name == key }) {
      return "write it on a line of its own, in the first column"
    }
    if !path.isEmpty, Int(key) != nil, case .scalar(let scalar) = value.content, scalar.isPlain, scalar.text.isEmpty {
      return "a comma separates keys in braces: write decimals with a point, and quote a value that has a comma"
    }
    if key.contains("+"), key.split(separator: "+").count == 2 { return "write pairs of buttons below \"chords\"" }
    if path == "audio", key.hasPrefix("channel") { return "write channels in a route, such as routes: [{channels: 1}]" }
    if let nearest = nearestKey(to: key, among: known) { return "did you mean \(quoted(nearest))?" }
    if let word = key.split(whereSeparator: { ": {".contains($0) }).first.map(String.init), known.contains(word) {
      if key.contains("{") { return "write \(quoted("\(word): {")), with a colon and a space" }
      return key.contains(":") ? "put a space after the colon" : "put a colon and a space after \(quoted(word))"
    }
    if let section = all.first(where: { $0.keys.contains { $0.name == key } }) {
      return "it belongs under \(quoted(section.name))"
    }
    return Field.keys(known)
  }
}

/// The known word nearest to an unknown word, or nil if no known word is near.
///
/// A known word is near if it differs by at most one slip (words of up to three letters), two slips (up to six letters) or
/// three slips (longer words). A slip is an extra, missing or wrong letter, or two swapped letters. Case is ignored.
func nearestKey(to word: String, among known: [String]) -> String? {
  let letters = Array(word.lowercased().unicodeScalars)
  guard letters.count <= 40 else { return nil }
  var best: (key: String, slips: Int)?
  for key in known {
    let slips = slips(from: letters, to: Array(key.lowercased().unicodeScalars))
    let allowed = key.utf8.count <= 3 ? 1 : key.utf8.count <= 6 ? 2 : 3
    if slips <= allowed, slips < best?.slips ?? .max { best = (key, slips) }
  }
  return best?.key
}

/// The optimal string alignment distance.
private func slips(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), min(last[j + 1], row[j]) + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
