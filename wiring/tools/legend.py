"""The panels at the foot of a breadboard picture: each part from the side, and how to tell its legs apart."""

from standing_parts import resistor_body
from svg import INK

GAP, ROW, WIDTH = 20, 220, 1600


def more(circuit):
    """The height that further rows of panels add to a picture."""
    return ROW * (len(rows(circuit)) - 1)


def rows(circuit):
    """A panel for each kind of part in the circuit, with its width, in rows that fit."""
    kinds = {piece.kind for piece in circuit.pieces}
    values = {piece.value for piece in circuit.pieces if piece.kind == "resistor"}
    panels = [(led, 250)] if "LED" in kinds else []
    panels += [(lambda p, x, y, w: resistors(p, x, y, w, values), 230 if len(values) <= 4 else 430)]
    types = next((TRANSISTORS[piece.value] for piece in circuit.pieces if piece.kind == "transistor"), None)
    panels += [(lambda p, x, y, w: transistor(p, x, y, w, *types), 420)] if types else []
    panels += [(mosfet, 540), (lamp if "lamp" in kinds else solenoid, 540)] if "MOSFET" in kinds else []
    words = next((DIODES[kind] for kind in ("optocoupler", "motor") if kind in kinds), DIODES["buzzer"])
    panels += [(lambda p, x, y, w: diode(p, x, y, w, words), 250)] if "diode" in kinds else []
    panels += [(motor, 500)] if "motor" in kinds else []
    panels += [(button, 350)] if "button" in kinds else []
    panels += [(optocoupler, 440), (socket, 660)] if "optocoupler" in kinds else []
    panels += [(jack, 420)] if "jack" in kinds and "jack_ring" not in kinds else []
    panels += [(stereo_jack, 640)] if "jack_ring" in kinds else []
    panels += [(headphones, 620)] if "potentiometer" in kinds else []
    panels += [(module, 430)] if "module" in kinds else []
    panels += [(display, 640)] if "display" in kinds else []
    panels += [(screen, 640)] if "screen" in kinds else []
    taken = circuit.variant.get("card", {}).get("pins")
    panels += [(lambda p, x, y, w: card(p, x, y, w, taken), 420)] if taken else []
    found = [[]]
    for panel in panels:
        if total(found[-1] + [panel]) > WIDTH:
            found.append([])
        found[-1].append(panel)
    return found


def total(panels):
    """The width of a row of panels."""
    return sum(width for _, width in panels) + GAP * (len(panels) - 1)


def draw(picture, circuit, top):
    for row, panels in enumerate(rows(circuit)):
        x, y = (picture.width - total(panels)) / 2, top + ROW * row
        for panel, width in panels:
            picture.rect(x, y, width, 200, "#fbfaf6", rx=10, stroke="#c9c4b6", stroke_width=2)
            panel(picture, x, y, width)
            x += width + GAP


def notes(picture, circuit, x, y):
    """The panel beside the Raspberry Pi: the colors of the supplies, pin 1, and the sound card if there is one."""
    picture.rect(x, y, 790, 342, "#fbfaf6", rx=10, stroke="#c9c4b6", stroke_width=2)
    picture.text(x + 30, y + 46, "Before the first wire", size=26, anchor="start", bold=True)
    for row, (color, words) in enumerate([
            ("red", "red: 5 V (pins 2 and 4). Never to a GPIO pin."),
            ("orange", "orange: 3.3 V (pins 1 and 17)."),
            ("black", "black: ground, GND. The − rail."), (None, "other colors: one GPIO pin each")]):
        top = y + 86 + 38 * row
        if color:
            picture.wire([(x + 40, top), (x + 110, top)], color, 9)
        else:
            for step, one in enumerate(("yellow", "green", "blue")):
                picture.wire([(x + 40 + 25 * step, top), (x + 60 + 25 * step, top)], one, 9, ends=False)
        picture.text(x + 140, top + 8, words, size=22, anchor="start")
    lines = ["Unplug the Raspberry Pi before you move a wire.", "Your model may look different. If it has 40 pins,",
             "pin 1 is at the SD card's end, in the inner row."]
    card = circuit.variant.get("card")
    if card:
        lines[1:] = ["Pin 1 is at the SD card's end, in the inner row."]
        lines += ["The USB sound card goes into any USB socket." if not card["pins"]
                  else "The sound card covers the header; its top has the same pins."]
    for row, words in enumerate(lines):
        picture.text(x + 40, y + 252 + 34 * row, words, size=22, anchor="start", bold=row == 0)


def title(picture, x, y, width, text):
    picture.text(x + width / 2, y + 28, text, size=19, bold=True)


