"""Reads and checks pins.yaml, and names the pins of the header."""

import pathlib

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent.parent
PINS = FOLDER / "pins.yaml"

HEADER = """3.3 V 5 V|GPIO2 5 V|GPIO3 GND|GPIO4 GPIO14|GND GPIO15|GPIO17 GPIO18|GPIO27 GND|GPIO22 GPIO23|3.3 V GPIO24|
GPIO10 GND|GPIO9 GPIO25|GPIO11 GPIO8|GND GPIO7|GPIO0 GPIO1|GPIO5 GND|GPIO6 GPIO12|GPIO13 GND|GPIO19 GPIO16|
GPIO26 GPIO20|GND GPIO21"""
"""The names of the pins in pairs, as they stand side by side: 1 and 2, 3 and 4, ..."""


def header():
    """The names of the pins 1 to 40, by number."""
    words = HEADER.replace("\n", "").replace("|", " ").replace(" V", "_V").split()
    return {number: word.replace("_", " ") for number, word in enumerate(words, start=1)}


class Pins:
    """pins.yaml."""

    def __init__(self, path=PINS):
        read = yaml.safe_load(path.read_bytes())
        self.buttons, self.more, self.serial, self.bus = read["buttons"], read["more"], read["serial"], read["i2c"]
        self.outputs = {**read["outputs"], **read["rgb"], **read["display"], **read["felt"], **self.bus}
        self.lines = {**self.outputs, **self.buttons, **self.more, **self.serial}
        self.supplies, self.parts, self.variants = read["supplies"], read["parts"], read["variants"]
        self.check()

    def check(self):
        names = header()
        for role, line in self.lines.items():
            if names[line["pin"]] != f"GPIO{line['bcm']}":
                raise SystemExit(f"{PINS}: {role}: pin {line['pin']} is {names[line['pin']]}, not GPIO{line['bcm']}")
            if names[line["ground"]] != "GND":
                raise SystemExit(f"{PINS}: {role}: pin {line['ground']} is {names[line['ground']]}, not GND")
        for supply in self.supplies.values():
            if names[supply["pin"]] != supply["name"]:
                raise SystemExit(f"{PINS}: pin {supply['pin']} is {names[supply['pin']]}, not {supply['name']}")
        pins = [line["pin"] for line in self.lines.values()]
        if len(set(pins)) != len(pins):
            raise SystemExit(f"{PINS}: a pin is used twice")

    def roles(self, placed):
        """The lines of a part of a variant."""
        return [placed["role"], *(end for end in self.parts[placed["part"]]["ends"] if end in self.lines)]

    def components(self, variant):
        """What to buy: (part, value) → (how many, for which roles)."""
        found = {}
        for placed in self.variants[variant]["parts"]:
            for component in self.parts[placed["part"]]["components"]:
                count, roles = found.get((component["part"], component["value"]), (0, []))
                roles = roles + [role for role in self.roles(placed) if role not in roles]
                found[component["part"], component["value"]] = (count + component.get("count", 1), roles)
        return found
