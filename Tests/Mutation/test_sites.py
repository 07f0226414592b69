"""Tests of the mutation: all kinds of sites are found, nothing else is, and line numbers stay the same."""

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
    def test_operators_are_sites(self):
        self.assertEqual(found("binary"), [(7, "<"), (7, "/"), (9, "+="), (13, "*")])
        self.assertEqual(found("not"), [(7, "!")])

    def test_numbers_except_in_patterns_are_sites(self):
        self.assertEqual(found("number"), [(3, "12"), (7, "2"), (13, "1"), (13, "2")])

    def test_conditions_are_sites(self):
        self.assertEqual(found("condition"), [(7, "step < count"), (7, "!isLast")])

    def test_statements_except_in_initialisers_are_sites(self):
        self.assertEqual(found("statement"), [(11, "count = min(step, count)")])

    def test_min_and_max_are_sites(self):
        self.assertEqual(found("extreme"), [(11, "min")])

    def test_instrumented_text_keeps_its_lines(self):
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

    def test_string_with_an_interpolation_is_one_token(self):
        words = [token.text for token in tokens('a("x \\(b ? "+" : "-") y", c)')]
        self.assertEqual(words, ["a", "(", '"x \\(b ? "+" : "-") y"', ",", "c", ")"])


if __name__ == "__main__":
    unittest.main()
