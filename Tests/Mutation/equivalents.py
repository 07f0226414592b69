"""Reads equivalent.txt: the changes without an effect, and the reasons.

An entry has four lines, followed by a blank line: the file, the line of code, the change, and the reason why no test can find
it. An entry matches a line of code by its text, not by its number.
"""

import sys
from dataclasses import dataclass


@dataclass
class Equivalent:
    path: str
    code: str
    change: str
    reason: str


def read(path):
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
    found = []
    for record in filter(None, (part.strip("\n") for part in text.split("\n\n"))):
        lines = [line.strip() for line in record.splitlines()]
        if len(lines) < 4:
            sys.exit(f"{path}: an entry needs a file, a line of code, a change and a reason:\n{record}")
        found.append(Equivalent(lines[0], lines[1], lines[2], " ".join(lines[3:])))
    return found
