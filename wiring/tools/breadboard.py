"""Draws the breadboard with its parts and wires, and the Raspberry Pi's header."""

import board
import legend
from circuit import COLUMNS, Hole
from pins import header
from svg import COLORS, INK, Drawing

WIDTH, HEIGHT = 1600, 2374
PITCH, LEFT = 46, 133
"""Between two holes, and where column 1 is."""
PIN_PITCH, PIN_LEFT = 78, 59
RAILS = {"+": 352, "-": 398}
ROWS = dict(zip("jihgfedcba", [510, 556, 602, 648, 694, 832, 878, 924, 970, 1016]))
UNUSED_RAILS = (1128, 1174)
BOARD_TOP, BOARD_BOTTOM = 318, 1206
TAGS, LANES = 1218, 1316
EVEN_PINS, ODD_PINS = 1560, 1654
PI, LEGEND = 1784, 2154
HALO = "#f6f4ee"
LAMP_WIRE = "maroon"
"""Up to 12 V: no wire to the header has this color."""

BANDS = {
    "470 Ω": ("#f2c500", "#7d3cb5", "#7a4a21"), "1 kΩ": ("#7a4a21", "#111111", "#d8262c"),
    "10 kΩ": ("#7a4a21", "#111111", "#f07d1a"), "3.3 kΩ": ("#f07d1a", "#f07d1a", "#d8262c"),
    "10 Ω": ("#7a4a21", "#111111", "#111111"), "33 Ω": ("#f07d1a", "#f07d1a", "#111111"),
    "220 Ω": ("#d8262c", "#d8262c", "#7a4a21"), "100 Ω": ("#7a4a21", "#111111", "#7a4a21"),
}
"""Three of the colors; the fourth is the tolerance."""


def place(hole):
    return LEFT + (hole.column - 1) * PITCH, RAILS.get(hole.row) or ROWS[hole.row]


def pin_place(pin):
    return PIN_LEFT + (pin - 1) // 2 * PIN_PITCH, ODD_PINS if pin % 2 else EVEN_PINS


