"""Draws the harness: each part with its wires, soldered without a breadboard."""

from pins import header
from svg import COLOURS, INK, Drawing

WIDTH, TOP = 1600, 150
PI_LEFT, PI_RIGHT, PART_LEFT, PART_RIGHT = 30, 330, 860, 1570
STRIPS = {"minus": 480, "plus": 590}
SIGNS = {"minus": "−", "plus": "+"}
BY_VALUE = {"resistor", "NPN transistor", "PNP transistor", "N-channel MOSFET", "diode", "ceramic capacitor", "optocoupler"}
"""Parts that the pictures name by their value."""
TITLE, ROW, NOTE, GAP = 46, 44, 32, 22


class Harness(Drawing):
    """Of one variant. A pin of the header takes one socket, so parts that want the same pin share a strip.

    `joints` has each wire that is drawn: from ("Pi", pin) or ("strip", supply) to ("strip", supply) or (role, end).
    """

    def __init__(self, pins, name):
        self.pins, self.variant, self.joints = pins, pins.variants[name], []
        self.strips = {supply: rail for rail, supply in self.variant["supplies"].items() if self.shared(supply)}
        rows = [(placed["role"], pins.parts[placed["part"]]) for placed in self.variant["parts"]]
        first = TOP + 60 + ROW * len(self.strips)
        self.bottom = first + sum(self.room(part) + GAP for _, part in rows)
        card = self.variant.get("card")
        super().__init__(WIDTH, self.bottom + 190 if card else self.bottom + 70, f"Harness: {self.variant['title']}")
        self.text(WIDTH / 2, 46, f"Harness: {self.variant['title']}", size=32, bold=True)
        plus = self.variant["supplies"].get("plus")
        if plus:
            warnings = {"five": "Strip + carries 5 V (red). 5 V on a GPIO pin can destroy the Raspberry Pi.",
                        "three": "3.3 V is orange, from pin 1. Never connect 5 V to it."}
            if plus not in self.strips:
                warnings["five"] = "The red wire carries 5 V. 5 V on a GPIO pin can destroy the Raspberry Pi."
            self.warning(160, 66, 1280, warnings[plus], pins.supplies[plus]["wire"])
        else:
            self.warning(160, 66, 1280, "No wire to 5 V or 3.3 V.", "grey")
        self.rect(PI_LEFT, TOP, PI_RIGHT - PI_LEFT, self.bottom - TOP, "#2f8a4c", rx=14, stroke="#1d5f33", stroke_width=3)
        self.text((PI_LEFT + PI_RIGHT) / 2, TOP + 36, "Raspberry Pi, header", size=22, fill="#ffffff", bold=True)
        self.draw_strips()
        y = first
        for role, part in rows:
            self.part(role, part, y)
            y += self.room(part) + GAP
        if self.strips:
            self.text(WIDTH / 2, self.bottom + 40, "A dot on a strip is a solder joint. A wire without a dot only passes over it.",
                      size=22)
        else:
            self.text(WIDTH / 2, self.bottom + 40, "All GND pins of the header are connected. Pin 6, as on the breadboard, works as well.",
                      size=22)
        if card:
            self.card(card, self.bottom + 70)

    def shared(self, supply):
        """Whether two parts want the same pin of a supply."""
        wanted = [self.supply(supply, placed["role"]) for placed in self.variant["parts"]
                  if supply in self.pins.parts[placed["part"]]["ends"]]
        return len(set(wanted)) < len(wanted)

    def supply(self, supply, role):
        """The pin that supplies a role directly, without a strip."""
        return self.pins.lines[role]["ground"] if supply == "ground" else self.pins.supplies[supply]["pin"]

    @staticmethod
    def room(part):
        return TITLE + ROW * len(part["ends"]) + NOTE * len(part.get("inside", [])) + (8 if "inside" in part else 0)

    def pin(self, number, y):
        """Draws a pin of the header at this height and returns the point where its wire starts."""
        name = header()[number]
        fill = {"GND": "#22252b", "5 V": COLOURS["red"], "3.3 V": COLOURS["orange"]}.get(name, "#1d5f33")
        self.rect(PI_LEFT + 24, y - 18, PI_RIGHT - PI_LEFT - 24, 36, fill, rx=6)
        self.text(PI_LEFT + 40, y + 8, f"pin {number}", size=22, anchor="start", fill="#ffffff", bold=True)
        self.text(PI_RIGHT - 16, y + 8, name, size=22, anchor="end", fill="#ffffff")
        return PI_RIGHT, y

    def draw_strips(self):
        for row, (supply, rail) in enumerate(self.strips.items()):
            pin, x, y = self.pins.supplies[supply], STRIPS[rail], TOP + 76 + ROW * row
            self.rect(x - 17, TOP + 40, 34, self.bottom - TOP - 62, "#d9b98a", rx=6, stroke="#8a6a3a", stroke_width=2)
            self.rect(x - 50, TOP - 6, 100, 40, COLOURS[pin["wire"]], rx=8)
            self.text(x, TOP + 22, f"{SIGNS[rail]} {pin['name']}", size=21, fill="#ffffff", bold=True)
        for row, (supply, rail) in enumerate(self.strips.items()):
            pin, x, y = self.pins.supplies[supply], STRIPS[rail], TOP + 76 + ROW * row
            self.wire([self.pin(pin["pin"], y), (x, y)], pin["wire"], ends=False)
            self.circle(x, y, 11, COLOURS[pin["wire"]], stroke="#ffffff", stroke_width=2)
            self.joints.append((("Pi", pin["pin"]), ("strip", supply)))

    def part(self, role, part, y):
        self.rect(PART_LEFT, y, PART_RIGHT - PART_LEFT, self.room(part), "#eef2f7", rx=10, stroke="#8d97a6", stroke_width=2)
        self.text(PART_LEFT + 18, y + 32, part.get("name", role), size=25, anchor="start", bold=True)
        bought = ", ".join(one["value"] if one["part"] in BY_VALUE else one["part"]
                           for one in part["components"] if not one.get("instead"))
        self.text(PART_RIGHT - 16, y + 32, bought, size=18, anchor="end", fill="#4a5363")
        y += TITLE
        for end, label in part["ends"].items():
            self.end(role, end, label, part.get("series") if end == "signal" else None, y + ROW / 2)
            y += ROW
        for line in part.get("inside", []):
            self.text(PART_LEFT + 18, y + 28, line, size=20, anchor="start", fill="#4a5363")
            y += NOTE

    def end(self, role, end, label, series, y):
        """Draws the level wire to one end of a part, from a strip or a pin."""
        if end in self.strips:
            start, wire = (STRIPS[self.strips[end]], y), self.pins.supplies[end]["wire"]
            source = "strip", end
        else:
            line = self.pins.lines.get(role if end == "signal" else end)
            number = line["pin"] if line else self.supply(end, role)
            wire = (line or self.pins.supplies[end])["wire"]
            start, source = self.pin(number, y), ("Pi", number)
        self.wire([start, (PART_LEFT, y)], wire, ends=False)
        if source[0] == "strip":
            self.circle(*start, 11, COLOURS[wire], stroke="#ffffff", stroke_width=2)
        if series:
            self.rect(690, y - 17, 110, 34, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            self.text(745, y + 8, series, size=21, bold=True)
        self.circle(PART_LEFT, y, 8, INK)
        self.text(PART_LEFT + 18, y + 8, label, size=22, anchor="start")
        self.joints.append((source, (role, end)))

    def card(self, card, y):
        self.rect(PI_LEFT, y, WIDTH - 2 * PI_LEFT, 104, "#f3edf8", rx=10, stroke=COLOURS["violet"], stroke_width=2)
        self.text(PI_LEFT + 20, y + 34, card["name"], size=24, anchor="start", bold=True)
        self.text(PI_LEFT + 260, y + 34, " ".join(card["said"]), size=20, anchor="start")
        pins = card["pins"]
        words = "It uses no pin of the header." if not pins else "Its pins: " + ", ".join(
            f"{pin}" for pin in pins) + ". Supply: " + ", ".join(f"{pin} ({use})" for pin, use in card["shared"].items()) + "."
        self.text(PI_LEFT + 20, y + 78, words, size=20, anchor="start")
