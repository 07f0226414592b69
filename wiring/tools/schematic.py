"""The schematic of a variant: a small circuit for each output and button, with the standard symbols.

Each symbol and line records the points that it joins, so `nets` follows from the drawing and not from a separate list.
"""

from svg import COLORS, INK, Drawing

WIDTH, CELL, TOP = 1600, 770, 150
HEIGHTS = {"lamp": 350, "rgb_lamp": 350, "channel": 270, "display": 340, "led": 150, "button": 142, "buzzer": 400, "module": 300,
           "pedal": 296, "foot": 530, "headphones": 420, "midi_out": 440, "midi_in": 400}


class Schematic(Drawing):
    """Of one variant: outputs in the left column, buttons in the right one. MIDI OUT and MIDI IN stand below them."""

    def __init__(self, pins, name):
        self.pins, self.variant = pins, pins.variants[name]
        self.joined, self.names = {}, {}
        columns = [[placed for placed in self.variant["parts"] if placed["role"] in group or placed["part"] in others]
                   for group, others in ((pins.outputs, ("midi_out", "headphones")), (pins.buttons, ("midi_in",)))]
        for column in columns:
            column.sort(key=lambda placed: placed["role"] in pins.serial)
        card = self.variant.get("card")
        heights = [sum(HEIGHTS[placed["part"]] for placed in column) for column in columns]
        heights[0] += 240 if card else 0
        super().__init__(WIDTH, TOP + max(heights), f"Schematic: {self.variant['title']}")
        self.text(WIDTH / 2, 46, f"Schematic: {self.variant['title']}", size=32, bold=True)
        rails = {"ground": "GND: − rail, pin 6", "five": "5 V: + rail, pin 2", "three": "3.3 V: + rail, pin 1"}
        words = ". ".join(rails[supply] for supply in self.variant["supplies"].values())
        self.text(WIDTH / 2, 92, words + ". Lines join at a dot.", size=22)
        for x, column in zip((20, 20 + CELL + 20), columns):
            y = TOP
            for placed in column:
                height = HEIGHTS[placed["part"]]
                self.rect(x, y - 24, CELL, height - 12, "#fbfaf6", rx=10, stroke="#d8d3c4", stroke_width=2)
                getattr(self, "draw_" + placed["part"])(x, y, placed["role"])
                y += height
            if card and x == 20:
                self.card(card, x, y)

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

    # The circuits.

    def draw_led(self, x, y, role):
        start = self.flag(x, y, role)
        y = start[1]
        self.resistor(start, (x + 420, y), role, "470 Ω")
        self.path_of((x + 420, y), (x + 480, y))
        self.path(f"M {x + 480} {y - 24} v 48 l 42 -24 Z", "#ffffff", stroke=INK, stroke_width=4)
        self.line((x + 524, y - 24), (x + 524, y + 24), width=5)
        for offset in (0, 18):
            self.line((x + 492 + offset, y - 30), (x + 508 + offset, y - 52), width=3)
            self.path(f"M {x + 512 + offset} {y - 58} l -11 6 l 8 6 Z", INK)
        self.text(x + 502, y + 48, "LED", size=21, bold=True)
        self.text(x + 462, y - 12, "+", size=24, bold=True)
        self.text(x + 546, y - 12, "−", size=24, bold=True)
        self.terminal(f"{role}: LED anode", (x + 480, y))
        self.terminal(f"{role}: LED cathode", (x + 524, y))
        self.path_of((x + 524, y), (x + 640, y), (x + 640, y + 26))
        self.ground(x + 640, y + 26)

    def draw_lamp(self, x, y, role):
        """With the lamp, its fuse and its supply above the MOSFET."""
        drain = self.draw_channel(x, y + 80, role, "12 V")
        words = "strip's +, R" if self.variant["parts"][0]["part"] == "rgb_lamp" else "12 V lamp"
        dx, dy = drain
        top, low = dy - 78, dy - 34
        self.path_of(drain, (dx, low))
        middle = (top + low) / 2
        self.circle(dx, middle, 22, "#ffffff", stroke=INK, stroke_width=4)
        for side in (-1, 1):
            self.line((dx - 15, middle - 15 * side), (dx + 15, middle + 15 * side), width=3)
        self.text(dx - 36, middle + 8, words, size=21, anchor="end", bold=True)
        self.terminal(f"{role}: 12 V lamp minus", (dx, low))
        self.terminal(f"{role}: 12 V lamp plus", (dx, top))
        level, near, far, cell = top - 24, dx + 30, dx + 100, dx + 150
        self.path_of((dx, top), (dx, level), (near, level))
        self.rect(near, level - 12, far - near, 24, "#ffffff", stroke=INK, stroke_width=4)
        self.line((near, level), (far, level), width=3)
        self.text((near + far) / 2, level - 20, "fuse 1 A", size=20, bold=True)
        self.terminal(f"{role}: 12 V fuse near", (near, level))
        self.terminal(f"{role}: 12 V fuse far", (far, level))
        self.path_of((far, level), (cell, level), (cell, level + 40))
        self.line((cell - 26, level + 40), (cell + 26, level + 40), width=4)
        self.line((cell - 14, level + 54), (cell + 14, level + 54), width=8)
        self.text(cell + 34, level + 54, "12 V", size=21, anchor="start", bold=True)
        self.text(cell - 16, level + 34, "+", size=22, anchor="end", bold=True)
        self.terminal(f"{role}: 12 V supply plus", (cell, level + 40))
        self.terminal(f"{role}: 12 V supply minus", (cell, level + 54))
        self.path_of((cell, level + 54), (cell, level + 84))
        self.ground(cell, level + 84)

    draw_rgb_lamp = draw_lamp

    def draw_channel(self, x, y, role, value="strip"):
        """A MOSFET that switches a wire to ground. Returns the point of its drain."""
        start = self.flag(x, y + 53, role)
        y = start[1]
        node, gate, bar, line = x + 400, x + 470, x + 482, x + 520
        self.resistor(start, (node, y), role, "100 Ω")
        self.dot(node, y)
        self.path_of((node, y), (gate, y))
        self.resistor((node, y), (node, y + 104), role, "10 kΩ")
        self.ground(node, y + 104)
        self.line((gate, y - 26), (gate, y + 26), width=5)
        for low, high in ((-30, -12), (-8, 8), (12, 30)):
            self.line((bar, y + low), (bar, y + high), width=5)
        self.line((bar, y - 21), (line, y - 21), width=4)
        self.line((line, y - 21), (line, y - 44), width=4)
        self.line((bar, y), (line, y), width=4)
        self.line((bar, y + 21), (line, y + 21), width=4)
        self.line((line, y), (line, y + 44), width=4)
        self.path(f"M {bar + 3} {y} l 14 -7 v 14 Z", INK)
        self.text(line + 24, y + 8, "IRF3708", size=21, anchor="start", bold=True)
        for dx, dy, letter in ((-34, -14, "G"), (18, -30, "D"), (18, 48, "S")):
            self.text((gate if letter == "G" else line) + dx + (16 if letter == "G" else 0), y + dy, letter, size=20, fill="#b3261e", bold=True)
        self.terminal(f"{role}: IRF3708 gate", (gate, y))
        self.terminal(f"{role}: IRF3708 drain", (line, y - 44))
        self.terminal(f"{role}: IRF3708 source", (line, y + 44))
        self.path_of((line, y + 44), (line, y + 104))
        self.ground(line, y + 104)
        if value == "strip":
            self.path_of((line, y - 44), (line, y - 62), (line + 60, y - 62))
            self.text(line + 72, y - 54, f"strip's {role[0].upper()}", size=21, anchor="start", bold=True)
            self.terminal(f"{role}: strip lamp minus", (line + 60, y - 62))
        return line, y - 44

    def draw_button(self, x, y, role):
        start = self.flag(x, y, role)
        y = start[1]
        self.path_of(start, (x + 420, y))
        for cx in (x + 426, x + 494):
            self.circle(cx, y, 7, "#ffffff", stroke=INK, stroke_width=4)
        self.line((x + 430, y - 8), (x + 496, y - 30), width=4)
        self.text(x + 460, y + 36, "push button", size=21, bold=True)
        self.terminal(f"{role}: push button", (x + 420, y))
        self.terminal(f"{role}: push button", (x + 500, y))
        self.path_of((x + 500, y), (x + 640, y), (x + 640, y + 24))
        self.ground(x + 640, y + 24)

    def draw_buzzer(self, x, y, role):
        tx, ty = x + 500, y + 220
        start = self.flag(x, y + 173, role)
        self.resistor(start, (x + 370, ty), role, "1 kΩ")
        self.path_of((x + 370, ty), (x + 400, ty), (tx - 20, ty))
        self.dot(x + 400, ty)
        self.resistor((x + 400, ty), (x + 400, ty + 104), role, "10 kΩ")
        self.ground(x + 400, ty + 104)
        self.circle(tx, ty, 42, "none", stroke=INK, stroke_width=3)
        self.line((tx - 20, ty - 26), (tx - 20, ty + 26), width=6)
        self.line((tx - 20, ty - 12), (tx + 20, ty - 40), width=4)
        self.line((tx - 20, ty + 12), (tx + 20, ty + 40), width=4)
        self.path(f"M {tx + 20} {ty + 40} l -17 -3 l 9 -12 Z", INK)
        self.text(tx + 52, ty + 8, "2N3904", size=21, anchor="start", bold=True)
        for dx, dy, letter in ((-54, -12, "B"), (38, -30, "C"), (38, 48, "E")):
            self.text(tx + dx, ty + dy, letter, size=20, fill="#b3261e", bold=True)
        self.terminal(f"{role}: 2N3904 base", (tx - 20, ty))
        self.terminal(f"{role}: 2N3904 collector", (tx + 20, ty - 40))
        self.terminal(f"{role}: 2N3904 emitter", (tx + 20, ty + 40))
        self.path_of((tx + 20, ty + 40), (tx + 20, ty + 104))
        self.ground(tx + 20, ty + 104)
        cx, top, low = tx + 20, y + 46, ty - 70
        self.path_of((cx, ty - 40), (cx, low), (cx, low - 20))
        self.path_of((cx, low), (cx + 112, low), (cx + 112, low - 14))
        self.dot(cx, low)
        self.circle(cx, (top + low) / 2 + 4, 34, "#ffffff", stroke=INK, stroke_width=4)
        self.text(cx - 46, (top + low) / 2 - 4, "active", size=21, anchor="end", bold=True)
        self.text(cx - 46, (top + low) / 2 + 22, "buzzer", size=21, anchor="end", bold=True)
        self.text(cx, (top + low) / 2 - 4, "+", size=24, bold=True)
        self.text(cx, (top + low) / 2 + 30, "−", size=24, bold=True)
        self.terminal(f"{role}: active buzzer minus", (cx, low - 20))
        self.terminal(f"{role}: active buzzer plus", (cx, top + 20))
        self.path_of((cx, top + 20), (cx, top), (cx, top - 16))
        self.dot(cx, top)
        self.supply(cx, top - 16, "five")
        dx = cx + 112
        self.path_of((cx, top), (dx, top))
        self.diode(dx, top, low, role)

    def draw_module(self, x, y, role):
        start = self.flag(x, y + 93, role)
        y = start[1]
        node, left = x + 340, x + 500
        self.path_of(start, (node, y), (left, y))
        self.dot(node, y)
        self.resistor((node, y), (node, y - 90), role, "3.3 kΩ")
        self.supply(node, y - 90, "three")
        self.rect(left, y - 50, 200, 100, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        self.text(left + 12, y + 8, "I/O", size=21, anchor="start")
        self.text(left + 100, y - 24, "VCC", size=21)
        self.text(left + 100, y + 42, "GND", size=21)
        self.text(left + 188, y + 8, "module", size=21, anchor="end", bold=True)
        self.terminal(f"{role}: buzzer module input", (left, y))
        self.terminal(f"{role}: buzzer module supply", (left + 100, y - 50))
        self.terminal(f"{role}: buzzer module ground", (left + 100, y + 50))
        self.path_of((left + 100, y - 50), (left + 100, y - 90))
        self.supply(left + 100, y - 90, "three")
        self.path_of((left + 100, y + 50), (left + 100, y + 84))
        self.ground(left + 100, y + 84)

    def draw_display(self, x, y, role):
        left, width = x + 440, 290
        lines = ((role, "CLK", self.flag(x, y + 63, role)), ("data", "DIO", self.flag(x, y + 153, "data")))
        top, bottom = lines[0][2][1] - 50, lines[1][2][1] + 50
        self.rect(left, top, width, bottom - top, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        for line, pin, start in lines:
            end = left, start[1]
            self.path_of(start, end)
            self.text(left + 12, end[1] + 8, pin, size=21, anchor="start")
            self.terminal(f"{line}: TM1637 module {pin}", end)
        middle, height = left + width / 2, (top + bottom) / 2
        for step, words in enumerate(("TM1637 module", "with pull-up", "resistors")):
            self.text(middle + 30, height - 18 + 26 * step, words, size=20, bold=step == 0)
        self.text(middle, top + 28, "VCC", size=21)
        self.text(middle, bottom - 12, "GND", size=21)
        self.terminal(f"{role}: TM1637 module VCC", (middle, top))
        self.terminal(f"{role}: TM1637 module GND", (middle, bottom))
        self.path_of((middle, top), (middle, top - 24))
        self.supply(middle, top - 24, "three")
        self.path_of((middle, bottom), (middle, bottom + 24))
        self.ground(middle, bottom + 24)

    def draw_pedal(self, x, y, role):
        start = self.flag(x, y + 93, role)
        y = start[1]
        near, far, left = x + 290, x + 460, x + 580
        self.path_of(start, (near, y))
        self.dot(near, y)
        self.path_of((near, y), (near, y + 46))
        self.capacitor(near, y + 46, role)
        self.path_of((near, y + 62), (near, y + 88))
        self.ground(near, y + 88)
        self.resistor((near, y), (far, y), role, "1 kΩ")
        self.dot(far, y)
        self.resistor((far, y), (far, y - 90), role, "10 kΩ")
        self.supply(far, y - 90, "three")
        self.path_of((far, y), (left, y))
        self.rect(left, y - 34, 170, 112, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        self.text(left + 12, y + 8, "tip", size=21, anchor="start")
        self.text(left + 12, y + 58, "sleeve", size=21, anchor="start")
        self.text(left + 85, y - 44, "jack", size=21, bold=True)
        self.text(left + 158, y, "foot", size=20, anchor="end", bold=True)
        self.text(left + 158, y + 24, "switch", size=20, anchor="end", bold=True)
        self.terminal(f"{role}: foot switch tip", (left, y))
        self.terminal(f"{role}: foot switch sleeve", (left, y + 50))
        self.path_of((left, y + 50), (left - 60, y + 50), (left - 60, y + 88))
        self.ground(left - 60, y + 88)

    def draw_foot(self, x, y, role):
        """Two buttons and two foot switches. Each pair shares a line."""
        left, ends = x + 648, []
        for line, part, top in ((role, "tip", y + 93), ("tap", "ring", y + 323)):
            start = self.flag(x, top, line)
            level = start[1]
            near, button, far, up = x + 280, x + 430, x + 440, x + 548
            self.path_of(start, (near, level), (button, level), (far, level))
            self.dot(near, level)
            self.path_of((near, level), (near, level + 46))
            self.capacitor(near, level + 46, line)
            self.path_of((near, level + 62), (near, level + 88))
            self.ground(near, level + 88)
            self.dot(button, level)
            self.path_of((button, level), (button, level + 30))
            for contact in (level + 36, level + 72):
                self.circle(button, contact, 6, "#ffffff", stroke=INK, stroke_width=4)
            self.line((button + 8, level + 38), (button + 26, level + 70), width=4)
            self.text(button + 38, level + 52, "push button", size=20, anchor="start", bold=True)
            self.terminal(f"{line}: push button", (button, level + 30))
            self.terminal(f"{line}: push button", (button, level + 78))
            self.path_of((button, level + 78), (button, level + 88))
            self.ground(button, level + 88)
            self.resistor((far, level), (up, level), line, "1 kΩ")
            self.dot(up, level)
            self.resistor((up, level), (up, level - 90), line, "10 kΩ")
            self.supply(up, level - 90, "three")
            self.path_of((up, level), (left, level))
            self.terminal(f"{line}: foot switch {part}", (left, level))
            ends.append((part, level))
        (_, first), (_, last) = ends
        self.rect(left, first - 34, 116, last - first + 112, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        for part, level in [*ends, ("sleeve", last + 50)]:
            self.text(left + 12, level + 8, part, size=21, anchor="start")
        for step, words in enumerate(("jack,", "two foot", "switches")):
            self.text(left + 58, (first + last) / 2 + 26 * step, words, size=20, bold=True)
        self.terminal(f"{role}: foot switch sleeve", (left, last + 50))
        self.path_of((left, last + 50), (left - 20, last + 50), (left - 20, last + 88))
        self.ground(left - 20, last + 88)

    def draw_headphones(self, x, y, role):
        """The ground of the sound card is in the middle, so that no lines cross."""
        self.text(x + 16, y + 8, role, size=24, anchor="start", bold=True)
        top = y + 50
        card, pot, amplifier, socket = x + 150, x + 236, x + 396, x + 644

        def box(left, width, words):
            self.rect(left, top, width, 200, "#ffffff", rx=6, stroke=INK, stroke_width=4)
            for step, word in enumerate(words):
                self.text(left + width / 2, top + 224 + 24 * step, word, size=20, bold=True)

        box(x + 16, card - x - 16, ("sound card,", "output"))
        for level, words, leg in ((20, "left (tip)", "left"), (100, "sleeve", "sleeve"), (180, "right (ring)", "right")):
            self.text(card - 8, top + level + 8, words, size=19, anchor="end")
            self.terminal(f"{role}: sound card {leg}", (card, top + level))
        common = (pot, top + 100)
        self.path_of((card, top + 100), common)
        self.dot(*common)
        for side, end, way in (("left", top + 20, 1), ("right", top + 180, -1)):
            middle = (end + common[1]) / 2
            self.path_of((card, end), (pot, end))
            self.line((pot, end), common, width=4)
            self.rect(pot - 12, middle - 26, 24, 52, "#ffffff", stroke=INK, stroke_width=4)
            self.text(pot - 20, end + 24 * way + 4, "3", size=18, anchor="end", fill="#b3261e", bold=True)
            self.text(pot - 20, common[1] - 18 * way + 8, "1", size=18, anchor="end", fill="#b3261e", bold=True)
            self.terminal(f"{role}: potentiometer {side} 3", (pot, end))
            self.terminal(f"{role}: potentiometer {side} 1", common)
            self.path(f"M {pot + 14} {middle} l 16 -8 v 16 Z", INK)
            self.text(pot + 40, middle - 10, "2", size=18, fill="#b3261e", bold=True)
            self.path_of((pot + 28, middle), (amplifier, middle))
            self.terminal(f"{role}: potentiometer {side} 2", (pot + 28, middle))
            self.terminal(f"{role}: amplifier IN {side[0].upper()}", (amplifier, middle))
        self.path_of(common, (amplifier, common[1]))
        self.terminal(f"{role}: amplifier IN GND", (amplifier, common[1]))
        for step, words in enumerate(("potentiometer", "10 kΩ, log,", "two halves")):
            self.text(pot + 26, top + 224 + 24 * step, words, size=20, bold=True)
        width = 204
        self.rect(amplifier, top, width, 200, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        self.text(amplifier + width / 2, top + 30, "amplifier", size=20, bold=True)
        for level, pin, leg in ((60, "L", "tip"), (100, "GND", "sleeve"), (140, "R", "ring")):
            self.text(amplifier + 10, top + level + 8, f"IN {pin}", size=18, anchor="start")
            self.text(amplifier + width - 10, top + level + 8, f"OUT {pin}", size=18, anchor="end")
            self.path_of((amplifier + width, top + level), (socket, top + level))
            self.terminal(f"{role}: amplifier OUT {pin}", (amplifier + width, top + level))
            self.terminal(f"{role}: socket {leg}", (socket, top + level))
        box(socket, 110, ("socket",))
        for level, leg in ((60, "tip"), (100, "sleeve"), (140, "ring")):
            self.text(socket + 12, top + level + 8, leg, size=19, anchor="start")
        plug = top + 250
        for at, sign, leg in ((amplifier + 62, "+", "plus"), (amplifier + 142, "−", "minus")):
            self.path_of((at, top + 200), (at, plug))
            self.text(at, top + 190, sign, size=22, bold=True)
            self.text(at, plug + 26, sign, size=22, bold=True)
            self.terminal(f"{role}: amplifier {leg}", (at, top + 200))
            self.terminal(f"{role}: USB cable {leg}", (at, plug))
        self.rect(amplifier, plug, width, 70, "none", rx=6, stroke=INK, stroke_width=4)
        self.text(amplifier + width / 2, plug + 56, "USB cable, 5 V", size=20, bold=True)

    def diode(self, x, top, low, role):
        """A 1N4148 that conducts upwards, between two points of a vertical line."""
        y = (top + low) / 2
        self.path_of((x, top), (x, y - 20))
        self.path_of((x, low), (x, y + 22))
        self.path(f"M {x - 22} {y + 22} h 44 l -22 -40 Z", "#ffffff", stroke=INK, stroke_width=4)
        self.line((x - 22, y - 20), (x + 22, y - 20), width=5)
        self.text(x + 32, y - 10, "band", size=19, anchor="start")
        self.text(x + 32, y + 18, "1N4148", size=20, anchor="start", bold=True)
        self.terminal(f"{role}: 1N4148 cathode", (x, y - 20))
        self.terminal(f"{role}: 1N4148 anode", (x, y + 22))

    def capacitor(self, x, y, role):
        """100 nF between a line above and a line below."""
        for dy in (2, 14):
            self.line((x - 26, y + dy), (x + 26, y + dy), width=5)
        self.text(x + 36, y + 16, "100 nF", size=21, anchor="start", bold=True)
        self.terminal(f"{role}: 100 nF", (x, y))
        self.terminal(f"{role}: 100 nF", (x, y + 16))

    def socket(self, x, y, role, ends):
        """A MIDI socket; `ends` has the height of each of its pins below y."""
        self.rect(x, y - 34, 130, max(ends.values()) + 58, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        self.text(x + 65, y - 44, role.upper(), size=21, bold=True)
        for pin, dy in ends.items():
            self.text(x + 12, y + dy + 8, f"{pin} {({4: 'ring', 5: 'tip', 2: 'sleeve'})[pin]}", size=21, anchor="start")

    def draw_midi_out(self, x, y, role):
        start = self.flag(x, y + 93, role)
        y = start[1]
        node, tx, left = x + 350, x + 510, x + 622
        bar, line = tx - 20, tx + 20
        self.resistor(start, (node, y), role, "1 kΩ")
        self.dot(node, y)
        self.path_of((node, y), (bar, y))
        self.resistor((node, y), (node, y - 90), role, "3.3 kΩ")
        self.supply(node, y - 90, "three")
        self.circle(tx, y, 42, "none", stroke=INK, stroke_width=3)
        self.line((bar, y - 26), (bar, y + 26), width=6)
        self.line((bar, y - 12), (line, y - 40), width=4)
        self.line((bar, y + 12), (line, y + 40), width=4)
        self.path(f"M {bar + 4} {y - 14} l 19 -2 l -9 -14 Z", INK)
        self.text(tx + 52, y + 8, "2N3906", size=21, anchor="start", bold=True)
        for dx, dy, letter in ((-54, -12, "B"), (38, -30, "E"), (38, 48, "C")):
            self.text(tx + dx, y + dy, letter, size=20, fill="#b3261e", bold=True)
        self.terminal(f"{role}: 2N3906 base", (bar, y))
        self.terminal(f"{role}: 2N3906 emitter", (line, y - 40))
        self.terminal(f"{role}: 2N3906 collector", (line, y + 40))
        self.path_of((line, y - 40), (line, y - 90))
        self.supply(line, y - 90, "three")
        four, five, two = y + 100, y + 160, y + 220
        self.path_of((line, y + 40), (line, four))
        self.resistor((line, four), (left, four), role, "33 Ω")
        self.resistor((line, five), (left, five), role, "10 Ω")
        self.path_of((line, five), (x + 430, five), (x + 430, five + 20))
        self.ground(x + 430, five + 20)
        self.path_of((left, two), (x + 530, two), (x + 530, two + 16))
        self.ground(x + 530, two + 16)
        self.socket(left, four, role, {4: 0, 5: 60, 2: 120})
        for pin, height in ((4, four), (5, five), (2, two)):
            self.terminal(f"{role}: MIDI socket pin {pin}", (left, height))

    def draw_midi_in(self, x, y, role):
        start = self.flag(x, y + 133, role)
        y = start[1]
        node, left, middle, right, shunt, socket = x + 256, x + 346, x + 404, x + 462, x + 498, x + 628
        one, two = y, y + 92
        self.path_of(start, (node, y), (left, y))
        self.dot(node, y)
        self.resistor((node, y), (node, y - 90), role, "1 kΩ")
        self.supply(node, y - 90, "three")
        self.rect(left, y - 60, right - left, 180, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        self.text(left + 40, y + 52, "H11L1", size=18, bold=True)
        light = right - 16
        self.line((light, y + 20), (light, y + 68), width=3)
        self.path(f"M {light - 11} {y + 34} h 22 l -11 18 Z", "#ffffff", stroke=INK, stroke_width=3)
        self.line((light - 11, y + 53), (light + 11, y + 53), width=4)
        for dx, dy, anchor, words in (
                (10, 8, "start", "4"), (58, -38, "middle", "6"), (58, 112, "middle", "5"), (106, 8, "end", "1"),
                (106, 100, "end", "2")):
            self.text(left + dx, y + dy, words, size=20, anchor=anchor)
        self.terminal(f"{role}: H11L1 pin 4", (left, y))
        self.path_of((middle, y - 60), (middle, y - 90))
        self.supply(middle, y - 90, "three")
        self.terminal(f"{role}: H11L1 pin 6", (middle, y - 60))
        self.path_of((middle, y + 120), (middle, y + 134))
        self.ground(middle, y + 134)
        self.terminal(f"{role}: H11L1 pin 5", (middle, y + 120))
        self.line((left - 24, two), (left, two), width=4)
        self.text(left + 10, two + 8, "3", size=20, anchor="start")
        self.text(left - 34, two + 8, "empty", size=19, anchor="end")
        self.terminal(f"{role}: H11L1 pin 3", (left, two))
        # The capacitor stands beside pins 5 and 6.
        self.path_of((x + 560, y - 126), (x + 560, y - 112))
        self.supply(x + 560, y - 126, "three")
        self.capacitor(x + 560, y - 112, role)
        self.path_of((x + 560, y - 96), (x + 560, y - 80))
        self.ground(x + 560, y - 80)
        self.terminal(f"{role}: H11L1 pin 1", (right, one))
        self.terminal(f"{role}: H11L1 pin 2", (right, two))
        self.path_of((right, one), (shunt, one))
        self.resistor((shunt, one), (socket, one), role, "220 Ω")
        self.path_of((right, two), (shunt, two), (socket, two))
        self.diode(shunt, one, two, role)
        self.dot(shunt, one)
        self.dot(shunt, two)
        self.socket(socket, one, role, {4: 0, 5: 92, 2: 140})
        self.line((socket - 24, one + 140), (socket, one + 140), width=4)
        self.text(socket - 34, one + 148, "empty", size=19, anchor="end")
        self.terminal(f"{role}: MIDI socket pin 4", (socket, one))
        self.terminal(f"{role}: MIDI socket pin 5", (socket, two))

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
