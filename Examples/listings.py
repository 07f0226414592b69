"""Checks that the Swift listings in README and in the libraries' pages are quoted from the sources of the examples.

One source must contain all lines of a listing in order, and import all that the listing imports. A listing that begins with
`.package(` belongs to a manifest, and is not checked.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def is_quoted_in(listing, source):
    """Whether the source contains the lines, with any indentation of the whole, and the imports of the listing."""
    wanted = [line.rstrip() for line in textwrap.dedent(listing).strip("\n").split("\n")]
    lines = source.split("\n")
    imports = [line for line in wanted if line.startswith("import ")]
    if not set(imports) <= set(lines):
        return False
    wanted = "\n".join(wanted[len(imports):]).strip("\n").split("\n")
    for start in range(len(lines) - len(wanted) + 1):
        found = textwrap.dedent("\n".join(lines[start:start + len(wanted)])).split("\n")
        if [line.rstrip() for line in found] == wanted:
            return True
    return False


def main():
    sources = [path.read_text() for path in sorted((ROOT / "Examples").glob("*/*/*.swift"))]
    count, faults = 0, []
    for page in [ROOT / "README.md", *sorted(ROOT.glob("Sources/*/*.docc/*.md"))]:
        text = page.read_text()
        for found in re.finditer(r"^```swift\n(.*?)^```$", text, flags=re.M | re.S):
            if found[1].startswith(".package("):
                continue
            count += 1
            if not any(is_quoted_in(found[1], source) for source in sources):
                line = text.count("\n", 0, found.start()) + 1
                faults.append(f"{page.relative_to(ROOT)}:{line}: no example contains this listing")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{count} listings: all are quoted from the examples")


main()
