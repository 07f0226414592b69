"""The picture of what lies on the table: the Pi's header, the breadboard, the parts in their holes, the wires."""

import legend
from circuit import COLUMNS, Hole
from pins import header
from svg import INK, Drawing

WIDTH, HEIGHT = 1600, 1960
PITCH, LEFT = 46, 133
"""Between two holes, and where column 1 is."""
PIN_PITCH, PIN_LEFT = 68, 132
RAILS = {"+": 352, "-": 398}
ROWS = dict(zip("jihgfedcba", [510, 556, 602, 648, 694, 832, 878, 924, 970, 1016]))
UNUSED_RAILS = (1128, 1174)
BOARD_TOP, BOARD_BOTTOM = 318, 1206
TAGS, LANES = 1226, 1294
EVEN_PINS, ODD_PINS = 1516, 1610
LEGEND = 1740
HALO = "#f6f4ee"

COLOURS = {
    "black": "#22252b", "red": "#d8262c", "yellow": "#e8b800", "orange": "#f07d1a", "violet": "#8e44ad",
    "green": "#2a9d3f", "grey": "#858c96", "blue": "#2367c9", "brown": "#8a5a2b", "turquoise": "#13a5a5",
    "pink": "#e75a9c",
}
BANDS = {
    "470 Ω": ("#f2c500", "#7d3cb5", "#7a4a21"), "1 kΩ": ("#7a4a21", "#111111", "#d8262c"),
    "10 kΩ": ("#7a4a21", "#111111", "#f07d1a"), "3.3 kΩ": ("#f07d1a", "#f07d1a", "#d8262c"),
}
"""Three of the colours; the fourth is the tolerance."""


def place(hole):
    return LEFT + (hole.column - 1) * PITCH, RAILS.get(hole.row) or ROWS[hole.row]


def pin_place(pin):
    return PIN_LEFT + (pin - 1) // 2 * PIN_PITCH, ODD_PINS if pin % 2 else EVEN_PINS


