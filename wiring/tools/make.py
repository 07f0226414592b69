"""Makes every picture, table and list that follows from pins.yaml, or checks that they are up to date.

    make.py              makes them
    make.py --check      lists the files that are out of date, with an exit code of 1; it draws nothing
"""

import hashlib
import pathlib
import re
import subprocess
import sys

import panel
import tables
from breadboard import Picture
from circuit import Circuit
from harness import Harness
from pins import FOLDER, PINS, Pins
from schematic import Schematic

PICTURES = FOLDER / "pictures"
README = FOLDER / "README.md"
SUMS = PICTURES / "SHA256SUMS"
TOOLS = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- made by Scripts/wiring: ([a-z0-9 -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def block(pins, words):
    """The text of a block of the README, by the words of its mark."""
    kind, *variant = words.split()
    return {"pins": tables.pin_table, "holes": tables.holes, "parts": tables.parts_table}[kind](pins, *variant)


def drawings(pins, name):
    """The pictures of a variant, by what they show."""
    return {"breadboard": Picture(Circuit(pins, name)), "schematic": Schematic(pins, name), "harness": Harness(pins, name)}


def texts(pins):
    """All text files, by path, as they should be."""
    made = {FOLDER / "parts.tsv": tables.parts_list(pins)}
    for name in pins.variants:
        for kind, drawing in drawings(pins, name).items():
            made[PICTURES / f"{name}-{kind}.svg"] = drawing.svg()
    for name, drawing in panel.drawings().items():
        made[PICTURES / f"{name}.svg"] = drawing.svg()
    made[README] = BLOCK.sub(lambda found: found[1] + "\n" + block(pins, found[2]) + "\n\n" + found[3], README.read_text())
    return made


def drawn(pins):
    """The PNGs: each is drawn from the SVG of its name."""
    names = [f"{name}-{kind}" for name in pins.variants for kind in ("breadboard", "schematic", "harness")]
    return [PICTURES / f"{name}.png" for name in names + list(panel.drawings())]


def draw(pins):
    for image in drawn(pins):
        subprocess.run(["rsvg-convert", "-w", "1600", image.with_suffix(".svg"), "-o", image], check=True)


def sums(pins):
    """Checksums of the tools, pins.yaml, panel.yaml and the PNGs. A change of any of them shows that the PNGs are out of date."""
    tools = [file for file in sorted(TOOLS.glob("*.py")) if not file.name.startswith("test_")]
    files = [PINS, panel.PANEL, *tools, *sorted(drawn(pins))]
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(FOLDER)}" for file in files if file.exists()]
    return "\n".join(lines) + "\n"


def main():
    pins = Pins()
    if sys.argv[1:] != ["--check"]:
        PICTURES.mkdir(exist_ok=True)
        for path, text in texts(pins).items():
            path.write_text(text)
        draw(pins)
        SUMS.write_text(sums(pins))
        return
    expected = texts(pins) | {SUMS: sums(pins)}
    stale = [path for path, text in expected.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        name = path.relative_to(FOLDER.parent)
        print(f"{name} is out of date: run Scripts/wiring", file=sys.stderr)
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
