"""Splits Swift text into tokens, as far as needed to find operators, numbers and statements."""

import re
from dataclasses import dataclass

OPERATOR = set("+-*/%<>=!&|^~?")


@dataclass
class Token:
    kind: str
    """word, number, string, operator, or mark (one character of punctuation)."""
    text: str
    start: int
    line: int
    """Counted from 0."""
    depth: int
    """The number of open parentheses and brackets before the token."""
    after_space: bool
    before_space: bool = False
    first: bool = False
    """Whether the token is the first of its line."""

    @property
    def end(self):
        return self.start + len(self.text)


def string_end(text, start):
    """The end of a string literal, including strings in its interpolations."""
    quote = '"""' if text.startswith('"""', start) else '"'
    place = start + len(quote)
    while not text.startswith(quote, place):
        if text[place] == "\\" and text[place + 1] == "(":
            depth, place = 1, place + 2
            while depth:
                if text[place] == '"':
                    place = string_end(text, place)
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place += 1
        else:
            place += 2 if text[place] == "\\" else 1
    return place + len(quote)


def extent(text, place):
    """The kind and the end of the token, space or comment that begins at a place."""
    char = text[place]
    if char.isspace():
        return "space", re.compile(r"\s+").match(text, place).end()
    if text.startswith("//", place):
        end = text.find("\n", place)
        return "comment", len(text) if end < 0 else end
    if text.startswith("/*", place):
        return "comment", text.index("*/", place) + 2
    if char == '"':
        return "string", string_end(text, place)
    if char.isdigit():
        return "number", re.compile(r"0[xbo][0-9A-Fa-f_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?").match(text, place).end()
    if char.isalpha() or char in "_$":
        return "word", re.compile(r"\$?\w+|\$").match(text, place).end()
    if text.startswith(("...", "..<"), place):
        return "operator", place + 3
    if char in OPERATOR:
        end = place
        while end < len(text) and text[end] in OPERATOR:
            end += 1
        return "operator", end
    return "mark", place + 1


def tokens(text):
    found, place, line, depth, last_line, space = [], 0, 0, 0, -1, True
    while place < len(text):
        kind, end = extent(text, place)
        if kind in ("space", "comment"):
            space = True
            if found:
                found[-1].before_space = True
        else:
            if text[place] in ")]":
                depth -= 1
            found.append(Token(kind, text[place:end], place, line, depth, space, first=line != last_line))
            if text[place] in "([":
                depth += 1
            last_line, space = line + text.count("\n", place, end), False
        line += text.count("\n", place, end)
        place = end
    return found
