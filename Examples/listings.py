"""Holds the listings of Swift in the libraries' pages to the sources of the examples: each stands there line by line."""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def stands_in(listing, source):
    """Whether the lines follow each other there, indented as a whole or not."""
    wanted = [line.rstrip() for line in textwrap.dedent(listing).strip("\n").split("\n")]
    lines = source.split("\n")
    for start in range(len(lines) - len(wanted) + 1):
        found = textwrap.dedent("\n".join(lines[start:start + len(wanted)])).split("\n")
        if [line.rstrip() for line in found] == wanted:
            return True
    return False


def main():
    sources = [path.read_text() for path in sorted((ROOT / "Examples").glob("*/*/*.swift"))]
    count, faults = 0, []
    for page in sorted(ROOT.glob("Sources/*/*.docc/*.md")):
        text = page.read_text()
        for found in re.finditer(r"^```swift\n(.*?)^```$", text, flags=re.M | re.S):
            count += 1
            if not any(stands_in(found[1], source) for source in sources):
                line = text.count("\n", 0, found.start()) + 1
                faults.append(f"{page.relative_to(ROOT)}:{line}: no example has this listing")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{count} listings: each is in an example")


main()
