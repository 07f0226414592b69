"""Finds the places in a file that can be changed, and their changes.

A site is a place and its changes. The instrumented text (schemata.py) contains all changes; the active one is selected when
the tests run.
"""

from dataclasses import dataclass, field

from tokens import tokens

ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"]}
COMPARISON = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
LOGIC = {"&&": ["||"], "||": ["&&"]}
ASSIGNMENT = {"+=": ["-="], "-=": ["+="]}
COALESCING = {"??": ["the right side alone"]}
BINARY = {**ARITHMETIC, **COMPARISON, **LOGIC, **ASSIGNMENT, **COALESCING}

DECLARATIONS = {
    "import", "let", "var", "func", "init", "deinit", "subscript", "struct", "enum", "class", "protocol", "extension", "typealias",
    "case", "default", "static", "private", "fileprivate", "internal", "package", "public", "mutating", "nonmutating", "lazy",
    "override", "final", "indirect", "associatedtype", "operator", "precedencegroup", "get", "set", "switch", "if", "guard", "for",
    "while", "repeat", "do", "catch", "return", "throw", "break", "continue", "fallthrough", "defer", "else", "precondition",
    "preconditionFailure", "fatalError", "assert", "try", "unsafe", "where", "in", "is", "as", "nil", "true", "false",
}
"""A statement that begins with one of these words is not left out."""


@dataclass
class Edit:
    """A replacement of a range of the text."""

    start: int
    end: int
    text: str


@dataclass
class Site:
    kind: str
    """binary, not, number, truth, extreme, condition or statement."""
    line: int
    start: int
    end: int
    original: str
    changes: list
    ordinal: int = 1
    """Its number among the sites with the same original and kind on its line, from 1."""
    first: int = 0
    """The number of its first change; its other changes have the next numbers."""
    extra: dict = field(default_factory=dict)


def skipped_ranges(found):
    """Indices of tokens that are not changed: preconditions, patterns, declarations of operators and imports."""
    skipped = set()
    for index, token in enumerate(found):
        if token.text in ("precondition", "preconditionFailure", "fatalError", "assert"):
            depth = token.depth
            end = index + 1
            while end < len(found) and not (found[end].text == ")" and found[end].depth == depth):
                end += 1
            skipped.update(range(index, end + 1))
        elif token.text == "case":
            end, level = index + 1, 0
            while end < len(found) and not (found[end].text in (":", "where", "=") and found[end].depth == token.depth):
                if found[end].first and found[end].depth == token.depth and found[end - 1].text != ",":
                    break
                end += 1
            skipped.update(range(index, end))
        elif token.text == "func" and found[index + 1].kind == "operator":
            skipped.add(index + 1)
        elif token.text == "import" or token.text == "@":
            skipped.update((index, index + 1))
    return skipped


def binary_sites(found, skipped):
    for index, token in enumerate(found):
        if index in skipped or token.kind != "operator" or token.text not in BINARY:
            continue
        if token.text == "&" and found[index - 1].text[0].isupper() and found[index + 1].text[0].isupper():
            continue  # a composition of two protocols
        if token.after_space and token.before_space and index and found[index - 1].text not in ("(", ",", "="):
            yield Site("binary", token.line, token.start, token.end, token.text, BINARY[token.text])


def not_sites(found, skipped):
    for index, token in enumerate(found):
        if index not in skipped and token.kind == "operator" and token.text == "!" and not token.before_space:
            if token.after_space or found[index - 1].text in "([{,":
                yield Site("not", token.line, token.start, token.end, "!", ["nothing"])


def number_sites(found, skipped):
    for index, token in enumerate(found):
        if index in skipped or token.kind != "number" or "." in token.text or found[index - 1].text == ".":
            continue
        yield Site("number", token.line, token.start, token.end, token.text, [token.text + " + 1", token.text + " - 1"])


def truth_sites(found, skipped):
    for index, token in enumerate(found):
        if index not in skipped and token.text in ("true", "false"):
            other = "false" if token.text == "true" else "true"
            yield Site("truth", token.line, token.start, token.end, token.text, [other])