class Picture(Drawing):
    """Of one circuit."""

    def __init__(self, circuit):
        self.circuit, self.variant, self.leads = circuit, circuit.variant, []
        beside = any(piece.kind in ("buzzer", "module", "jack", "socket", "lamp", "display") for piece in circuit.pieces)
        top = -60 if beside else BOARD_TOP - 140
        super().__init__(WIDTH, HEIGHT + legend.more(circuit), self.variant["title"], top)
        self.text(WIDTH / 2, top + 44, self.variant["title"], size=32, bold=True)
        self.rail_warning(top + 66)
        self.board()
        self.pi()
        self.feeds()
        order = ["resistor", "capacitor", "diode", "button", "wire", "LED", "transistor", "MOSFET", "optocoupler", "buzzer", "module",
                 "jack", "jack_ring", "socket", "lamp", "strip", "display", "display_data"]
        on_board = [piece for piece in circuit.pieces if any(hole.row != "*" for _, hole in piece.legs)]
        for piece in sorted(on_board, key=lambda piece: order.index(piece.kind)):
            getattr(self, "draw_" + piece.kind)(piece)
        board.draw(self, 59, PI)
        if self.variant.get("card", {}).get("pins") == {}:
            volume = any(piece.kind == "potentiometer" for piece in circuit.pieces)
            board.usb_card(self, 596, PI, ["to the", "potentio-", "meter"] if volume else ["to the", "amplifier or", "headphones"])
        legend.notes(self, circuit, 770, PI)
        legend.draw(self, circuit, LEGEND)

    def rail_warning(self, y):
        plus = self.circuit.plus
        if plus is None:
            self.warning(160, y, 1280, "The + rail is not used: leave it without a wire.", "grey")
            return
        words = {
            "5 V": "The + rail carries 5 V (red). 5 V on a GPIO pin can destroy the Raspberry Pi.",
            "3.3 V": "The + rail carries 3.3 V (orange, pin 1). Never connect 5 V to it.",
        }
        self.warning(160, y, 1280, words[plus["name"]], plus["wire"])

    # The board.

    def board(self):
        left, right = LEFT - 44, LEFT + (COLUMNS - 1) * PITCH + 44
        self.rect(left, BOARD_TOP, right - left, BOARD_BOTTOM - BOARD_TOP, HALO, rx=10, stroke="#c9c4b6", stroke_width=2)
        gap = (ROWS["f"] + ROWS["e"]) / 2
        self.rect(left + 2, gap - 20, right - left - 4, 40, "#e4dfd2")
        for y, sign, supply in self.rails():
            outwards = -22 if (sign == "+") == (y < gap) else 22
            color = COLORS[supply["wire"]] if supply else "#b9b4a6"
            self.line((LEFT - 10, y + outwards), (right - 34, y + outwards), color=color, width=5 if supply else 2)
            self.text(right - 18, y + 8, sign, size=24, fill=color, bold=True)
            if supply:
                self.rect(right + 4, y - 19, 80, 38, color, rx=8)
                self.text(right + 44, y + 8, supply["name"], size=21, fill="#ffffff", bold=True)
            for column in range(COLUMNS):
                self.hole(LEFT + column * PITCH, y)
        for row, y in ROWS.items():
            for x in (left + 12, right - 18):
                self.text(x, y + 6, row, size=18, fill="#6f6a5c")
            for column in range(COLUMNS):
                self.hole(LEFT + column * PITCH, y)
        fed = {hole.column: str(hole) for _, _, hole in self.circuit.feeds if hole.row == "a"}
        for column in range(1, COLUMNS + 1):
            x = LEFT + (column - 1) * PITCH
            if column not in self.covered():
                self.text(x, ROWS["j"] - 24, str(column), size=17, fill="#6f6a5c")
            if column in fed:
                self.text(x - 10, ROWS["a"] + 64, fed[column], size=19, anchor="end", bold=True)
            else:
                self.text(x, ROWS["a"] + 38, str(column), size=17, fill="#6f6a5c")

    def rails(self):
        """The four rails: height, sign, and supply. The lower two have no supply."""
        fed = {hole.row: pin for pin, _, hole in self.circuit.feeds if hole.row in "+-"}
        return [(RAILS["+"], "+", fed.get("+")), (RAILS["-"], "−", fed["-"]),
                (UNUSED_RAILS[0], "−", None), (UNUSED_RAILS[1], "+", None)]

    def covered(self):
        """The columns whose upper number would be under a wire or a part. Each number is also below the board's lower half."""
        columns = set()
        for piece in self.circuit.pieces:
            if piece.kind in ("jack", "jack_ring"):
                columns.add(piece.legs[0][1].column + 1)
            elif piece.kind in ("lamp", "strip"):
                columns.add(piece.hole("lamp minus").column)
            elif piece.kind in ("socket", "display", "display_data"):
                columns |= {hole.column for _, hole in piece.legs}
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
        """The header, enlarged: the whole board is below it."""
        left, right = PIN_LEFT - 50, PIN_LEFT + 19 * PIN_PITCH + 50
        self.rect(left, EVEN_PINS - 34, right - left, 232, "#2f8a4c", rx=14, stroke="#1d5f33", stroke_width=3)
        self.rect(PIN_LEFT - 38, EVEN_PINS - 24, 19 * PIN_PITCH + 76, ODD_PINS - EVEN_PINS + 48, "#2b2f36", rx=6)
        used = {pin["pin"] for pin, _, _ in self.circuit.feeds}
        taken = self.variant.get("card", {}).get("pins", {})
        for pin, name in header().items():
            x, y = pin_place(pin)
            fill = {"GND": "#555b66", "5 V": COLORS["red"], "3.3 V": COLORS["orange"]}.get(name, "#b88a2c")
            fill = COLORS["violet"] if pin in taken else fill
            strong = pin in used
            self.rect(x - 17, y - 17, 34, 34, fill if strong or pin in taken else "#3d424c", rx=1 if pin == 1 else 10,
                      stroke="#ffffff" if strong else fill, stroke_width=3 if strong else 2)
            self.text(x, y + 7, str(pin), size=18, fill="#ffffff" if strong or pin in taken else "#c3c8d1", bold=strong)
            if strong:
                self.text(x, EVEN_PINS + 36 if pin % 2 == 0 else ODD_PINS + 46, name, size=15.5, fill="#ffffff", bold=True)
        self.text(PIN_LEFT - 30, ODD_PINS + 46 if 1 not in used else ODD_PINS + 66, "▲ pin 1", size=19, anchor="start",
                  fill="#ffe27a", bold=True)
        words = "The header, enlarged, from above. Pin 1 is square, at the SD card's end."
        if taken:
            words = "The header on top of the sound card, from above. Violet: pins that the card uses."
        self.text(WIDTH / 2, ODD_PINS + 78, words, size=20, fill="#ffffff", bold=True)
        self.text(right - 14, ODD_PINS + 78, "USB ►", size=20, anchor="end", fill="#ffffff")

    # The wires between the two.

    def feeds(self):
        supplies = [feed for feed in self.circuit.feeds if feed[1] in self.circuit.pins.supplies]
        signals = [feed for feed in self.circuit.feeds if feed not in supplies]
        ends = []
        for index, feed in enumerate(sorted(supplies, key=lambda feed: feed[0]["pin"])):
            ends.append((feed, self.start(feed[0]["pin"]), 28 + 32 * index if len(supplies) > 1 else 44))
        for feed in sorted(signals, key=lambda feed: feed[2].column):
            ends.append((feed, self.start(feed[0]["pin"]), place(feed[2])[0]))
        tags = []
        lanes = self.lanes([(start, end) for _, start, end in ends])
        for (feed, start, end), lane in zip(ends, lanes):
            pin, _, hole = feed
            x, y = pin_place(pin["pin"])
            points = [(x, y - 18)] if y == EVEN_PINS else [(x, y - 18), (x, y - 34), (start, y - 34)]
            points += [(start, lane), (end, lane)]
            hx, hy = place(hole)
            points += [(end, hy), (hx, hy)] if feed in supplies else self.beside((end, UNUSED_RAILS[1] + 32), (end, hy + 52))
            points += [] if feed in supplies else [(end, hy)]
            self.wire(points, pin["wire"])
            if feed in supplies:
                tags.append((max(start, 66), EVEN_PINS - 80, pin["wire"], f"{pin['name']} pin {pin['pin']}"))
            else:
                tags.append((end, TAGS, pin["wire"], feed[1], pin["name"], f"pin {pin['pin']}"))
        for tag in tags:
            self.tag(*tag)

    @staticmethod
    def start(pin):
        """The x of a pin's wire at the edge of the header. Wires of the inner row pass between the pins of the outer row."""
        x, _ = pin_place(pin)
        return x if pin % 2 == 0 else x + 34

    @staticmethod
    def lanes(ends):
        """The height of each wire's level part, chosen so that no two wires cross."""
        heights = [None] * len(ends)
        for group in ([i for i, (start, end) in enumerate(ends) if end >= start],
                      [i for i, (start, end) in reversed(list(enumerate(ends))) if end < start]):
            for place_in_group, index in enumerate(group):
                heights[index] = LANES + 17 * place_in_group
        return heights

    def tag(self, x, y, color, *lines):
        width, height = (132, 74) if len(lines) > 1 else (118, 34)
        self.rect(x - width / 2, y, width, height, "#ffffff", rx=8, stroke="#5a606b" if color == "white" else COLORS[color],
                  stroke_width=4)
        for index, line in enumerate(lines):
            first = index == 0
            self.text(x, y + (22 if len(lines) > 1 else 24) + 22 * index, line, size=18 if first and len(line) < 10 else 17,
                      bold=first and len(lines) > 1)

    # The parts.

    def legs(self, piece):
        return [place(hole) for _, hole in piece.legs]

    def draw_wire(self, piece):
        start, end = self.legs(piece)
        self.wire(self.beside(start, end), piece.value)

    def beside(self, start, end):
        """The path of a wire between two holes of a column or of a row. It runs half a pitch beside any holes between them."""
        (x, y1), (x2, y2) = start, end
        if y1 == y2:
            level = self.between_rows(y1)
            return [start, (x + 16, level), (x2 - 16, level), end]
        low, high = sorted((y1, y2))
        if not any(low < y < high for y in [*RAILS.values(), *ROWS.values(), *UNUSED_RAILS]):
            return [start, end]
        step = 20 if y2 > y1 else -20
        return [start, (x + PITCH / 2, y1 + step), (x + PITCH / 2, y2 - step), end]

    @staticmethod
    def between_rows(y):
        """The height halfway to the next row towards the gap."""
        return y + PITCH / 2 if y < (ROWS["e"] + ROWS["f"]) / 2 else y - PITCH / 2

    def passes(self, piece):
        """Whether a straight line between the two legs of a part would pass over a hole of another net."""
        (_, one), (_, other) = piece.legs
        used = {hole.strip for each in self.circuit.pieces for _, hole in each.legs}
        return one.row == other.row and any(
            Hole(one.row, column).strip in used for column in range(one.column + 1, other.column))

    def lead(self, *points):
        """The bare leg of a part."""
        self.leads.append(points)
        self.line(*points, color="#9aa0a8", width=5)
        self.circle(*points[-1], 4.5, "#9aa0a8")

    def draw_resistor(self, piece):
        (x1, y1), (x2, y2) = sorted(self.legs(piece))
        if (y1, y2) == (RAILS["+"], ROWS["i"]):
            self.lead((x1, y1), (x1 + PITCH / 2, y1 + 20), (x1 + PITCH / 2, RAILS["-"] + 6), (x1, RAILS["-"] + 24), (x2, y2))
        elif self.passes(piece):
            self.lead(*self.beside((x1, y1), (x2, y2)))
        else:
            self.lead((x1, y1), (x2, y2))
        self.circle(x1, y1, 4.5, "#9aa0a8")
        cx, cy = (x1 + x2) / 2, self.between_rows(y1) if self.passes(piece) else (y1 + y2) / 2
        if piece.legs[1][1].row in "+-":
            cy = (ROWS["j"] + RAILS["-"]) / 2 + 6
        level = y1 == y2
        self.resistor(cx, cy, piece.value, level)
        if level:
            self.text(cx, cy + 32 if self.passes(piece) else cy - 24, piece.value, bold=True, halo=HALO)
        elif piece.legs[1][1].row in "+-":
            self.text(cx + 31, cy, piece.value, size=17, bold=True, halo=HALO, turned=True)
        else:
            self.text(cx + 20, cy + 6, piece.value, anchor="start", bold=True, halo="#e4dfd2")

    def resistor(self, cx, cy, value, level):
        length, thick = 84, 26
        bands = list(zip((-26, -10, 6), BANDS[value])) + [(28, "#c9a227")]
        if level:
            self.rect(cx - length / 2, cy - thick / 2, length, thick, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            for offset, color in bands:
                self.rect(cx + offset - 4, cy - thick / 2 + 1, 8, thick - 2, color)
        else:
            self.rect(cx - thick / 2, cy - length / 2, thick, length, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
            for offset, color in bands:
                self.rect(cx - thick / 2 + 1, cy + offset - 4, thick - 2, 8, color)

    def draw_LED(self, piece):
        (ax, ay), (cx, cy) = place(piece.hole("anode")), place(piece.hole("cathode"))
        x, y, r = (ax + cx) / 2, ay - 62, 35
        self.lead((ax + 8, y + 10), (ax, y + 40), (ax, ay))
        self.lead((cx - 8, y + 10), (cx - 8, cy - 14), (cx, cy))
        flat = x + 26
        height = (r * r - 26 * 26) ** 0.5
        color = {"light": ("#ffd84a", "#b98a00"), "pendulum": ("#ff7d70", "#a52a20")}[piece.role]
        rim = f"M {flat} {y - height:.1f} A {r} {r} 0 1 0 {flat} {y + height:.1f} Z"
        self.path(rim, color[0], stroke=color[1], stroke_width=3)
        self.circle(x - 3, y, 22, "none", stroke=color[1], stroke_width=1.5, opacity="0.7")
        self.text(x - 3, y + 6, "LED", size=16, bold=True)
        self.text(ax - 15, ay - 20, "+", size=24, bold=True, fill="#d8262c", halo=HALO)
        self.text(cx + 17, cy - 10, "−", size=24, bold=True, halo=HALO)

    def draw_transistor(self, piece):
        feet = self.legs(piece)
        x, y = feet[1][0], feet[1][1] - 30
        for (fx, fy), from_x in zip(feet, (x - 18, x, x + 18)):
            self.lead((from_x, y), (fx, fy))
        self.path(f"M {x - 48} {y + 8} L {x + 48} {y + 8} A 49 46 0 0 0 {x - 48} {y + 8} Z", "#2b2f36", stroke="#0d0f12",
                  stroke_width=2)
        self.text(x, y, piece.value, size=17, bold=True, fill="#ffffff")
        for (fx, fy), name in zip(feet, "EBC"):
            self.text(fx, fy + 26, name, size=18, bold=True, fill="#b3261e", halo=HALO)

    def draw_MOSFET(self, piece):
        feet = self.legs(piece)
        x, y = feet[1][0], feet[1][1] - 30
        for (fx, fy), from_x in zip(feet, (x - 26, x, x + 26)):
            self.lead((from_x, y), (fx, fy))
        self.rect(x - 56, y - 50, 112, 12, "#9aa0a8", rx=2, stroke="#6d7480", stroke_width=2)
        self.rect(x - 56, y - 38, 112, 40, "#2b2f36", rx=3, stroke="#0d0f12", stroke_width=2)
        self.text(x, y - 12, piece.value, size=18, bold=True, fill="#ffffff")
        for (fx, fy), name in zip(feet, "GDS"):
            self.text(fx, fy + 26, name, size=18, bold=True, fill="#b3261e", halo=HALO)

    def to_drain(self, piece, top):
        """The wire from a lamp's − to the drain."""
        x, y = place(piece.hole("lamp minus"))
        self.wire([(x, top), *self.beside((x, RAILS["+"] - 40), (x, y))], LAMP_WIRE, 5)
        return x

    def draw_lamp(self, piece):
        (mx, my), y = place(piece.hole("supply minus")), 180
        x = place(piece.hole("lamp minus"))[0]
        self.to_drain(piece, y + 60)
        self.wire([(mx, y + 60), *self.beside((mx, RAILS["+"] - 40), (mx, my))], "black", 5)
        left, right = x - 74, mx + 130
        self.rect(left, y - 96, right - left, 160, "#3a4150", rx=10)
        self.text((left + right) / 2, y - 70, "12 V, apart from the Pi", size=18, bold=True, fill="#ffffff")
        self.line((x, y - 4), (x, y - 44), (mx + 62, y - 44), (mx + 62, y - 4), width=4, color="#ffb3b3")
        middle = (x + mx + 62) / 2
        self.rect(middle - 42, y - 58, 84, 28, "#ecd9b0", rx=6, stroke="#a58f5c", stroke_width=2)
        self.text(middle, y - 37, "fuse 1 A", size=17, bold=True)
        self.rect(x - 58, y - 10, 116, 46, "#ffd84a", rx=8, stroke="#b98a00", stroke_width=2)
        self.text(x, y + 20, "LED strip", size=18, bold=True)
        self.text(x - 16, y - 16, "+", size=22, bold=True, fill="#ffffff")
        self.text(x - 16, y + 58, "−" if piece.role == "light" and "rgb" not in self.circuit.name else "R", size=20, bold=True, fill="#ffffff")
        self.rect(mx - 24, y - 10, 140, 46, "#c9cdd3", rx=8, stroke="#7c838d", stroke_width=2)
        self.text(mx + 46, y + 20, "12 V supply", size=18, bold=True)
        self.text(mx + 80, y - 16, "+", size=22, bold=True, fill="#ffffff")
        self.text(mx - 16, y + 58, "−", size=22, bold=True, fill="#ffffff")

    def draw_strip(self, piece):
        y = 196
        x = self.to_drain(piece, y + 40)
        self.rect(x - 72, y - 40, 144, 84, "#3a4150", rx=10)
        self.text(x, y - 12, "to the strip's", size=18, fill="#ffffff")
        self.text(x, y + 20, piece.role[0].upper(), size=26, bold=True, fill="#ffffff")

    def draw_diode(self, piece):
        (ax, y), (cx, _) = place(piece.hole("anode")), place(piece.hole("cathode"))
        self.lead((ax, y), (cx, y))
        self.circle(ax, y, 4.5, "#9aa0a8")
        middle = (ax + cx) / 2
        self.rect(middle - 34, y - 13, 68, 26, "#e0763a", rx=6, stroke="#8f4218", stroke_width=2)
        side = 1 if cx > ax else -1
        self.rect(middle + 21.5 * side - 4.5, y - 12, 9, 24, "#161616")
        self.text(middle, y + 36, "1N4148", size=16, bold=True, halo=HALO)
        self.text(middle + 22 * side, y - 20, "band", size=18, halo=HALO)

    def draw_capacitor(self, piece):
        (x1, row), (x2, _) = self.legs(piece)
        middle = (x1 + x2) / 2
        # Between neighbouring columns, the body would cover the holes of its legs.
        is_narrow = abs(x1 - x2) == PITCH
        y = row + PITCH if is_narrow else row
        self.lead((middle - 16, y), (x1, row))
        self.lead((middle + 16, y), (x2, row))
        self.shape("ellipse", cx=middle, cy=y, rx=30, ry=20, fill="#d9a441", stroke="#94701f", stroke_width=2)
        self.text(middle, y + 6, "104", size=17, bold=True)
        self.text(middle, y + 36 if is_narrow else y - 28, piece.value, size=16, bold=True, halo=HALO)

    def draw_button(self, piece):
        feet = self.legs(piece)
        x, y = (feet[0][0] + feet[2][0]) / 2, (ROWS["e"] + ROWS["f"]) / 2
        for fx, fy in feet:
            self.lead((fx, y), (fx, fy))
        self.rect(x - 58, y - 56, 116, 112, "#4a4f59", rx=8, stroke="#24272d", stroke_width=2)
        self.circle(x, y - 14, 31, "#c8ccd3", stroke="#7d838d", stroke_width=3)
        self.text(x, y + 44, piece.role, size=15, bold=True, fill="#ffffff")

    def draw_buzzer(self, piece):
        (mx, my), (px, py) = place(piece.hole("minus")), place(piece.hole("plus"))
        x, y = (mx + px) / 2, 190
        self.wire([(x - 22, y), (x - 22, my - 20), (mx, my)], "black", 5)
        self.wire([(x + 22, y), (x + 22, 286), (px, 286), (px, py)], self.circuit.plus["wire"], 5)
        self.circle(x, y, 82, "#33373f", stroke="#15171a", stroke_width=3)
        self.circle(x, y, 14, "#0c0d0f")
        self.text(x, y - 34, "active buzzer", size=17, bold=True, fill="#ffffff")
        self.text(x, y + 52, "5 V", size=17, bold=True, fill="#ffffff")
        self.text(x + 50, y + 10, "+", size=34, bold=True, fill="#ff6b6b")
        self.text(x - 50, y + 10, "−", size=34, bold=True, fill="#ffffff")

    def draw_optocoupler(self, piece):
        holes = [place(hole) for _, hole in piece.legs]
        left, right, y = min(x for x, _ in holes), max(x for x, _ in holes), (ROWS["e"] + ROWS["f"]) / 2
        for x, hole in holes:
            self.lead((x, y), (x, hole))
        self.rect(left - 22, y - 52, right - left + 44, 104, "#2b2f36", rx=6, stroke="#0d0f12", stroke_width=2)
        self.circle(right + 6, y - 36, 6, "#ffffff")
        self.text((left + right) / 2, y + 7, piece.value, size=20, bold=True, fill="#ffffff")
        for name, (x, hole) in zip((name for name, _ in piece.legs), holes):
            if x != right or hole > y:
                self.text(x, y - 27 if hole < y else y + 41, name[-1], size=17, fill="#ffffff")
        self.text(right - 12, y - 27, "1", size=17, fill="#ffffff", bold=True)

    def draw_socket(self, piece):
        """A MIDI socket. The output's wires come down at the left of their columns, where the resistor leaves room."""
        ends = {leg: place(hole) for leg, hole in piece.legs}
        color, out = self.circuit.pins.lines[piece.role]["wire"], "pin 2" in ends
        starts = {leg: hx + PITCH / 2 * (-1 if out and leg != "pin 2" else 1) for leg, (hx, _) in ends.items()}
        x, y = starts["pin 5"], 180
        for leg, (hx, hy) in ends.items():
            start = starts[leg]
            step = PITCH / 2 if leg == "pin 2" else 20
            self.wire([(start, y + 56), (start, hy - step), (hx, hy)], "black" if leg == "pin 2" else color, 5)
        self.rect(x - 150, y - 84, 300, 144, "#3a4150", rx=10)
        self.text(x, y - 58, piece.role.upper(), size=19, bold=True, fill="#ffffff")
        self.text(x, y - 34, "5-pin DIN, or TRS type A", size=17, fill="#ffffff")
        self.circle(x, y - 2, 21, "#16181c", stroke="#c8ccd3", stroke_width=4)
        for dx, dy in ((-13, 2), (-9, 10), (0, 13), (9, 10), (13, 2)):
            self.circle(x + dx, y - 4 - dy + 6, 2.5, "#c8ccd3")
        other = 2 * x - starts["pin 4"]
        for leg, tx, words in (
                ("pin 4", starts["pin 4"], "ring"), ("pin 5", x, "tip"), ("pin 2", other, "sleeve" if out else "empty")):
            self.text(tx, y + 35, leg, size=16, bold=True, fill="#ffffff")
            self.text(tx, y + 53, words, size=16, fill="#ffffff")

    def draw_module(self, piece):
        x, y = place(piece.hole("input"))[0], 180
        self.rect(x - 125, y - 84, 250, 140, "#27598f", rx=8, stroke="#12304f", stroke_width=2)
        self.circle(x, y - 22, 46, "#22252b", stroke="#0d0f12", stroke_width=3)
        self.circle(x, y - 22, 9, "#000000")
        self.text(x - 86, y - 54, "buzzer", size=16, bold=True, fill="#ffffff")
        self.text(x + 84, y - 54, "module", size=16, bold=True, fill="#ffffff")
        for leg, word, color in (("ground", "GND", "black"), ("input", "I/O", "violet"), ("supply", "VCC", self.circuit.plus["wire"])):
            hx, hy = place(piece.hole(leg))
            self.text(hx, y + 48, word, size=16, bold=True, fill="#ffffff")
            way = [(hx, hy)] if leg == "supply" else self.beside((hx, RAILS["+"] - 40), (hx, hy))
            self.wire([(hx, y + 60), *way], color, 5)

    def draw_display(self, piece):
        """The module, which shows 120. Its pins have the distance of three columns. Only the wire of CLK goes sideways."""
        ends = {leg: place(hole) for leg, hole in piece.legs}
        left, step = ends["GND"][0], 3 * PITCH
        x, y, bottom = left + 1.5 * step, 180, 240
        self.rect(left - 70, y - 100, 3 * step + 140, 156, "#27598f", rx=8, stroke="#12304f", stroke_width=2)
        self.rect(x - 170, y - 92, 340, 104, "#1c2026", rx=6)
        for index, lit in enumerate(("", "bc", "abdeg", "abcdef")):
            self.digit(x - 120 + 76 * index + (12 if index > 1 else 0), y - 40, lit)
        for dy in (-16, 16):
            self.circle(x, y - 40 + dy, 5, "#4a2a2c")
        for index, pin in enumerate(("GND", "VCC", "DIO", "CLK")):
            self.text(left + index * step, y + 46, pin, size=18, bold=True, fill="#ffffff")
        for pin, color in (("GND", "black"), ("VCC", self.circuit.plus["wire"])):
            px, py = ends[pin]
            way = [(px, py)] if pin == "VCC" else self.beside((px, RAILS["+"] - 40), (px, py))
            self.wire([(px, bottom), *way], color, 5)
        (cx, cy), level = ends["CLK"], bottom + 40
        way = self.beside((cx, RAILS["+"] - 40), (cx, cy))
        self.wire([(left + 3 * step, bottom), (left + 3 * step, level), (cx, level), *way], self.color_of(piece), 5)

    def draw_display_data(self, piece):
        x, y = place(piece.hole("DIO"))
        self.wire([(x, 240), *self.beside((x, RAILS["+"] - 40), (x, y))], self.color_of(piece), 5)

    def color_of(self, piece):
        """The color of the wire from the Pi to this part."""
        return self.circuit.pins.lines[piece.role]["wire"]

    def digit(self, x, y, lit):
        """A digit of seven segments, with its center."""
        w, h = 22, 36
        corners = {"a": (-w, -h, w, -h), "b": (w, -h, w, 0), "c": (w, 0, w, h), "d": (-w, h, w, h), "e": (-w, 0, -w, h),
                   "f": (-w, -h, -w, 0), "g": (-w, 0, w, 0)}
        for segment, (x1, y1, x2, y2) in corners.items():
            dx, dy = (6, 0) if y1 == y2 else (0, 6)
            self.line((x + x1 + dx, y + y1 + dy), (x + x2 - dx, y + y2 - dy), width=8,
                      color="#ff4a3d" if segment in lit else "#3a2426")

    def draw_jack(self, piece):
        ring = next((other for other in self.circuit.pieces if other.kind == "jack_ring"), None)
        if ring:
            self.stereo_jack(piece, ring)
            return
        (tx, ty), (sx, sy) = place(piece.hole("tip")), place(piece.hole("sleeve"))
        x, y = tx + 2 * PITCH, 180
        color = self.circuit.pins.lines[piece.role]["wire"]
        tip, level = tx + PITCH * 1.5, ty - PITCH / 2
        self.wire([(tip, y + 30), (tip, level), (tx + 18, level), (tx, ty)], color, 5)
        self.wire([(sx, y + 30), *self.beside((sx, RAILS["+"] - 40), (sx, sy))], "black", 5)
        self.rect(x - 86, y - 84, 172, 124, "#3a4150", rx=10)
        self.text(x, y - 60, "jack, foot switch", size=16, fill="#ffffff")
        self.text(x, y - 38, piece.role, size=18, bold=True, fill="#ffffff")
        self.circle(x, y - 8, 18, "#c8ccd3", stroke="#8b919b", stroke_width=4)
        self.circle(x, y - 8, 8, "#16181c")
        self.text(tip, y + 32, "tip", size=16, bold=True, fill="#ffffff")
        self.text(sx, y + 32, "sleeve", size=16, bold=True, fill="#ffffff")

    def stereo_jack(self, tip, ring):
        """One jack for two foot switches."""
        (tx, ty), (rx, ry), (sx, sy) = place(tip.hole("tip")), place(ring.hole("ring")), place(tip.hole("sleeve"))
        y, beside = 180, PITCH * 1.5
        x = (tx + rx) / 2 + beside
        for (hx, hy), piece in (((tx, ty), tip), ((rx, ry), ring)):
            level = hy - PITCH / 2
            self.wire([(hx + beside, y + 30), (hx + beside, level), (hx + 18, level), (hx, hy)], self.color_of(piece), 5)
        self.wire([(sx, y + 30), *self.beside((sx, RAILS["+"] - 40), (sx, sy))], "black", 5)
        self.rect(x - 200, y - 84, 400, 124, "#3a4150", rx=10)
        self.text(x, y - 58, "stereo jack, two foot switches", size=18, bold=True, fill="#ffffff")
        self.circle(x, y - 14, 20, "#c8ccd3", stroke="#8b919b", stroke_width=4)
        self.circle(x, y - 14, 9, "#16181c")
        self.text(tx + beside, y + 8, tip.role, size=17, fill="#ffffff")
        self.text(rx + beside, y + 8, ring.role, size=17, fill="#ffffff")
        self.text(tx + beside, y + 32, "tip", size=17, bold=True, fill="#ffffff")
        self.text(sx, y + 32, "sleeve", size=17, bold=True, fill="#ffffff")
        self.text(rx + beside, y + 32, "ring", size=17, bold=True, fill="#ffffff")

    def draw_jack_ring(self, piece):
        """`stereo_jack` draws it."""
