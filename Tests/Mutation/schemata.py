"""Compiles all changes of all sites into a text. A change is active if the environment names its number.

Each operator is replaced by a new operator of the same precedence, so that expressions keep their structure: `a + b * c`
becomes `a ∀∀ b ∀∁ c`. `runtime` writes a file with the definitions of these operators.
"""

from sites import ARITHMETIC, ASSIGNMENT, COALESCING, COMPARISON, LOGIC, Edit

PRECEDENCE = {
    **dict.fromkeys(("+", "-", "|"), "AdditionPrecedence"),
    **dict.fromkeys(("*", "/", "%", "&"), "MultiplicationPrecedence"),
    **dict.fromkeys(("<<", ">>"), "BitwiseShiftPrecedence"),
    **dict.fromkeys(COMPARISON, "ComparisonPrecedence"),
    "&&": "LogicalConjunctionPrecedence",
    "||": "LogicalDisjunctionPrecedence",
    **dict.fromkeys(ASSIGNMENT, "AssignmentPrecedence"),
    "??": "NilCoalescingPrecedence",
}

HETEROGENEOUS = {
    "+": ["Instant, Nanoseconds, Instant", "Nanoseconds, Nanoseconds, Nanoseconds"],
    "-": ["Instant, Nanoseconds, Instant", "Instant, Instant, Nanoseconds", "Nanoseconds, Nanoseconds, Nanoseconds"],
    "*": ["Nanoseconds, Int64, Nanoseconds"],
    "/": ["Nanoseconds, Int64, Nanoseconds"],
}
"""Operands and result of operators on the core's own types."""

COMMON = """\
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of the active change; 0: none.
private let mutant: Int32 = getenv("METRONOME_MUTANT").map { atoi($0) } ?? 0

@inline(__always) func mutantIs(_ number: Int32) -> Bool { mutant == number }
func mutantNumber<T: Numeric>(_ site: Int32, _ value: T) -> T {
  mutantIs(site) ? value + 1 : mutantIs(site + 1) ? value - 1 : value
}
func mutantTruth(_ site: Int32, _ value: Bool) -> Bool { mutantIs(site) ? !value : value }
func mutantMin<T: Comparable>(_ site: Int32, _ a: T, _ b: T) -> T {
  mutantIs(site) ? max(a, b) : mutantIs(site + 1) ? a : mutantIs(site + 2) ? b : min(a, b)
}
func mutantMax<T: Comparable>(_ site: Int32, _ a: T, _ b: T) -> T {
  mutantIs(site) ? min(a, b) : mutantIs(site + 1) ? a : mutantIs(site + 2) ? b : max(a, b)
}
/// A condition with two changes: always true, and always false.
func mutantCondition(_ site: Int32, _ value: @autoclosure () throws -> Bool) rethrows -> Bool {
  mutantIs(site) ? true : mutantIs(site + 1) ? false : try value()
}
/// The condition of a loop, with one change: always false.
func mutantLoop(_ site: Int32, _ value: @autoclosure () throws -> Bool) rethrows -> Bool {
  mutantIs(site) ? false : try value()
}
"""


