"""What a picture's parts look like from the side, and how they are told apart: the strip at its foot."""

from svg import INK

GAP = 20


def draw(picture, circuit, top):
    """The panels of the parts that the circuit has."""
    kinds = {piece.kind for piece in circuit.pieces}
    values = {piece.value for piece in circuit.pieces if piece.kind == "resistor"}
    panels = [(led, 230)] if "LED" in kinds else []
    panels += [(lambda p, x, y, w: resistors(p, x, y, w, values), 260)]
    panels += [(transistor, 420), (diode, 250)] if "transistor" in kinds else []
    panels += [(button, 320)] if "button" in kinds else []
    panels += [(jack, 420)] if "jack" in kinds else []
    panels += [(module, 430)] if "module" in kinds else []
    taken = circuit.variant.get("card", {}).get("pins")
    panels += [(lambda p, x, y, w: card(p, x, y, w, taken), 420)] if taken else []
    width = sum(width for _, width in panels) + GAP * (len(panels) - 1)
    x = (picture.width - width) / 2
    for panel, width in panels:
        picture.rect(x, top, width, 200, "#fbfaf6", rx=10, stroke="#c9c4b6", stroke_width=2)
        panel(picture, x, top, width)
        x += width + GAP


def title(picture, x, y, width, text):
    picture.text(x + width / 2, y + 28, text, size=17, bold=True)


def led(picture, x, y, width):
    title(picture, x, y, width, "LED, 5 mm")
    cx = x + 75
    picture.line((cx - 10, y + 100), (cx - 10, y + 185), colour="#9aa0a8", width=5)
    picture.line((cx + 10, y + 100), (cx + 10, y + 160), colour="#9aa0a8", width=5)
    picture.path(f"M {cx - 24} {y + 98} L {cx - 24} {y + 66} A 24 24 0 0 1 {cx + 24} {y + 66} L {cx + 24} {y + 98} Z", "#ffd84a",
                 stroke="#b98a00", stroke_width=2)
    picture.rect(cx - 31, y + 96, 55, 10, "#ffd84a", stroke="#b98a00", stroke_width=2)
    for line, text in enumerate(["red, yellow", "or green"]):
        picture.text(cx + 40, y + 58 + 20 * line, text, size=15, anchor="start")
    for line, (text, fill) in enumerate([("+ long leg", "#d8262c"), ("− short leg,", INK), ("   flat side", INK)]):
        picture.text(cx + 40, y + 110 + 26 * line, text, size=17, anchor="start", fill=fill, bold=line == 0)


def resistors(picture, x, y, width, values):
    title(picture, x, y, width, "Resistors")
    order = [value for value in ("470 Ω", "1 kΩ", "3.3 kΩ", "10 kΩ") if value in values]
    for index, value in enumerate(order):
        row = y + 120 + 50 * (index - (len(order) - 1) / 2) if len(order) < 4 else y + 58 + 38 * index
        picture.line((x + 26, row), (x + 150, row), colour="#9aa0a8", width=5)
        picture.resistor(x + 88, row, value, True)
        picture.text(x + 168, row + 6, value, size=17, anchor="start", bold=True)


def transistor(picture, x, y, width):
    title(picture, x, y, width, "NPN transistor, flat side to you")
    for offset, name, feet, words in ((95, "2N3904", "EBC", "as drawn"), (300, "BC547", "CBE", "turn it round: flat side up")):
        cx = x + offset
        for step, foot in zip((-18, 0, 18), feet):
            picture.line((cx + step, y + 100), (cx + step, y + 140), colour="#9aa0a8", width=5)
            picture.text(cx + step, y + 160, foot, size=17, bold=True, fill="#b3261e")
        picture.rect(cx - 42, y + 48, 84, 56, "#2b2f36", rx=4)
        picture.text(cx, y + 82, name, size=17, bold=True, fill="#ffffff")
        picture.text(cx, y + 186, words, size=15)


def diode(picture, x, y, width):
    title(picture, x, y, width, "Diode")
    picture.line((x + 45, y + 80), (x + 205, y + 80), colour="#9aa0a8", width=5)
    picture.rect(x + 85, y + 66, 80, 28, "#e0763a", rx=6, stroke="#8f4218", stroke_width=2)
    picture.rect(x + 140, y + 67, 10, 26, "#161616")
    for line, text in enumerate(["the band is at +;", "only a magnetic buzzer", "needs one"]):
        picture.text(x + width / 2, y + 126 + 24 * line, text, size=16)


def button(picture, x, y, width):
    title(picture, x, y, width, "Push button, 6 × 6 mm")
    cx, cy = x + 80, y + 115
    for dx in (-24, 24):
        picture.line((cx + dx, cy - 62), (cx + dx, cy + 62), colour="#9aa0a8", width=5)
    picture.rect(cx - 40, cy - 40, 80, 80, "#4a4f59", rx=6)
    for dx in (-24, 24):
        picture.line((cx + dx, cy - 40), (cx + dx, cy + 40), colour="#e7b93f", width=4, stroke_dasharray="7 6")
    picture.line((cx - 24, cy), (cx - 6, cy), (cx + 12, cy - 14), colour="#e7b93f", width=4)
    picture.line((cx + 13, cy), (cx + 24, cy), colour="#e7b93f", width=4)
    for line, text in enumerate(["Legs across the gap", "are one contact.", "Diagonal legs are", "always the two", "contacts."]):
        picture.text(x + 146, y + 72 + 24 * line, text, size=16, anchor="start")


def jack(picture, x, y, width):
    title(picture, x, y, width, "Foot switch on a 6.3 mm plug")
    row = y + 84
    picture.rect(x + 30, row - 16, 60, 32, "#3a4150", rx=6)
    picture.rect(x + 90, row - 11, 110, 22, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    picture.rect(x + 196, row - 12, 8, 24, "#16181c")
    tip = f"M {x + 204} {row - 11} h 26 l 16 11 l -16 11 h -26 Z"
    picture.path(tip, "#c8ccd3", stroke="#8b919b", stroke_width=2)
    picture.text(x + 145, row + 34, "sleeve: ground", size=16)
    picture.text(x + 262, row + 6, "tip: the line", size=16, anchor="start", bold=True)
    for line, text in enumerate(["Mono, momentary, open at rest. Nothing that", "gives a voltage may be plugged in."]):
        picture.text(x + width / 2, y + 154 + 24 * line, text, size=16)


def module(picture, x, y, width):
    title(picture, x, y, width, "Buzzer module, active low")
    for line, text in enumerate([
            "It sounds when I/O is low: \"active: low\".", "VCC to 3.3 V, never to 5 V: it would not be",
            "quite silent, and the pin has too much.", "3.3 kΩ keep it silent while the Pi boots.",
            "A capacitor with 104 on it has 100 nF."]):
        picture.text(x + width / 2, y + 64 + 27 * line, text, size=16)


def card(picture, x, y, width, taken):
    title(picture, x, y, width, "Pins that the sound card takes")
    for index, (pin, use) in enumerate(taken.items()):
        column, row = divmod(index, 4)
        left, top = x + 24 + 200 * column, y + 44 + 31 * row
        picture.rect(left, top, 30, 26, "#8e44ad", rx=6)
        picture.text(left + 15, top + 18, str(pin), size=15, bold=True, fill="#ffffff")
        picture.text(left + 40, top + 19, use, size=16, anchor="start")
    picture.text(x + width / 2, y + 186, "It shares 3.3 V, 5 V and ground.", size=16)