class Picture(Drawing):
    """Of one circuit."""

    def __init__(self, circuit):
        self.circuit, self.variant = circuit, circuit.variant
        beside = any(piece.kind in ("buzzer", "module", "jack") for piece in circuit.pieces)
        top = 0 if beside else BOARD_TOP - 70
        super().__init__(WIDTH, HEIGHT, self.variant["title"], top)
        self.text(WIDTH / 2, top + 44, self.variant["title"], size=30, bold=True)
        self.board()
        self.pi()
        self.feeds()
        order = ["resistor", "capacitor", "diode", "button", "wire", "LED", "transistor", "buzzer", "module", "jack"]
        for piece in sorted(circuit.pieces, key=lambda piece: order.index(piece.kind)):
            getattr(self, "draw_" + piece.kind)(piece)
        legend.draw(self, circuit, LEGEND)

    # The board.

    def board(self):
        left, right = LEFT - 44, LEFT + (COLUMNS - 1) * PITCH + 44
        self.rect(left, BOARD_TOP, right - left, BOARD_BOTTOM - BOARD_TOP, HALO, rx=10, stroke="#c9c4b6", stroke_width=2)
        gap = (ROWS["f"] + ROWS["e"]) / 2
        self.rect(left + 2, gap - 20, right - left - 4, 40, "#e4dfd2")
        for y, colour, sign in [(RAILS["+"], "red", "+"), (RAILS["-"], "black", "−"),
                                (UNUSED_RAILS[0], "black", "−"), (UNUSED_RAILS[1], "red", "+")]:
            outwards = -22 if sign == "+" and y < gap or sign == "−" and y > gap else 22
            self.line((LEFT - 10, y + outwards), (right - 34, y + outwards), colour=COLOURS[colour], width=2, opacity="0.6")
            for x in (left + 18, right - 18) if y > gap else (right - 18,):
                self.text(x, y + 7, sign, size=22, fill=COLOURS[colour], bold=True)
            for column in range(COLUMNS):
                self.hole(LEFT + column * PITCH, y)
        for row, y in ROWS.items():
            for x in (left + 18, right - 18):
                self.text(x, y + 6, row, size=16, fill="#8b8676")
            for column in range(COLUMNS):
                self.hole(LEFT + column * PITCH, y)
        fed = {hole.column: str(hole) for _, _, hole in self.circuit.feeds if hole.row == "a"}
        for column in range(1, COLUMNS + 1):
            x = LEFT + (column - 1) * PITCH
            if column not in self.covered():
                self.text(x, ROWS["j"] - 24, str(column), size=14, fill="#8b8676")
            if column in fed:
                self.text(x + 10, ROWS["a"] + 58, fed[column], size=15, anchor="start", bold=True)
            else:
                self.text(x, ROWS["a"] + 36, str(column), size=14, fill="#8b8676")

    def covered(self):
        """The columns whose upper numbers lie under a wire or a part; below the board's other half they stand again."""
        columns = set()
        for piece in self.circuit.pieces:
            if piece.kind == "jack":
                columns.add(piece.hole("tip").column + 1)
            elif piece.kind in ("buzzer", "module"):
                columns.add(piece.hole("minus" if piece.kind == "buzzer" else "input").column)
            elif any(hole.row in "+-" for _, hole in piece.legs):
                columns |= {hole.column for _, hole in piece.legs}
        return columns

    def hole(self, x, y):
        self.rect(x - 6, y - 6, 12, 12, "#d3cdbd", rx=2)
        self.rect(x - 3.5, y - 3.5, 7, 7, "#4d4a42", rx=1)

    # The Pi.

    def pi(self):
        left, right = PIN_LEFT - 50, PIN_LEFT + 19 * PIN_PITCH + 50
        card = self.variant.get("card")
        self.rect(left, EVEN_PINS - 34, right - left, 212, "#dcefe0", rx=14, stroke="#5d9a6b", stroke_width=3)
        self.rect(PIN_LEFT - 36, EVEN_PINS - 24, 19 * PIN_PITCH + 72, ODD_PINS - EVEN_PINS + 48, "#2b2f36", rx=6)
        used = {pin["pin"] for pin, _, _ in self.circuit.feeds}
        taken = card["pins"] if card else {}
        for pin, name in header().items():
            x, y = pin_place(pin)
            fill = {"GND": "#555b66", "5 V": "#d8262c", "3.3 V": "#d8262c"}.get(name, "#b88a2c")
            fill = "#8e44ad" if pin in taken else fill
            strong = pin in used
            self.rect(x - 15, y - 15, 30, 30, fill if strong or pin in taken else "#3d424c", rx=1 if pin == 1 else 8,
                      stroke="#ffffff" if strong else fill, stroke_width=3 if strong else 2)
            self.text(x, y + 5.5, str(pin), size=15, fill="#ffffff" if strong or pin in taken else "#aab0bb", bold=strong)
            label = {"GPIO0": "ID SD", "GPIO1": "ID SC"}.get(name, name)
            self.text(x, EVEN_PINS + 32 if pin % 2 == 0 else ODD_PINS + 42, label, size=13.5,
                      fill=("#ffffff" if pin % 2 == 0 else INK) if strong else ("#8f96a3" if pin % 2 == 0 else "#6b7a70"),
                      bold=strong)
        self.text(left + 14, ODD_PINS + 78, "◄ SD card", size=17, anchor="start", fill="#2f6b3e")
        self.text(right - 14, ODD_PINS + 78, "USB ►", size=17, anchor="end", fill="#2f6b3e")
        words = "Raspberry Pi, seen from above, header at this edge; pin 1 is the square one"
        if taken:
            words = "Raspberry Pi, under the sound card, seen from above; violet: pins that the card uses"
        self.text((left + right) / 2, ODD_PINS + 78, words, size=17, fill="#2f6b3e")
        if card and not taken:
            self.usb_card(right, card["name"])

    def usb_card(self, x, name):
        y = EVEN_PINS + 20
        self.rect(x - 6, y, 24, 52, "#b9bec7", stroke="#6d7480", stroke_width=2)
        self.rect(x + 16, y - 24, 96, 100, "#3a4150", rx=10)
        for line, word in enumerate(name.split()):
            self.text(x + 64, y + 6 + 24 * line, word, size=16, fill="#ffffff", bold=True)
        self.circle(x + 64, y + 76, 11, "#9fd3a8", stroke="#222222", stroke_width=3)
        self.line((x + 64, y + 76), (x + 64, y + 156), width=6)
        for line, words in enumerate(["to the amplifier", "or headphones"]):
            self.text(WIDTH - 8, y + 182 + 20 * line, words, size=15, anchor="end")

    # The wires between the two.

    def feeds(self):
        supplies = [feed for feed in self.circuit.feeds if feed[1] in self.circuit.pins.supplies]
        signals = [feed for feed in self.circuit.feeds if feed not in supplies]
        ends = []
        for index, feed in enumerate(sorted(supplies, key=lambda feed: feed[0]["pin"])):
            ends.append((feed, self.start(feed[0]["pin"]), 28 + 32 * index if len(supplies) > 1 else 44))
        for feed in sorted(signals, key=lambda feed: feed[2].column):
            ends.append((feed, self.start(feed[0]["pin"]), place(feed[2])[0]))
        lanes = self.lanes([(start, end) for _, start, end in ends])
        for (feed, start, end), lane in zip(ends, lanes):
            pin, _, hole = feed
            x, y = pin_place(pin["pin"])
            points = [(x, y - 16)] if y == EVEN_PINS else [(x, y - 16), (x, y - 30), (start, y - 30)]
            points += [(start, lane), (end, lane)]
            hx, hy = place(hole)
            points += [(end, hy), (hx, hy)] if feed in supplies else [(end, hy)]
            self.wire(points, pin["wire"])
            if feed in supplies:
                self.tag(start, EVEN_PINS - 70, pin["wire"], f"{pin['name']} · pin {pin['pin']}")
            else:
                self.tag(end, TAGS, pin["wire"], feed[1], f"{pin['name']} · pin {pin['pin']}")

    @staticmethod
    def start(pin):
        """Where the wire of a pin leaves the header: those of the inner row between those of the outer, pin 1 beside them."""
        x, _ = pin_place(pin)
        return x if pin % 2 == 0 else x - PIN_PITCH / 2 - 6 if pin == 1 else x + PIN_PITCH / 2

    @staticmethod
    def lanes(ends):
        """A height for the level part of each wire, such that none crosses another: of those that go to the right the
        leftmost is the uppermost, of those that go to the left the rightmost."""
        heights = [None] * len(ends)
        for group in ([i for i, (start, end) in enumerate(ends) if end >= start],
                      [i for i, (start, end) in reversed(list(enumerate(ends))) if end < start]):
            for place_in_group, index in enumerate(group):
                heights[index] = LANES + 17 * place_in_group
        return heights

    def tag(self, x, y, colour, *lines):
        width, height = (128, 48) if len(lines) > 1 else (112, 30)
        self.rect(x - width / 2, y, width, height, "#ffffff", rx=8, stroke=COLOURS[colour], stroke_width=3)
        for index, line in enumerate(lines):
            only = len(lines) == 1
            self.text(x, y + 20 + 20 * index, line, size=16 if index == 0 and not only else 14, bold=index == 0)

    def wire(self, points, colour, width=7):
        self.line(*points, colour="#ffffff", width=width + 5)
        self.line(*points, colour=COLOURS[colour], width=width)
        for x, y in (points[0], points[-1]):
            self.circle(x, y, width / 2 + 1.5, COLOURS[colour], stroke="#ffffff", stroke_width=1.5)

    # The parts.

    def legs(self, piece):
        return [place(hole) for _, hole in piece.legs]

    def draw_wire(self, piece):
        self.wire(self.legs(piece), piece.value)

    def lead(self, *points):
        """The bare leg of a part."""
        self.line(*points, colour="#9aa0a8", width=5)
        self.circle(*points[-1], 4.5, "#9aa0a8")

    def draw_resistor(self, piece):
        (x1, y1), (x2, y2) = sorted(self.legs(piece))
        self.lead((x1, y1), (x2, y2))
        self.circle(x1, y1, 4.5, "#9aa0a8")
        cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
        if piece.legs[1][1].row in "+-":
            cy = (ROWS["j"] + RAILS["-"]) / 2 + 6
        level = y1 == y2
        self.resistor(cx, cy, piece.value, level)
        if level:
            self.text(cx, cy - 24, piece.value, bold=True, halo=HALO)
        elif piece.legs[1][1].row in "+-":
            self.text(cx + 31, cy, piece.value, size=17, bold=True, halo=HALO, turned=True)
        else:
            self.text(cx + 20, cy + 6, piece.value, anchor="start", bold=True, halo="#e4dfd2")

    def resistor(self, cx, cy, value, level):
        length, thick = 84, 26
        bands = list(zip((-26, -10, 6), BANDS[value])) + [(28, "#c9a227")]
        if level:
            self.rect(cx - length / 2, cy - thick / 2, length, thick, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            for offset, colour in bands:
                self.rect(cx + offset - 4, cy - thick / 2 + 1, 8, thick - 2, colour)
        else:
            self.rect(cx - thick / 2, cy - length / 2, thick, length, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            for offset, colour in bands:
                self.rect(cx - thick / 2 + 1, cy + offset - 4, thick - 2, 8, colour)

    def draw_LED(self, piece):
        (ax, ay), (cx, cy) = place(piece.hole("anode")), place(piece.hole("cathode"))
        x, y, r = (ax + cx) / 2, ay - 62, 35
        self.lead((ax + 8, y + 10), (ax, y + 40), (ax, ay))
        self.lead((cx - 8, y + 10), (cx - 8, cy - 14), (cx, cy))
        flat = x + 26
        height = (r * r - 26 * 26) ** 0.5
        colour = {"light": ("#ffd84a", "#b98a00"), "pendulum": ("#ff9a4a", "#b85a10")}[piece.role]
        rim = f"M {flat} {y - height:.1f} A {r} {r} 0 1 0 {flat} {y + height:.1f} Z"
        self.path(rim, colour[0], stroke=colour[1], stroke_width=3)
        self.circle(x - 3, y, 22, "none", stroke=colour[1], stroke_width=1.5, opacity="0.7")
        self.text(x - 3, y + 6, "LED", size=16, bold=True)
        self.text(ax - 15, ay - 12, "+", size=24, bold=True, fill="#d8262c", halo=HALO)
        self.text(cx + 17, cy - 10, "−", size=24, bold=True, halo=HALO)

    def draw_transistor(self, piece):
        feet = self.legs(piece)
        x, y = feet[1][0], feet[1][1] - 30
        for (fx, fy), from_x in zip(feet, (x - 18, x, x + 18)):
            self.lead((from_x, y), (fx, fy))
        self.path(f"M {x - 48} {y + 8} L {x + 48} {y + 8} A 49 46 0 0 0 {x - 48} {y + 8} Z", "#2b2f36", stroke="#0d0f12",
                  stroke_width=2)
        self.text(x, y, "2N3904", size=15, bold=True, fill="#ffffff")
        for (fx, fy), name in zip(feet, "EBC"):
            self.text(fx, fy + 26, name, size=18, bold=True, fill="#b3261e", halo=HALO)

    def draw_diode(self, piece):
        (ax, y), (cx, _) = place(piece.hole("anode")), place(piece.hole("cathode"))
        self.lead((ax, y), (cx, y))
        self.circle(ax, y, 4.5, "#9aa0a8")
        middle = (ax + cx) / 2
        self.rect(middle - 34, y - 13, 68, 26, "#e0763a", rx=6, stroke="#8f4218", stroke_width=2)
        self.rect(middle + 17, y - 12, 9, 24, "#161616")
        self.text(middle, y + 36, "1N4148", size=16, bold=True, halo=HALO)
        self.text(middle + 22, y - 20, "band", size=14, halo=HALO)

    def draw_capacitor(self, piece):
        (x1, y), (x2, _) = self.legs(piece)
        middle = (x1 + x2) / 2
        self.lead((middle - 16, y), (x1, y))
        self.lead((middle + 16, y), (x2, y))
        self.shape("ellipse", cx=middle, cy=y, rx=30, ry=20, fill="#d9a441", stroke="#94701f", stroke_width=2)
        self.text(middle, y + 5, "104", size=14, bold=True)
        self.text(middle, y - 28, piece.value, size=16, bold=True, halo=HALO)

    def draw_button(self, piece):
        feet = self.legs(piece)
        x, y = (feet[0][0] + feet[2][0]) / 2, (ROWS["e"] + ROWS["f"]) / 2
        for fx, fy in feet:
            self.lead((fx, y), (fx, fy))
        self.rect(x - 58, y - 56, 116, 112, "#4a4f59", rx=8, stroke="#24272d", stroke_width=2)
        self.circle(x, y - 14, 31, "#c8ccd3", stroke="#7d838d", stroke_width=3)
        self.text(x, y + 42, piece.role, size=15, bold=True, fill="#ffffff")

    def draw_buzzer(self, piece):
        (mx, my), (px, py) = place(piece.hole("minus")), place(piece.hole("plus"))
        x, y = (mx + px) / 2, 190
        self.wire([(x - 22, y), (x - 22, 286), (mx, 286), (mx, my)], "black", 5)
        self.wire([(x + 22, y), (x + 22, 286), (px, 286), (px, py)], "red", 5)
        self.circle(x, y, 82, "#33373f", stroke="#15171a", stroke_width=3)
        self.circle(x, y, 14, "#0c0d0f")
        self.text(x, y - 34, "active buzzer", size=17, bold=True, fill="#ffffff")
        self.text(x, y + 52, "5 V", size=17, bold=True, fill="#ffffff")
        self.text(x + 50, y + 10, "+", size=34, bold=True, fill="#ff6b6b")
        self.text(x - 50, y + 10, "−", size=34, bold=True, fill="#ffffff")

    def draw_module(self, piece):
        x, y = place(piece.hole("input"))[0], 180
        self.rect(x - 125, y - 84, 250, 140, "#27598f", rx=8, stroke="#12304f", stroke_width=2)
        self.circle(x, y - 22, 46, "#22252b", stroke="#0d0f12", stroke_width=3)
        self.circle(x, y - 22, 9, "#000000")
        self.text(x - 86, y - 54, "buzzer", size=16, bold=True, fill="#ffffff")
        self.text(x + 84, y - 54, "module", size=16, bold=True, fill="#ffffff")
        for leg, word, colour in (("ground", "GND", "black"), ("input", "I/O", "violet"), ("supply", "VCC", "red")):
            hx, hy = place(piece.hole(leg))
            self.text(hx, y + 48, word, size=16, bold=True, fill="#ffffff")
            self.wire([(hx, y + 60), (hx, hy)], colour, 5)

    def draw_jack(self, piece):
        (tx, ty), (sx, sy) = place(piece.hole("tip")), place(piece.hole("sleeve"))
        x, y = tx + 2 * PITCH, 180
        colour = self.circuit.pins.lines[piece.role]["wire"]
        self.wire([(tx + PITCH, y + 30), (tx + PITCH, ty), (tx, ty)], colour, 5)
        self.wire([(sx, y + 30), (sx, sy)], "black", 5)
        self.rect(x - 86, y - 84, 172, 124, "#3a4150", rx=10)
        self.text(x, y - 60, "jack, foot switch", size=16, fill="#ffffff")
        self.text(x, y - 38, piece.role, size=18, bold=True, fill="#ffffff")
        self.circle(x, y - 8, 18, "#c8ccd3", stroke="#8b919b", stroke_width=4)
        self.circle(x, y - 8, 8, "#16181c")
        self.text(tx + PITCH, y + 32, "tip", size=16, bold=True, fill="#ffffff")
        self.text(sx, y + 32, "sleeve", size=16, bold=True, fill="#ffffff")