def operator_name(number):
    """Two characters of the block of mathematical operators."""
    return chr(0x2200 + number // 256) + chr(0x2200 + number % 256)


def edits(site, number):
    """The edits that make a site select its active change. `number` is the site's number, which names its operator."""
    first = site.first
    if site.kind == "binary":
        return [Edit(site.start, site.end, operator_name(number))]
    if site.kind == "not":
        return [Edit(site.start, site.end, operator_name(number))]
    if site.kind == "number":
        return [Edit(site.start, site.end, f"mutantNumber({first}, {site.original})")]
    if site.kind == "truth":
        return [Edit(site.start, site.end, f"mutantTruth({first}, {site.original})")]
    if site.kind == "extreme":
        name = "mutantMin" if site.original == "min" else "mutantMax"
        return [Edit(site.start, site.end, f"{name}({first}, ")]
    if site.kind == "condition":
        name = "mutantLoop" if len(site.changes) == 1 else "mutantCondition"
        return [Edit(site.start, site.start, f"{name}({first}, "), Edit(site.end, site.end, ")")]
    return [Edit(site.start, site.start, f"if !mutantIs({first}) {{ "), Edit(site.end, site.end, " }")]


def instrumented(text, numbered):
    """The text with the edits of these (number, site) pairs. Line numbers stay the same."""
    changes = []
    for order, (number, site) in enumerate(numbered):
        for edit in edits(site, number):
            # At the same position, closing edits come first, from the inner to the outer site; then opening edits, from the outer
            # to the inner site.
            closes = edit.start == edit.end and edit.text in (")", " }")
            changes.append(((edit.start, 0 if closes else 1, -order if closes else order), edit))
    pieces, place = [], 0
    for _, edit in sorted(changes, key=lambda change: change[0]):
        pieces += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join(pieces) + text[place:]


def chosen(site, expressions):
    """An expression that selects the site's original expression, or one of its changes."""
    choice = expressions[-1]
    for index, expression in reversed(list(enumerate(expressions[:-1]))):
        choice = f"mutantIs({site.first + index}) ? {expression} : {choice}"
    return choice


def operator(site, number):
    """The declarations of the operator that replaces a site's operator."""
    name, old = operator_name(number), site.original
    if site.kind == "not":
        return [f"prefix operator {name}", f"prefix func {name} (a: Bool) -> Bool {{ mutantIs({site.first}) ? a : !a }}"]
    lines = [f"infix operator {name}: {PRECEDENCE[old]}"]
    if old in COALESCING:
        for result in ("T", "T?"):
            lines.append(
                f"func {name} <T>(a: T?, b: @autoclosure () -> {result}) -> {result} "
                f"{{ mutantIs({site.first}) ? b() : a ?? b() }}")
        return lines
    if old in LOGIC:
        return lines + [f"func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool "
                        f"{{ if mutantIs({site.first}) {{ {logic(site.changes[0])} }} else {{ {logic(old)} }} }}"]
    if old in ASSIGNMENT:
        return lines + [
            f"func {name} <T: AdditiveArithmetic>(a: inout T, b: T) "
            f"{{ if mutantIs({site.first}) {{ a {site.changes[0]} b }} else {{ a {old} b }} }}"]
    body = chosen(site, [f"a {change} b" for change in site.changes] + [f"a {old} b"])
    if old in COMPARISON:
        protocol = "Equatable" if old in ("==", "!=") else "Comparable"
        lines.append(f"func {name} <T: {protocol}>(a: T, b: T) -> Bool {{ {body} }}")
        if protocol == "Equatable":
            lines.append(f"func {name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool {{ {body} }}")
        return lines
    if old in ("<<", ">>"):
        return lines + [f"func {name} <T: FixedWidthInteger, U: BinaryInteger>(a: T, b: U) -> T {{ {body} }}"]
    if old in ("&", "|", "%"):
        return lines + [f"func {name} <T: BinaryInteger>(a: T, b: T) -> T {{ {body} }}"]
    if old in ("+", "-"):
        lines.append(f"func {name} <T: AdditiveArithmetic>(a: T, b: T) -> T {{ {body} }}")
    else:
        lines.append(f"func {name} <T: BinaryInteger>(a: T, b: T) -> T {{ {body} }}")
        lines.append(f"func {name} <T: FloatingPoint>(a: T, b: T) -> T {{ {body} }}")
    for types in HETEROGENEOUS.get(old, []):
        left, right, result = types.split(", ")
        # Two instants have no `+`, so their sum is computed from their nanoseconds.
        changed = body
        if types == "Instant, Instant, Nanoseconds":
            changed = chosen(site, ["Nanoseconds(a.nanoseconds + b.nanoseconds)", "a - b"])
        lines.append(f"func {name} (a: {left}, b: {right}) -> {result} {{ {changed} }}")
    return lines


def logic(operator):
    return "guard a else { return false }; return try b()" if operator == "&&" else "if a { return true }; return try b()"


def runtime(numbered):
    """The file with the declarations of all operators."""
    lines = [COMMON]
    for number, site in numbered:
        if site.kind in ("binary", "not"):
            lines += operator(site, number)
    return "\n".join(lines) + "\n"
