"""The changes that change nothing, with the reason: equivalent.txt.

Four lines each, with a blank line between them: the file, the line of code, the change, and why no test can find it. What is
meant is found by its text, wherever it stands by now.
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
            sys.exit(f"{path}: a file, a line of code, a change and a reason are wanted:\n{record}")
        found.append(Equivalent(lines[0], lines[1], lines[2], " ".join(lines[3:])))
    return found
