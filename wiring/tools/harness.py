"""Draws the harness: each part with its wires, soldered without a breadboard."""

from pins import header
from svg import COLORS, INK, Drawing

WIDTH, TOP = 1600, 150
PI_LEFT, PI_RIGHT, PART_LEFT, PART_RIGHT = 30, 330, 860, 1570
STRIPS = {"minus": 480, "plus": 590}
SIGNS = {"minus": "−", "plus": "+"}
BY_VALUE = {"resistor", "NPN transistor", "PNP transistor", "N-channel MOSFET", "diode", "ceramic capacitor", "optocoupler"}
"""Parts that the pictures name by their value."""
TITLE, ROW, NOTE, GAP = 46, 44, 32, 22
AUDIO = 536
"""The height of the picture of the headphones, below the header and its parts."""
STEP = 96
"""Between the lines of a part that is drawn."""


class Harness(Drawing):
    """Of one variant. A pin of the header takes one socket, so parts that want the same pin share a strip.

    `joints` has each wire that is drawn: from ("Pi", pin) or ("strip", supply) to ("strip", supply) or (role, end). `audio` has each
    wire that is not connected to the header: from (part, end) to (part, end). `ways` has the corners of each wire inside a part that
    is drawn, and `terminals` the points of what these wires join, by the names of `Circuit.nets`.
    """

    def __init__(self, pins, name):
        self.pins, self.variant, self.joints, self.audio = pins, pins.variants[name], [], []
        self.ways, self.terminals = [], {}
        self.strips = {supply: rail for rail, supply in self.variant["supplies"].items() if self.shared(supply)}
        parts = [(placed["role"], pins.parts[placed["part"]]) for placed in self.variant["parts"]]
        rows = [(role, part) for role, part in parts if not part.get("outside")]
        outside = [(role, part) for role, part in parts if part.get("outside")]
        first = TOP + 60 + ROW * len(self.strips)
        self.bottom = first + sum(self.room(part) + GAP for _, part in rows)
        card = self.variant.get("card")
        below = self.bottom + 70 + AUDIO * len(outside)
        super().__init__(WIDTH, below + 120 if card else below, f"Harness: {self.variant['title']}")
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
        for role, part in outside:
            self.headphones(role, part, self.bottom + 70)
        if card:
            self.card(card, below)

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
        if part.get("drawn"):
            return TITLE + 4 * STEP + 60
        return TITLE + ROW * len(part["ends"]) + NOTE * len(part.get("inside", [])) + (8 if "inside" in part else 0)

    def pin(self, number, y):
        """Draws a pin of the header at this height and returns the point where its wire starts."""
        name = header()[number]
        fill = {"GND": "#22252b", "5 V": COLORS["red"], "3.3 V": COLORS["orange"]}.get(name, "#1d5f33")
        self.rect(PI_LEFT + 24, y - 18, PI_RIGHT - PI_LEFT - 24, 36, fill, rx=6)
        self.text(PI_LEFT + 40, y + 8, f"pin {number}", size=22, anchor="start", fill="#ffffff", bold=True)
        self.text(PI_RIGHT - 16, y + 8, name, size=22, anchor="end", fill="#ffffff")
        return PI_RIGHT, y

    def draw_strips(self):
        for row, (supply, rail) in enumerate(self.strips.items()):
            pin, x, y = self.pins.supplies[supply], STRIPS[rail], TOP + 76 + ROW * row
            self.rect(x - 17, TOP + 40, 34, self.bottom - TOP - 62, "#d9b98a", rx=6, stroke="#8a6a3a", stroke_width=2)
            self.rect(x - 50, TOP - 6, 100, 40, COLORS[pin["wire"]], rx=8)
            self.text(x, TOP + 22, f"{SIGNS[rail]} {pin['name']}", size=21, fill="#ffffff", bold=True)
        for row, (supply, rail) in enumerate(self.strips.items()):
            pin, x, y = self.pins.supplies[supply], STRIPS[rail], TOP + 76 + ROW * row
            self.wire([self.pin(pin["pin"], y), (x, y)], pin["wire"], ends=False)
            self.circle(x, y, 11, COLORS[pin["wire"]], stroke="#ffffff", stroke_width=2)
            self.joints.append((("Pi", pin["pin"]), ("strip", supply)))

    def part(self, role, part, y):
        self.rect(PART_LEFT, y, PART_RIGHT - PART_LEFT, self.room(part), "#eef2f7", rx=10, stroke="#8d97a6", stroke_width=2)
        self.text(PART_LEFT + 18, y + 32, part.get("name", role), size=25, anchor="start", bold=True)
        once = not any("count" in one for one in part["components"])
        bought = ", ".join(one["value"] if one["part"] in BY_VALUE else one["part"]
                           for one in part["components"]
                           if not one.get("instead") and one["part"] != part.get("name") and (once or one["part"] in BY_VALUE))
        self.text(PART_RIGHT - 16, y + 32, bought, size=18, anchor="end", fill="#4a5363")
        y += TITLE
        if part.get("drawn"):
            self.foot(role, part["ends"], y + 30)
            return
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
            self.circle(*start, 11, COLORS[wire], stroke="#ffffff", stroke_width=2)
        if series:
            self.rect(690, y - 17, 110, 34, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            self.text(745, y + 8, series, size=21, bold=True)
        self.circle(PART_LEFT, y, 8, INK)
        if label:
            self.text(PART_LEFT + 18, y + 8, label, size=22, anchor="start")
        self.joints.append((source, (role, end)))

    def foot(self, role, ends, y):
        """Two buttons and the jack for two foot switches. Each foot switch shares the line of a button."""
        three, play, ground, tap, below = (y + STEP * step for step in range(5))
        near, button, left, right, far, jack, edge = 905, 1072, 1140, 1230, 1290, 1385, 1556
        for end, level in {"three": three, "signal": play, "ground": ground, "tap": tap}.items():
            self.end(role, end, None, None, level)
            pin = self.pins.lines.get(role if end == "signal" else end) or self.pins.supplies[end]
            name = pin.get("name", f"GPIO{pin.get('bcm')}")
            self.terminals[f"{name} (pin {pin['pin']})"] = [(PART_LEFT, level)]
        self.way("orange", (PART_LEFT, three), (far, three), (edge, three), (edge, below), (far, below))
        self.way("black", (PART_LEFT, ground), (near, ground), (button, ground), (jack, ground))
        for line, level, supply, contact in ((role, play, three, "tip"), ("tap", tap, below, "ring")):
            color = self.pins.lines[line]["wire"]
            between, resistor = (level + ground) / 2, (level + supply) / 2
            towards = 1 if ground > level else -1
            self.way(color, (PART_LEFT, level), (near, level), (button, level), (left, level))
            self.way(color, (right, level), (far, level), (jack, level))
            self.way("orange", (far, supply), (far, resistor))
            self.way(color, (far, resistor + 1), (far, level))
            for x, half in ((near, 7), (button, 20)):
                self.way(color, (x, level), (x, between - half * towards))
                self.way("black", (x, between + half * towards), (x, ground))
            for plate in (-7, 7):
                self.line((near - 22, between + plate), (near + 22, between + plate), width=5)
            self.text(near + 32, between + 8, "100 nF", size=20, anchor="start", bold=True)
            self.rect(button - 44, between - 22, 88, 44, "#dfe4ec", rx=8, stroke=INK, stroke_width=3)
            self.text(button, between + 8, ends["signal"] if line == role else ends["tap"], size=21, bold=True)
            for x, level_of_box, words in (((left + right) / 2, level, "1 kΩ"), (far, resistor, "10 kΩ")):
                self.rect(x - 45, level_of_box - 17, 90, 34, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
                self.text(x, level_of_box + 8, words, size=21, bold=True)
            self.text(jack + 18, level + 8, f"jack {contact}", size=22, anchor="start")
            for x in (near, button, far):
                self.circle(x, level, 9, INK)
            self.circle(jack, level, 8, INK)
            self.terminals |= {
                f"{line}: 1 kΩ": [(left, level), (right, level)], f"{line}: 10 kΩ": [(far, resistor), (far, resistor + 1)],
                f"{line}: 100 nF": [(near, between - 7), (near, between + 7)],
                f"{line}: push button": [(button, between - 20), (button, between + 20)],
                f"{line}: foot switch {contact}": [(jack, level)]}
        self.terminals[f"{role}: foot switch sleeve"] = [(jack, ground)]
        self.text(jack + 18, ground + 8, ends["ground"], size=22, anchor="start")
        for x, level in ((near, ground), (button, ground), (far, three), (far, below)):
            self.circle(x, level, 9, INK)
        for x, level in ((jack, ground), *((PART_LEFT, level) for level in (three, play, ground, tap))):
            self.circle(x, level, 8, INK)

    def way(self, color, *points):
        """A wire that joins all of its corners."""
        self.wire(points, color, ends=False)
        self.ways.append(points)

    def drawn_nets(self):
        """The terminals of each net of the wires inside a part that is drawn."""
        nets = []
        for points in self.ways:
            joined = [net for net in nets if net & set(points)]
            nets = [net for net in nets if not net & set(points)] + [set(points).union(*joined)]
        named = [{name for name, points in self.terminals.items() if net & set(points)} for net in nets]
        return sorted(sorted(net) for net in named)

    def headphones(self, role, part, y):
        """From the output of the sound card to the socket. The halves of the potentiometer are side by side."""
        self.rect(PI_LEFT, y, WIDTH - 2 * PI_LEFT, AUDIO - 24, "#eef2f7", rx=10, stroke="#8d97a6", stroke_width=2)
        self.text(PI_LEFT + 20, y + 34, role, size=25, anchor="start", bold=True)
        rows = [y + 130 + 50 * row + (44 if row > 2 else 0) for row in range(5)]
        boxes = {  # Left, right, title, the ends at its left and at its right, by row.
            "sound card": (60, 330, "sound card, output", {}, {0: "left: tip", 1: "right: ring", 2: "ground: sleeve"}),
            "potentiometer": (490, 800, "potentiometer 10 kΩ", {0: "left 3", 1: "right 3", 2: "left 1"},
                              {0: "left 2", 1: "right 2", 2: "right 1"}),
            "amplifier": (960, 1240, "amplifier", {0: "IN L", 1: "IN R", 2: "IN GND", 3: "+", 4: "−"},
                          {0: "OUT L", 1: "OUT R", 2: "OUT GND"}),
            "socket": (1400, 1540, "socket", {0: "tip", 1: "ring", 2: "sleeve"}, {}),
            "USB cable": (490, 800, "USB cable, 5 V", {}, {3: "+", 4: "−"}),
        }
        wires = [
            ("sound card", "potentiometer", {0: "lime", 1: "magenta", 2: "black"}),
            ("potentiometer", "amplifier", {0: "lime", 1: "magenta", 2: "black"}),
            ("USB cable", "amplifier", {3: "red", 4: "black"}), ("amplifier", "socket", {0: "lime", 1: "magenta", 2: "violet"})]
        for left, right, title, inputs, outputs in boxes.values():
            taken = sorted({*inputs, *outputs})
            top, bottom = rows[taken[0]] - 24, rows[taken[-1]] + 24
            if title:
                self.text((left + right) / 2, top - 12, title, size=22, bold=True)
            self.rect(left, top, right - left, bottom - top, "#ffffff", rx=8, stroke=INK, stroke_width=3)
        for one, other, colors in wires:
            for row, color in colors.items():
                start, end = boxes[one][1], boxes[other][0]
                self.wire([(start, rows[row]), (end, rows[row])], color, ends=False)
                self.audio.append(((one, boxes[one][4][row]), (other, boxes[other][3][row])))
        left, right, *_ = boxes["potentiometer"]
        self.wire([(left + 100, rows[2]), (right - 112, rows[2])], "black", ends=False)
        self.audio.append((("potentiometer", "left 1"), ("potentiometer", "right 1")))
        for left, right, _, inputs, outputs in boxes.values():
            for x, ends, side, anchor in ((left, inputs, 16, "start"), (right, outputs, -16, "end")):
                for row, words in ends.items():
                    self.circle(x, rows[row], 8, INK)
                    self.text(x + side, rows[row] + 8, words, size=20, anchor=anchor, bold=True)
        for step, line in enumerate(part["inside"]):
            self.text(PI_LEFT + 20, rows[4] + 60 + NOTE * step, line, size=19, anchor="start", fill="#4a5363")

    def card(self, card, y):
        self.rect(PI_LEFT, y, WIDTH - 2 * PI_LEFT, 104, "#f3edf8", rx=10, stroke=COLORS["violet"], stroke_width=2)
        self.text(PI_LEFT + 20, y + 34, card["name"], size=24, anchor="start", bold=True)
        self.text(PI_LEFT + 260, y + 34, " ".join(card["said"]), size=20, anchor="start")
        pins = card["pins"]
        words = "It uses no pin of the header." if not pins else "Its pins: " + ", ".join(
            f"{pin}" for pin in pins) + ". Supply: " + ", ".join(f"{pin} ({use})" for pin, use in card["shared"].items()) + "."
        self.text(PI_LEFT + 20, y + 78, words, size=20, anchor="start")