def led(picture, x, y, width):
    title(picture, x, y, width, "LED, 5 mm")
    cx = x + 75
    picture.line((cx - 10, y + 100), (cx - 10, y + 185), color="#9aa0a8", width=5)
    picture.line((cx + 10, y + 100), (cx + 10, y + 160), color="#9aa0a8", width=5)
    picture.path(f"M {cx - 24} {y + 98} L {cx - 24} {y + 66} A 24 24 0 0 1 {cx + 24} {y + 66} L {cx + 24} {y + 98} Z", "#ffd84a",
                 stroke="#b98a00", stroke_width=2)
    picture.rect(cx - 31, y + 96, 55, 10, "#ffd84a", stroke="#b98a00", stroke_width=2)
    for line, text in enumerate(["red or", "yellow"]):
        picture.text(cx + 40, y + 58 + 20 * line, text, size=18, anchor="start")
    for line, (text, fill) in enumerate([("+ long leg", "#d8262c"), ("− short leg,", INK), ("   flat side", INK)]):
        picture.text(cx + 40, y + 110 + 26 * line, text, size=19, anchor="start", fill=fill, bold=line == 0)


def resistors(picture, x, y, width, values):
    title(picture, x, y, width, "Resistors")
    order = [value for value in ("10 Ω", "33 Ω", "100 Ω", "220 Ω", "470 Ω", "1 kΩ", "3.3 kΩ", "10 kΩ") if value in values]
    columns = [order] if len(order) <= 4 else [order[:(len(order) + 1) // 2], order[(len(order) + 1) // 2:]]
    for column in columns:
        for index, value in enumerate(column):
            row = y + 120 + 50 * (index - (len(column) - 1) / 2) if len(column) < 4 else y + 58 + 38 * index
            picture.line((x + 14, row), (x + 126, row), color="#9aa0a8", width=5)
            resistor_body(picture, x + 70, row, value, True)
            picture.text(x + 138, row + 6, value, size=19, anchor="start", bold=True)
        x += 208


TRANSISTORS = {"2N3904": ("NPN", "2N3904", "BC547"), "2N3906": ("PNP", "2N3906", "BC557")}
"""By the part drawn on the board: the kind, that part, and one with the reverse order of legs."""


def transistor(picture, x, y, width, kind, drawn, other):
    title(picture, x, y, width, f"{kind} transistor, flat side to you")
    for offset, name, feet, words in ((95, drawn, "EBC", "as drawn"), (300, other, "CBE", "turn it round: flat side up")):
        cx = x + offset
        for step, foot in zip((-18, 0, 18), feet):
            picture.line((cx + step, y + 100), (cx + step, y + 140), color="#9aa0a8", width=5)
            picture.text(cx + step, y + 160, foot, size=19, bold=True, fill="#b3261e")
        picture.rect(cx - 48, y + 48, 96, 56, "#2b2f36", rx=4)
        picture.text(cx, y + 82, name, size=19, bold=True, fill="#ffffff")
        picture.text(cx, y + 186, words, size=18)


def mosfet(picture, x, y, width):
    title(picture, x, y, width, "MOSFET IRLZ44N, printed side to you")
    cx = x + 90
    for step, foot in zip((-26, 0, 26), "GDS"):
        picture.line((cx + step, y + 110), (cx + step, y + 156), color="#9aa0a8", width=6)
        picture.text(cx + step, y + 178, foot, size=19, bold=True, fill="#b3261e")
    picture.rect(cx - 46, y + 40, 92, 26, "#9aa0a8", rx=3, stroke="#6d7480", stroke_width=2)
    picture.rect(cx - 46, y + 62, 92, 50, "#2b2f36", rx=3)
    picture.text(cx, y + 94, "IRLZ44N", size=18, bold=True, fill="#ffffff")
    for line, text in enumerate(["The metal tab is the drain (D):", "it must touch nothing.", "In the picture the tab is at", "the top, towards row j."]):
        picture.text(x + 176, y + 72 + 28 * line, text, size=18, anchor="start")


def lamp(picture, x, y, width):
    title(picture, x, y, width, "The 12 V side")
    for line, text in enumerate([
            "No wire from 12 V + to the breadboard or the Pi.", "Only 12 V − joins the − rail (ground).",
            "The fuse is in the + wire, near the supply.", "Dark red: up to 12 V, never to a pin of the header.",
            "10 kΩ at G keeps the lamp off while the Pi starts."]):
        picture.text(x + width / 2, y + 62 + 28 * line, text, size=18)


def solenoid(picture, x, y, width):
    words(picture, x, y, width, "The 5 V side", [
        "No wire from this 5 V + to the breadboard or the Pi.", "Only its − joins the − rail (ground).",
        "The 1N4001 is at the solenoid, its band at +.", "Dark red: up to 5 V, never to a pin of the header.",
        "10 kΩ at G keeps the solenoid off while the Pi starts."], top=62, pitch=28)


DIODES = {
    "buzzer": ["the band is at +;", "only a magnetic buzzer", "needs one"],
    "motor": ["the band is at +;", "it protects the", "transistor"],
    "optocoupler": ["the band is at pin 1", "of the H11L1"],
}
"""What the panel says, by the part that the diode protects."""


def diode(picture, x, y, width, words):
    title(picture, x, y, width, "Diode")
    picture.line((x + 45, y + 80), (x + 205, y + 80), color="#9aa0a8", width=5)
    picture.rect(x + 85, y + 66, 80, 28, "#e0763a", rx=6, stroke="#8f4218", stroke_width=2)
    picture.rect(x + 140, y + 67, 10, 26, "#161616")
    for line, text in enumerate(words):
        picture.text(x + width / 2, y + 126 + 24 * line, text, size=18)


def button(picture, x, y, width):
    title(picture, x, y, width, "Push button, 6 × 6 mm")
    cx, cy = x + 80, y + 115
    for dx in (-24, 24):
        picture.line((cx + dx, cy - 62), (cx + dx, cy + 62), color="#9aa0a8", width=5)
    picture.rect(cx - 40, cy - 40, 80, 80, "#4a4f59", rx=6)
    for dx in (-24, 24):
        picture.line((cx + dx, cy - 40), (cx + dx, cy + 40), color="#e7b93f", width=4, stroke_dasharray="7 6")
    picture.line((cx - 24, cy), (cx - 6, cy), (cx + 12, cy - 14), color="#e7b93f", width=4)
    picture.line((cx + 13, cy), (cx + 24, cy), color="#e7b93f", width=4)
    for line, text in enumerate(["Legs across the gap", "are one contact.", "Diagonal legs are", "always the two", "contacts."]):
        picture.text(x + 140, y + 62 + 26 * line, text, size=18, anchor="start")


def optocoupler(picture, x, y, width):
    title(picture, x, y, width, "Optocoupler H11L1, from above")
    cx, cy = x + 105, y + 114
    for dx in (-34, 0, 34):
        picture.line((cx + dx, cy - 48), (cx + dx, cy + 48), color="#9aa0a8", width=7)
    picture.rect(cx - 56, cy - 36, 112, 72, "#2b2f36", rx=6, stroke="#0d0f12", stroke_width=2)
    picture.circle(cx + 42, cy - 24, 6, "#ffffff")
    for dx, above, below in ((-34, "3", "4"), (0, "2", "5"), (34, "1", "6")):
        picture.text(cx + dx, cy - 55, above, size=18, bold=True)
        picture.text(cx + dx, cy + 70, below, size=18, bold=True)
    picture.text(cx, cy + 8, "H11L1", size=18, bold=True, fill="#ffffff")
    for line, text in enumerate(["The dot is at pin 1.", "Here: at the top right.", "Pin 3 is not connected.",
                                 "A capacitor with 104", "on it has 100 nF."]):
        picture.text(x + 188, y + 70 + 26 * line, text, size=18, anchor="start")


def socket(picture, x, y, width):
    title(picture, x, y, width, "MIDI socket: 5-pin DIN, or TRS type A (3.5 mm)")
    left, row = x + 24, y + 92
    picture.rect(left, row - 15, 50, 30, "#3a4150", rx=6)
    picture.rect(left + 50, row - 10, 120, 20, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    for ring in (104, 140):
        picture.rect(left + ring, row - 11, 7, 22, "#16181c")
    picture.path(f"M {left + 170} {row - 10} h 10 l 12 10 l -12 10 h -10 Z", "#c8ccd3", stroke="#8b919b", stroke_width=2)
    for at, words, top in ((78, "sleeve: 2", row + 38), (126, "ring: 4", row - 24), (176, "tip: 5", row + 38)):
        picture.text(left + at, top, words, size=18, bold=True)
    for line, text in enumerate(["The lugs of a DIN socket have numbers:", "1, 4, 2, 5, 3, reversed from behind.",
                                 "Pin 2 is the middle one. 1, 3: empty.", "4 and 5 swapped: silent, but no harm."]):
        picture.text(x + 262, y + 66 + 28 * line, text, size=18, anchor="start")
    picture.text(x + 24, y + 178, "MIDI IN: pin 2 stays empty as well.", size=18, anchor="start")


def jack(picture, x, y, width):
    title(picture, x, y, width, "Foot switch on a 6.3 mm plug")
    row = y + 84
    picture.rect(x + 30, row - 16, 60, 32, "#3a4150", rx=6)
    picture.rect(x + 90, row - 11, 110, 22, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    picture.rect(x + 196, row - 12, 8, 24, "#16181c")
    tip = f"M {x + 204} {row - 11} h 26 l 16 11 l -16 11 h -26 Z"
    picture.path(tip, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    picture.text(x + 145, row + 34, "sleeve: ground", size=18)
    picture.text(x + 262, row + 6, "tip: the line", size=18, anchor="start", bold=True)
    for line, text in enumerate(["Mono, momentary, open at rest. Nothing that", "gives a voltage may be plugged in."]):
        picture.text(x + width / 2, y + 154 + 24 * line, text, size=18)


def stereo_jack(picture, x, y, width):
    title(picture, x, y, width, "Two foot switches on a 6.3 mm stereo plug")
    row = y + 80
    picture.rect(x + 24, row - 16, 60, 32, "#3a4150", rx=6)
    picture.rect(x + 84, row - 11, 120, 22, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    for ring in (150, 190):
        picture.rect(x + ring, row - 12, 8, 24, "#16181c")
    picture.path(f"M {x + 204} {row - 11} h 20 l 16 11 l -16 11 h -20 Z", "#c8ccd3", stroke="#8b919b", stroke_width=2)
    for at, words, top in ((92, "sleeve: ground", row + 36), (174, "ring: tap", row - 20), (232, "tip: play", row + 36)):
        picture.text(x + at, top, words, size=17, bold=True)
    for line, text in enumerate(["Momentary, open at rest. Plug in", "nothing that gives a voltage.", "A mono plug joins ring and sleeve:",
                                 "tap is then pressed all the time."]):
        picture.text(x + 296, y + 66 + 27 * line, text, size=17, anchor="start")
    picture.text(x + 24, y + 178, "A capacitor with 104 on it has 100 nF.", size=17, anchor="start")


def words(picture, x, y, width, heading, lines, top=68, pitch=30):
    """A box with nothing but a heading and lines of text."""
    title(picture, x, y, width, heading)
    for line, text in enumerate(lines):
        picture.text(x + width / 2, y + top + pitch * line, text, size=18)


def headphones(picture, x, y, width):
    words(picture, x, y, width, "Headphones: not on the breadboard", [
        "The sound card's output goes to the potentiometer, then to the",
        "amplifier, then to the socket: see schematic and harness.",
        "The amplifier's 5 V come from a USB socket, not from the header.",
        "No wire of the headphones touches the breadboard."])


def motor(picture, x, y, width):
    words(picture, x, y, width, "Coin motor, 3 V", [
        "Either of its wires may be +.", "Its wires are too thin for the holes: solder each",
        "to a jumper wire, and glue the motor to its place.", "+ is 3.3 V, never a GPIO pin, never 5 V.",
        "A capacitor with 104 on it has 100 nF."], top=64, pitch=28)


def module(picture, x, y, width):
    words(picture, x, y, width, "Buzzer module, active low", [
        "It sounds when I/O is low: \"active: low\".", "VCC to 3.3 V, never to 5 V: at 5 V it is never",
        "quite silent, and the pin gets above 3.3 V.", "3.3 kΩ keeps it silent while the Pi boots.",
        "A capacitor with 104 on it has 100 nF."], top=64, pitch=27)


ORDER_OF_PINS = "Read the labels of its pins: their order differs between modules."


def display(picture, x, y, width):
    words(picture, x, y, width, "TM1637 module, four digits", [
        "VCC to 3.3 V, never to 5 V: the module's resistors pull CLK and DIO",
        "up to VCC, and a pin must not see more than 3.3 V.",
        ORDER_OF_PINS,
        "Each line is shorter than 30 cm, from the header to the module."])


def screen(picture, x, y, width):
    words(picture, x, y, width, "SSD1306 module, a screen of 128 × 64 pixels", [
        "It must have four pins, for I²C. Modules with seven pins use SPI.",
        "VCC to 3.3 V, never to 5 V, which can destroy the Raspberry Pi.",
        ORDER_OF_PINS,
        "The wires from the header to the module are shorter than 30 cm."])


def card(picture, x, y, width, taken):
    title(picture, x, y, width, "Pins that the sound card uses")
    for index, (pin, use) in enumerate(taken.items()):
        column, row = divmod(index, 4)
        left, top = x + 24 + 200 * column, y + 44 + 31 * row
        picture.rect(left, top, 30, 26, "#8e44ad", rx=6)
        picture.text(left + 15, top + 19, str(pin), size=17, bold=True, fill="#ffffff")
        picture.text(left + 40, top + 19, use, size=18, anchor="start")
    picture.text(x + width / 2, y + 186, "Also 1 (3.3 V), 2 (5 V) and 6 (GND), shared.", size=18)
