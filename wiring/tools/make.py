"""Makes all that is made of pins.yaml, or tells what is not as it would be made.

    make.py WIREVIZ      makes; WIREVIZ is its program
    make.py --check      tells, with an exit code of 1; draws nothing, so that it needs neither WireViz nor Graphviz
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

import tables
from breadboard import Picture
from circuit import Circuit
from harness import Harness
from pins import FOLDER, PINS, Pins

PICTURES = FOLDER / "pictures"
README = FOLDER / "README.md"
SUMS = PICTURES / "SHA256SUMS"
TOOLS = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- made by Scripts/wiring: ([a-z0-9 -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def block(pins, words):
    """The text of a block of the README, by the words of its mark."""
    kind, *variant = words.split()
    return {"pins": tables.pin_table, "holes": tables.holes, "parts": tables.parts_table}[kind](pins, *variant)


def texts(pins):
    """All files of text, by path, as they should be: they hang on nothing but this folder."""
    made = {FOLDER / "parts.tsv": tables.parts_list(pins)}
    for name in pins.variants:
        made[PICTURES / f"{name}-breadboard.svg"] = Picture(Circuit(pins, name)).svg()
    made[README] = BLOCK.sub(lambda found: found[1] + "\n" + block(pins, found[2]) + "\n\n" + found[3], README.read_text())
    return made


def drawn(pins):
    """The files that other programs draw."""
    for name in pins.variants:
        yield from (PICTURES / f"{name}-{what}" for what in ("breadboard.png", "harness.png", "harness.svg"))


def draw(pins, wireviz):
    for name in pins.variants:
        image = PICTURES / f"{name}-breadboard"
        subprocess.run(["rsvg-convert", "-w", "1600", f"{image}.svg", "-o", f"{image}.png"], check=True)
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder) / f"{name}-harness.yml"
            written.write_text(yaml.safe_dump(Harness(pins, name).yaml(), allow_unicode=True, sort_keys=False))
            subprocess.run([wireviz, "-f", "s", "-o", PICTURES, written], check=True, stdout=subprocess.DEVNULL)
        image = PICTURES / f"{name}-harness"
        subprocess.run(["rsvg-convert", "-b", "white", "-w", "2000", f"{image}.svg", "-o", f"{image}.png"], check=True)


def sums(pins):
    """Of what the drawings are made of, and of the drawings: whichever changes, they no longer belong together."""
    tools = [file for file in sorted(TOOLS.glob("*.py")) if not file.name.startswith("test_")]
    files = [PINS, *tools, *sorted(drawn(pins))]
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(FOLDER)}" for file in files if file.exists()]
    return "\n".join(lines) + "\n"


def main():
    pins = Pins()
    if sys.argv[1:] != ["--check"]:
        PICTURES.mkdir(exist_ok=True)
        for path, text in texts(pins).items():
            path.write_text(text)
        draw(pins, sys.argv[1])
        SUMS.write_text(sums(pins))
        return
    expected = texts(pins) | {SUMS: sums(pins)}
    stale = [path for path, text in expected.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        name = path.relative_to(FOLDER.parent)
        print(f"{name} is not as pins.yaml and tools would make it: run Scripts/wiring", file=sys.stderr)
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
