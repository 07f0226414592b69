"""The mutation's own trial: each kind of place is found, what is no place is not, and lines stay where they are."""

import unittest

import schemata
from sites import sites
from tokens import tokens

CODE = '''\
/// Not a - b in a comment.
struct Bar: Hashable & Sendable {
  var count = 12
  init(count: Int) { self.count = count }
  mutating func next(_ step: Int, _ isLast: Bool) -> Int {
    precondition(step > 0, "not \\(step - 1) here")
    guard step < count, !isLast else { return count / 2 }
    switch (isLast, step) {
    case (true, 3): count += step
    default:
      count = min(step, count)
    }
    return isLast ? -1 : step * 2
  }
}
'''


def found(kind):
    return [(site.line + 1, site.original) for site in sites(CODE) if site.kind == kind]


class SitesTest(unittest.TestCase):
    def test_operators(self):
        self.assertEqual(found("binary"), [(7, "<"), (7, "/"), (9, "+="), (13, "*")])
        self.assertEqual(found("not"), [(7, "!")])

    def test_numbers_but_those_of_patterns(self):
        self.assertEqual(found("number"), [(3, "12"), (7, "2"), (13, "1"), (13, "2")])

    def test_conditions(self):
        self.assertEqual(found("condition"), [(7, "step < count"), (7, "!isLast")])

    def test_statements_but_those_of_initialisers(self):
        self.assertEqual(found("statement"), [(11, "count = min(step, count)")])

    def test_extremes(self):
        self.assertEqual(found("extreme"), [(11, "min")])

    def test_each_change_has_a_number_and_each_line_its_place(self):
        first, numbered = 1, []
        for number, site in enumerate(sites(CODE)):
            site.first = first
            first += len(site.changes)
            numbered.append((number, site))
        text = schemata.instrumented(CODE, numbered)
        self.assertEqual(text.count("\n"), CODE.count("\n"))
        self.assertIn('precondition(step > 0, "not \\(step - 1) here")', text)
        self.assertIn("mutantMin(", text)
        for number, site in numbered:
            if site.kind == "binary":
                self.assertEqual(text.count(schemata.operator_name(number)), 1)

    def test_strings_within_strings(self):
        words = [token.text for token in tokens('a("x \\(b ? "+" : "-") y", c)')]
        self.assertEqual(words, ["a", "(", '"x \\(b ? "+" : "-") y"', ",", "c", ")"])


if __name__ == "__main__":
    unittest.main()
