"""The documents: their code blocks, quotations, links and headings."""

import re
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The pages for users and contributors.
MANUAL = sorted(
    path for path in [
        ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *ROOT.glob("Documentation/*.md"), ROOT / "wiring/README.md",
        ROOT / "Examples/README.md", ROOT / "Benchmarks/README.md"] if path.exists())
DOCUMENTS = [*MANUAL, ROOT / "Tests/KernelBench/README.md"]
# The pages of the libraries. docc checks their symbols, Examples/check their listings.
ARTICLES = sorted(ROOT.glob("Sources/*/*.docc/*.md"))


def is_kept(character):
    """Whether GitHub keeps this character of a heading in the heading's anchor."""
    return character in " -_" or unicodedata.category(character)[0] in "LM" or unicodedata.category(character) == "Nd"


class Page:
    """A document: its code blocks, its quotations in running text, its links and its headings."""

    def __init__(self, path):
        self.path = path
        self.blocks, self.links, self.anchors = [], [], set()
        prose = self.extract_blocks(path.read_text().split("\n"))
        text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), "\n".join(prose), flags=re.S)
        self.quotations = [
            (self.line_of(text, found.start()), " ".join(found[2].split()))
            for found in re.finditer(r"(?<!`)(`+)(?!`)((?:[^`\n]|\n(?!\n)|(?<!`)`(?!\1|`))+?)\1(?!`)", text)]
        plain = re.sub(r"`[^`]*`", lambda found: "x" + "\n" * found[0].count("\n"), text)
        self.links = [
            (self.line_of(plain, found.start()), found[1]) for found in re.finditer(r"\]\(([^)\s]+)\)", plain)]
        for found in re.finditer(r"^#+ (.*)$", text, flags=re.M):
            self.anchors.add("".join(filter(is_kept, found[1].lower())).replace(" ", "-"))

    @staticmethod
    def line_of(text, position):
        return text.count("\n", 0, position) + 1

    def extract_blocks(self, lines):
        """Moves fenced and indented code to `blocks`. Returns the lines with blank lines in place of the code."""
        prose, block, fence = [], None, None
        for number, line in enumerate(lines, 1):
            opening = re.match(r"( *)```(\w*)$", line)
            if fence is not None:
                if opening:
                    self.blocks.append(block)
                    fence = None
                else:
                    block[2].append(line.removeprefix(fence))
            elif opening:
                fence, block = opening[1], (number + 1, opening[2], [])
            elif line.startswith("    ") and (prose[-1:] == [""] or block and block[0] + len(block[2]) == number):
                if not (block and block[1] == "indented" and block[0] + len(block[2]) == number):
                    block = (number, "indented", [])
                    self.blocks.append(block)
                block[2].append(line[4:])
            else:
                prose.append(line)
                continue
            prose.append("")
        return prose