def extreme_sites(found, skipped):
    for index, token in enumerate(found):
        if index in skipped or token.text not in ("min", "max") or found[index + 1].text != "(":
            continue
        if found[index - 1].text in (".", "func") or found[index + 1].after_space:
            continue
        other = "max" if token.text == "min" else "min"
        changes = [other, "the first alone", "the second alone"]
        yield Site("extreme", token.line, token.start, found[index + 1].end, token.text, changes)


def condition_sites(found, skipped, text):
    """Each Boolean condition of an if, a guard or a while."""
    for index, token in enumerate(found):
        if token.text not in ("if", "guard", "while") or index in skipped:
            continue
        start, braces = index + 1, 0
        place = start
        while place < len(found):
            now = found[place]
            at_top = now.depth == token.depth and braces == 0
            ends = at_top and (now.text == "else" if token.text == "guard" else now.text == "{")
            if ends or (at_top and now.text == ","):
                first, last = found[start], found[place - 1]
                if first.text not in ("let", "var", "case", "#") and start not in skipped:
                    changes = ["false"] if token.text == "while" else ["true", "false"]
                    yield Site(
                        "condition", first.line, first.start, last.end, " ".join(text[first.start : last.end].split()), changes)
                start = place + 1
            if ends:
                break
            braces += {"{": 1, "}": -1}.get(now.text, 0)
            place += 1


def statement_sites(found, skipped, text):
    """Each statement that is an assignment or a call, except in initialisers."""
    skipped = skipped | initialisers(found)
    for index, token in enumerate(found):
        if token.depth or index in skipped or not index or token.text in DECLARATIONS:
            continue
        if token.kind != "word" and token.text != "(":
            continue
        before = found[index - 1]
        if token.first:
            if before.kind == "operator" or before.text in (",", "(", "[", ".", "="):
                continue
        elif not (before.text == "{" and opens_block(found, index - 1)):
            continue
        end = statement_end(found, index)
        body = found[index : end + 1]
        assigns = any(t.kind == "operator" and t.depth == 0 and t.text in ("=", "+=", "-=") for t in body)
        calls = token.kind == "word" and body[-1].text == ")"
        if assigns or calls:
            shown = " ".join(text[token.start : body[-1].end].split())
            yield Site("statement", token.line, token.start, body[-1].end, shown, ["left out"])


def initialisers(found):
    """Indices of the tokens in bodies of initialisers, which must set all properties."""
    inside = set()
    for index, token in enumerate(found):
        if token.text != "init" or found[index - 1].text in (".", "func"):
            continue
        place = index
        while found[place].text != "{":
            place += 1
        level, start = 1, place
        while level:
            place += 1
            level += {"{": 1, "}": -1}.get(found[place].text, 0)
        inside.update(range(start, place))
    return inside


def opens_block(found, brace):
    """Whether a brace on the same line as its keyword opens a block of statements."""
    line = found[brace].line
    words = [t.text for t in found[max(0, brace - 60) : brace] if t.line == line]
    return bool(words) and words[0] in ("defer", "for", "while", "if", "guard", "}")


def statement_end(found, start):
    end = start
    while end + 1 < len(found):
        after = found[end + 1]
        if after.text == "}" and after.depth == 0:
            break
        if after.first and after.depth == 0 and after.kind not in ("operator",) and after.text not in (".", ")", "]"):
            if found[end].kind != "operator":
                break
        if after.text == "{":
            level, end = 1, end + 2
            while level:
                level += {"{": 1, "}": -1}.get(found[end].text, 0)
                end += 1
            end -= 1
            continue
        end += 1
    return end


def sites(text):
    """All sites of a file, in order."""
    found = tokens(text)
    skipped = skipped_ranges(found)
    every = [
        *binary_sites(found, skipped), *not_sites(found, skipped), *number_sites(found, skipped), *truth_sites(found, skipped),
        *extreme_sites(found, skipped), *condition_sites(found, skipped, text), *statement_sites(found, skipped, text),
    ]
    every.sort(key=lambda site: (site.start, -site.end))
    counts = {}
    for site in every:
        key = (site.line, site.kind, site.original)
        counts[key] = site.ordinal = counts.get(key, 0) + 1
    return every
