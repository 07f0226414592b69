/// The known word that an unknown one was probably meant to be, or nil if none is near.
///
/// Near means: made from it by one slip for three letters or fewer, two for up to six, three beyond. A slip is a letter
/// too many, too few, wrong, or swapped with its neighbour. Capitals count as their small letters.
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
