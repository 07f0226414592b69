"""The schematic of a variant: a small circuit for each output and button, with the standard symbols.

Each symbol and line records the points that it joins, so `nets` follows from the drawing and not from a separate list.
"""

from light_circuits import channel, display, lamp, led, screen, solenoid
from midi_circuits import midi_in, midi_out
from sound_circuits import buzzer, headphones, module, motor
from svg import COLORS, INK, Drawing
from switch_circuits import button, foot, pedal

WIDTH, CELL, TOP = 1600, 770, 150
CIRCUITS = {
    "led": (led, 150), "lamp": (lamp, 350), "rgb_lamp": (lamp, 350), "channel": (channel, 270), "display": (display, 340),
    "screen": (screen, 340), "solenoid": (solenoid, 350),
    "buzzer": (buzzer, 400), "motor": (motor, 400), "module": (module, 300), "headphones": (headphones, 420), "button": (button, 142),
    "loose": (button, 142),
    "pedal": (pedal, 296), "foot": (foot, 530), "midi_out": (midi_out, 440), "midi_in": (midi_in, 400),
}
"""By the part of a variant: what draws its circuit, and the height of its cell."""


class Schematic(Drawing):
    """Of one variant: outputs in the left column, buttons in the right one. MIDI OUT and MIDI IN stand below them."""

    def __init__(self, pins, name):
        self.pins, self.variant = pins, pins.variants[name]
        self.joined, self.names = {}, {}
        columns = [[placed for placed in self.variant["parts"] if placed["role"] in group or placed["part"] in others]
                   for group, others in ((pins.outputs, ("midi_out", "headphones")), (pins.buttons | pins.more, ("midi_in",)))]
        for column in columns:
            column.sort(key=lambda placed: placed["role"] in pins.serial)
        card = self.variant.get("card")
        heights = [sum(CIRCUITS[placed["part"]][1] for placed in column) for column in columns]
        heights[0] += 240 if card else 0
        super().__init__(WIDTH, TOP + max(heights), f"Schematic: {self.variant['title']}")
        self.text(WIDTH / 2, 46, f"Schematic: {self.variant['title']}", size=32, bold=True)
        rails = {"ground": "GND: − rail, pin 6", "five": "5 V: + rail, pin 2", "three": "3.3 V: + rail, pin 1"}
        words = ". ".join(rails[supply] for supply in self.variant["supplies"].values())
        self.text(WIDTH / 2, 92, words + ". Lines join at a dot.", size=22)
        for x, column in zip((20, 20 + CELL + 20), columns):
            y = TOP
            for placed in column:
                circuit, height = CIRCUITS[placed["part"]]
                self.rect(x, y - 24, CELL, height - 12, "#fbfaf6", rx=10, stroke="#d8d3c4", stroke_width=2)
                circuit(self, x, y, placed["role"])
                y += height
            if card and x == 20:
                self.card(card, x, y)

    def card(self, card, x, y):
        taken = card["pins"]
        self.rect(x, y - 24, CELL, 228 if taken else 96, "#f3edf8", rx=10, stroke=COLORS["violet"], stroke_width=2)
        self.text(x + 16, y + 8, card["name"], size=24, anchor="start", bold=True)
        if not taken:
            self.text(x + 16, y + 50, "Its plug goes into a USB socket. No pin of the header.", size=21, anchor="start")
            return
        for index, (pin, use) in enumerate(taken.items()):
            column, row = divmod(index, 4)
            self.text(x + 16 + 370 * column, y + 48 + 32 * row, f"pin {pin}: {use}", size=21, anchor="start")
        self.text(x + 16, y + 184, "And 3.3 V, 5 V and GND, as the whole header is plugged in.", size=21, anchor="start")

    # What is joined.

    def find(self, point):
        while self.joined.get(point, point) != point:
            point = self.joined[point]
        return point

    def join(self, *points):
        for point in points[1:]:
            self.joined[self.find(points[0])] = self.find(point)

    def terminal(self, name, point):
        self.names.setdefault(name, []).append(point)

    def nets(self):
        """The terminals of each net, as the drawn lines join them, with the names that `Circuit.nets` uses."""
        members = {}
        for name, points in self.names.items():
            for point in points:
                members.setdefault(self.find(point), set()).add(name)
        return sorted(sorted(net) for net in members.values())

    # The symbols.

    def path_of(self, *points):
        """A line that joins all of its corners."""
        self.wires.append((len(self.out), points, 4))
        self.line(*points, width=4)
        self.join(*points)

    def dot(self, x, y):
        self.circle(x, y, 8, INK)

    def flag(self, x, y, role):
        """Draws the role's name and pin, and returns the point where the line starts."""
        line = self.pins.lines[role]
        color = line["wire"]
        self.text(x + 16, y + 8, role, size=24, anchor="start", bold=True)
        self.rect(x + 16, y + 26, 216, 42, "#ffffff", rx=8, stroke=INK if color == "white" else COLORS[color], stroke_width=4)
        self.text(x + 124, y + 54, f"GPIO{line['bcm']}  pin {line['pin']}", size=21)
        end = (x + 234, y + 47)
        self.terminal(f"GPIO{line['bcm']} (pin {line['pin']})", end)
        return end

    def ground(self, x, y):
        for step, half in enumerate((22, 14, 6)):
            self.line((x - half, y + 8 * step), (x + half, y + 8 * step), width=4)
        self.text(x + 30, y + 16, "GND", size=20, anchor="start")
        self.source(x, y, "ground")

    def supply(self, x, y, supply):
        pin = self.pins.supplies[supply]
        self.line((x - 24, y), (x + 24, y), width=6, color=COLORS[pin["wire"]])
        self.text(x, y - 10, pin["name"], size=22, bold=True)
        self.source(x, y, supply)

    def source(self, x, y, supply):
        """All symbols of a supply are one net."""
        pin = self.pins.supplies[supply]
        self.join(supply, (x, y))
        self.terminal(f"{pin['name']} (pin {pin['pin']})", (x, y))

    def resistor(self, start, end, role, value):
        """A box in the middle of a line. A level one has its value above, one that goes up has it at its right, one that goes down at its left."""
        (x1, y1), (x2, y2) = start, end
        cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
        self.line(start, end, width=4)
        if y1 == y2:
            self.rect(cx - 38, cy - 14, 76, 28, "#ffffff", stroke=INK, stroke_width=4)
            self.text(cx, cy - 24, value, size=21, bold=True)
        else:
            self.rect(cx - 14, cy - 32, 28, 64, "#ffffff", stroke=INK, stroke_width=4)
            side, anchor = (24, "start") if y2 < y1 else (-24, "end")
            self.text(cx + side, cy + 8, value, size=21, anchor=anchor, bold=True)
        self.terminal(f"{role}: {value}", start)
        self.terminal(f"{role}: {value}", end)

    def diode(self, x, top, low, role, value="1N4148", name="1N4148"):
        """A diode that conducts upwards, between two points of a vertical line."""
        y = (top + low) / 2
        self.path_of((x, top), (x, y - 20))
        self.path_of((x, low), (x, y + 22))
        self.path(f"M {x - 22} {y + 22} h 44 l -22 -40 Z", "#ffffff", stroke=INK, stroke_width=4)
        self.line((x - 22, y - 20), (x + 22, y - 20), width=5)
        self.text(x + 32, y - 10, "band", size=19, anchor="start")
        self.text(x + 32, y + 18, value, size=20, anchor="start", bold=True)
        self.terminal(f"{role}: {name} cathode", (x, y - 20))
        self.terminal(f"{role}: {name} anode", (x, y + 22))

    def capacitor(self, x, y, role):
        """100 nF between a line above and a line below."""
        for dy in (2, 14):
            self.line((x - 26, y + dy), (x + 26, y + dy), width=5)
        self.text(x + 36, y + 16, "100 nF", size=21, anchor="start", bold=True)
        self.terminal(f"{role}: 100 nF", (x, y))
        self.terminal(f"{role}: 100 nF", (x, y + 16))
