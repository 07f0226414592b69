"""Draws the breadboard with its parts and wires, and the Raspberry Pi's header."""

import board
import holes
import legend
from holes import UNUSED_RAILS, beside, place
from pins import header
from standing_parts import button, capacitor, diode, led, mosfet, optocoupler, resistor, transistor, wire
from svg import COLORS, Drawing
from wired_parts import buzzer, display, display_third, jack, jack_ring, lamp, loose, module, socket, solenoid, strip

WIDTH, HEIGHT = 1600, 2374
PIN_PITCH, PIN_LEFT = 78, 59
TAGS, LANES = 1218, 1316
EVEN_PINS, ODD_PINS = 1560, 1654
PI, LEGEND = 1784, 2154

PARTS = {
    "resistor": resistor, "capacitor": capacitor, "diode": diode, "button": button, "wire": wire, "LED": led, "transistor": transistor,
    "MOSFET": mosfet, "optocoupler": optocoupler, "buzzer": buzzer, "motor": buzzer, "module": module, "jack": jack,
    "jack_ring": jack_ring, "socket": socket, "lamp": lamp, "solenoid": solenoid, "strip": strip, "display": display,
    "display_third": display_third, "screen": display, "screen_third": display_third, "loose": loose,
}
"""What draws each kind of part, in drawing order."""
WIRED = "buzzer", "motor", "module", "jack", "socket", "lamp", "solenoid", "display", "screen"
"""The kinds that need room above the board."""


def pin_place(pin):
    return PIN_LEFT + (pin - 1) // 2 * PIN_PITCH, ODD_PINS if pin % 2 else EVEN_PINS


class Picture(Drawing):
    """Of one circuit."""

    def __init__(self, circuit):
        self.circuit, self.variant, self.leads = circuit, circuit.variant, []
        wired = any(piece.kind in WIRED for piece in circuit.pieces)
        top = -60 if wired else holes.TOP - 140
        super().__init__(WIDTH, HEIGHT + legend.more(circuit), self.variant["title"], top)
        self.text(WIDTH / 2, top + 44, self.variant["title"], size=32, bold=True)
        self.rail_warning(top + 66)
        holes.board(self)
        self.pi()
        self.feeds()
        order = list(PARTS)
        on_board = [piece for piece in circuit.pieces if any(hole.row != "*" for _, hole in piece.legs)]
        for piece in sorted(on_board, key=lambda piece: order.index(piece.kind)):
            PARTS[piece.kind](self, piece)
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

    def rails(self):
        """The four rails: height, sign, and supply. The lower two have no supply."""
        fed = {hole.row: pin for pin, _, hole in self.circuit.feeds if hole.row in "+-"}
        return [(holes.RAILS["+"], "+", fed.get("+")), (holes.RAILS["-"], "−", fed["-"]),
                (UNUSED_RAILS[0], "−", None), (UNUSED_RAILS[1], "+", None)]

    # The Pi.

    def pi(self):
        """The header, enlarged: the whole board is below it."""
        left, right = PIN_LEFT - 50, PIN_LEFT + 19 * PIN_PITCH + 50
        self.rect(left, EVEN_PINS - 34, right - left, 232, "#2f8a4c", rx=14, stroke="#1d5f33", stroke_width=3)
        self.rect(PIN_LEFT - 38, EVEN_PINS - 24, 19 * PIN_PITCH + 76, ODD_PINS - EVEN_PINS + 48, "#2b2f36", rx=6)
        used = {pin["pin"] for pin, _, _ in self.circuit.feeds + self.circuit.loose}
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
            points += [(end, hy), (hx, hy)] if feed in supplies else beside((end, UNUSED_RAILS[1] + 32), (end, hy + 52))
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
