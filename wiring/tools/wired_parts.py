"""The parts beside the breadboard, and the wires that connect them to its holes."""

from holes import PITCH, RAILS, beside, place

LAMP_WIRE = "maroon"
"""Up to 12 V: no wire to the header has this color."""


def to_drain(picture, piece, top):
    """The wire from a lamp's − to the drain."""
    x, y = place(piece.hole("load minus"))
    picture.wire([(x, top), *beside((x, RAILS["+"] - 40), (x, y))], LAMP_WIRE, 5)
    return x


def lamp(picture, piece):
    """With its fuse and its supply."""
    (mx, my), y = place(piece.hole("supply minus")), 180
    x = place(piece.hole("load minus"))[0]
    to_drain(picture, piece, y + 60)
    picture.wire([(mx, y + 60), *beside((mx, RAILS["+"] - 40), (mx, my))], "black", 5)
    left, right = x - (154 if piece.kind == "solenoid" else 74), mx + 130
    picture.rect(left, y - 96, right - left, 160, "#3a4150", rx=10)
    picture.text((left + right) / 2, y - 70, f"{piece.value}, apart from the Pi", size=18, bold=True, fill="#ffffff")
    picture.line((x, y - 4), (x, y - 44), (mx + 62, y - 44), (mx + 62, y - 4), width=4, color="#ffb3b3")
    middle = (x + mx + 62) / 2
    is_strip, is_lamp = "rgb" in picture.circuit.name, piece.kind == "lamp"
    picture.rect(middle - 42, y - 58, 84, 28, "#ecd9b0", rx=6, stroke="#a58f5c", stroke_width=2)
    picture.text(middle, y - 37, "fuse 1 A" if is_lamp else "T 500 mA", size=17 if is_lamp else 15, bold=True)
    fill, edge = ("#ffd84a", "#b98a00") if is_lamp else ("#c8ccd3", "#7c838d")
    picture.rect(x - 58, y - 10, 116, 46, fill, rx=8, stroke=edge, stroke_width=2)
    picture.text(x, y + 20, "RGB strip" if is_strip else "12 V lamp" if is_lamp else "solenoid", size=18, bold=True)
    picture.text(x - 16, y - 16, "+", size=22, bold=True, fill="#ffffff")
    picture.text(x - 16, y + 58, "R" if is_strip else "−", size=20, bold=True, fill="#ffffff")
    picture.rect(mx - 24, y - 10, 140, 46, "#c9cdd3", rx=8, stroke="#7c838d", stroke_width=2)
    picture.text(mx + 46, y + 20, f"{piece.value} supply", size=18, bold=True)
    picture.text(mx + 80, y - 16, "+", size=22, bold=True, fill="#ffffff")
    picture.text(mx - 16, y + 58, "−", size=22, bold=True, fill="#ffffff")


def solenoid(picture, piece):
    """A lamp with a diode at its left, whose band is at +."""
    lamp(picture, piece)
    x, y = place(piece.hole("load minus"))[0], 180
    at = x - 100
    picture.line((x, y - 44), (at, y - 44), (at, y - 26), width=4, color="#ffb3b3")
    picture.line((x, y + 36), (x, y + 60), width=4, color="#c8ccd3")
    picture.line((x, y + 46), (at, y + 46), (at, y + 30), width=4, color="#c8ccd3")
    picture.rect(at - 13, y - 28, 26, 60, "#2b2f36", rx=5, stroke="#c8ccd3", stroke_width=2)
    picture.rect(at - 12, y - 20, 24, 9, "#c8ccd3")
    picture.text(at - 20, y + 6, "1N4001", size=15, bold=True, fill="#ffffff", turned=True)


def strip(picture, piece):
    y = 196
    x = to_drain(picture, piece, y + 40)
    picture.rect(x - 72, y - 40, 144, 84, "#3a4150", rx=10)
    picture.text(x, y - 12, "to the strip's", size=18, fill="#ffffff")
    picture.text(x, y + 20, piece.role[0].upper(), size=26, bold=True, fill="#ffffff")


def buzzer(picture, piece):
    (mx, my), (px, py) = place(piece.hole("minus")), place(piece.hole("plus"))
    x, y = (mx + px) / 2, 190
    name, volts, fill, hub, words = {
        "buzzer": ("active buzzer", "5 V", "#33373f", "#0c0d0f", "#ffffff"),
        "motor": ("coin motor", "3 V", "#c8ccd3", "#8b919b", "#1f2430")}[piece.kind]
    picture.wire([(x - 22, y), (x - 22, my - 20), (mx, my)], "black", 5)
    picture.wire([(x + 22, y), (x + 22, 286), (px, 286), (px, py)], picture.circuit.plus["wire"], 5)
    picture.circle(x, y, 82, fill, stroke="#15171a", stroke_width=3)
    picture.circle(x, y, 14, hub)
    picture.text(x, y - 34, name, size=17, bold=True, fill=words)
    picture.text(x, y + 52, volts, size=17, bold=True, fill=words)
    picture.text(x + 50, y + 10, "+", size=34, bold=True, fill="#ff6b6b" if piece.kind == "buzzer" else "#b3261e")
    picture.text(x - 50, y + 10, "−", size=34, bold=True, fill=words)


def socket(picture, piece):
    """A MIDI socket. The output's wires come down at the left of their columns, where the resistor leaves room."""
    ends = {leg: place(hole) for leg, hole in piece.legs}
    color, out = picture.circuit.pins.lines[piece.role]["wire"], "pin 2" in ends
    starts = {leg: hx + PITCH / 2 * (-1 if out and leg != "pin 2" else 1) for leg, (hx, _) in ends.items()}
    x, y = starts["pin 5"], 180
    for leg, (hx, hy) in ends.items():
        start = starts[leg]
        step = PITCH / 2 if leg == "pin 2" else 20
        picture.wire([(start, y + 56), (start, hy - step), (hx, hy)], "black" if leg == "pin 2" else color, 5)
    picture.rect(x - 150, y - 84, 300, 144, "#3a4150", rx=10)
    picture.text(x, y - 58, piece.role.upper(), size=19, bold=True, fill="#ffffff")
    picture.text(x, y - 34, "5-pin DIN, or TRS type A", size=17, fill="#ffffff")
    picture.circle(x, y - 2, 21, "#16181c", stroke="#c8ccd3", stroke_width=4)
    for dx, dy in ((-13, 2), (-9, 10), (0, 13), (9, 10), (13, 2)):
        picture.circle(x + dx, y - 4 - dy + 6, 2.5, "#c8ccd3")
    other = 2 * x - starts["pin 4"]
    for leg, tx, words in (
            ("pin 4", starts["pin 4"], "ring"), ("pin 5", x, "tip"), ("pin 2", other, "sleeve" if out else "empty")):
        picture.text(tx, y + 35, leg, size=16, bold=True, fill="#ffffff")
        picture.text(tx, y + 53, words, size=16, fill="#ffffff")


def loose(picture, piece):
    """A button beside the board, in its upper right corner."""
    line, (x, rail) = picture.circuit.pins.lines[piece.role], place(piece.hole("far"))
    y, left = 96, x - 330
    picture.wire([(x, y + 90), *beside((x, RAILS["+"] - 40), (x, rail))], "black", 5)
    picture.rect(left, y, 370, 124, "#3a4150", rx=10)
    picture.text(left + 185, y + 28, f"button {piece.role}", size=18, bold=True, fill="#ffffff")
    picture.text(left + 185, y + 60, "not on the board. One contact:", size=17, fill="#ffffff")
    picture.text(left + 185, y + 86, f"a wire to GPIO{line['bcm']}, pin {line['pin']}.", size=17, fill="#ffffff")
    picture.text(left + 185, y + 112, "The other: rail −.", size=17, fill="#ffffff")


def module(picture, piece):
    x, y = place(piece.hole("input"))[0], 180
    picture.rect(x - 125, y - 84, 250, 140, "#27598f", rx=8, stroke="#12304f", stroke_width=2)
    picture.circle(x, y - 22, 46, "#22252b", stroke="#0d0f12", stroke_width=3)
    picture.circle(x, y - 22, 9, "#000000")
    picture.text(x - 86, y - 54, "buzzer", size=16, bold=True, fill="#ffffff")
    picture.text(x + 84, y - 54, "module", size=16, bold=True, fill="#ffffff")
    for leg, word, color in (("ground", "GND", "black"), ("input", "I/O", "violet"), ("supply", "VCC", picture.circuit.plus["wire"])):
        hx, hy = place(piece.hole(leg))
        picture.text(hx, y + 48, word, size=16, bold=True, fill="#ffffff")
        way = [(hx, hy)] if leg == "supply" else beside((hx, RAILS["+"] - 40), (hx, hy))
        picture.wire([(hx, y + 60), *way], color, 5)


def display(picture, piece):
    """A module that shows 120. Its pins have the distance of three columns. Only the wire of the last pin goes sideways."""
    ends = {leg: place(hole) for leg, hole in piece.legs}
    left, step = ends["GND"][0], 3 * PITCH
    x, y, bottom = left + 1.5 * step, 180, 240
    picture.rect(left - 70, y - 100, 3 * step + 140, 156, "#27598f", rx=8, stroke="#12304f", stroke_width=2)
    picture.rect(x - 170, y - 92, 340, 104, "#1c2026", rx=6)
    if piece.kind == "screen":
        picture.text(x, y - 12, "120", size=80, bold=True, fill="#d8ecff")
    else:
        for index, lit in enumerate(("", "bc", "abdeg", "abcdef")):
            digit(picture, x - 120 + 76 * index + (12 if index > 1 else 0), y - 40, lit)
        for dy in (-16, 16):
            picture.circle(x, y - 40 + dy, 5, "#4a2a2c")
    last = piece.legs[-1][0]
    third = next(other.legs[0][0] for other in picture.circuit.pieces if other.kind == f"{piece.kind}_third")
    for index, pin in enumerate(("GND", "VCC", third, last)):
        picture.text(left + index * step, y + 46, pin, size=18, bold=True, fill="#ffffff")
    for pin, color in (("GND", "black"), ("VCC", picture.circuit.plus["wire"])):
        px, py = ends[pin]
        way = [(px, py)] if pin == "VCC" else beside((px, RAILS["+"] - 40), (px, py))
        picture.wire([(px, bottom), *way], color, 5)
    (cx, cy), level = ends[last], bottom + 40
    way = beside((cx, RAILS["+"] - 40), (cx, cy))
    picture.wire([(left + 3 * step, bottom), (left + 3 * step, level), (cx, level), *way], color_of(picture, piece), 5)


def display_third(picture, piece):
    x, y = place(piece.legs[0][1])
    picture.wire([(x, 240), *beside((x, RAILS["+"] - 40), (x, y))], color_of(picture, piece), 5)


def color_of(picture, piece):
    """The color of the wire from the Pi to this part."""
    return picture.circuit.pins.lines[piece.role]["wire"]


def digit(picture, x, y, lit):
    """A digit of seven segments, with its center."""
    w, h = 22, 36
    corners = {"a": (-w, -h, w, -h), "b": (w, -h, w, 0), "c": (w, 0, w, h), "d": (-w, h, w, h), "e": (-w, 0, -w, h),
               "f": (-w, -h, -w, 0), "g": (-w, 0, w, 0)}
    for segment, (x1, y1, x2, y2) in corners.items():
        dx, dy = (6, 0) if y1 == y2 else (0, 6)
        picture.line((x + x1 + dx, y + y1 + dy), (x + x2 - dx, y + y2 - dy), width=8,
                     color="#ff4a3d" if segment in lit else "#3a2426")


def jack(picture, piece):
    ring = next((other for other in picture.circuit.pieces if other.kind == "jack_ring"), None)
    if ring:
        stereo_jack(picture, piece, ring)
        return
    (tx, ty), (sx, sy) = place(piece.hole("tip")), place(piece.hole("sleeve"))
    x, y = tx + 2 * PITCH, 180
    color = picture.circuit.pins.lines[piece.role]["wire"]
    tip, level = tx + PITCH * 1.5, ty - PITCH / 2
    picture.wire([(tip, y + 30), (tip, level), (tx + 18, level), (tx, ty)], color, 5)
    picture.wire([(sx, y + 30), *beside((sx, RAILS["+"] - 40), (sx, sy))], "black", 5)
    picture.rect(x - 86, y - 84, 172, 124, "#3a4150", rx=10)
    picture.text(x, y - 60, "jack, foot switch", size=16, fill="#ffffff")
    picture.text(x, y - 38, piece.role, size=18, bold=True, fill="#ffffff")
    picture.circle(x, y - 8, 18, "#c8ccd3", stroke="#8b919b", stroke_width=4)
    picture.circle(x, y - 8, 8, "#16181c")
    picture.text(tip, y + 32, "tip", size=16, bold=True, fill="#ffffff")
    picture.text(sx, y + 32, "sleeve", size=16, bold=True, fill="#ffffff")


def stereo_jack(picture, tip, ring):
    """One jack for two foot switches."""
    (tx, ty), (rx, ry), (sx, sy) = place(tip.hole("tip")), place(ring.hole("ring")), place(tip.hole("sleeve"))
    y, aside = 180, PITCH * 1.5
    x = (tx + rx) / 2 + aside
    for (hx, hy), piece in (((tx, ty), tip), ((rx, ry), ring)):
        level = hy - PITCH / 2
        picture.wire([(hx + aside, y + 30), (hx + aside, level), (hx + 18, level), (hx, hy)], color_of(picture, piece), 5)
    picture.wire([(sx, y + 30), *beside((sx, RAILS["+"] - 40), (sx, sy))], "black", 5)
    picture.rect(x - 200, y - 84, 400, 124, "#3a4150", rx=10)
    picture.text(x, y - 58, "stereo jack, two foot switches", size=18, bold=True, fill="#ffffff")
    picture.circle(x, y - 14, 20, "#c8ccd3", stroke="#8b919b", stroke_width=4)
    picture.circle(x, y - 14, 9, "#16181c")
    picture.text(tx + aside, y + 8, tip.role, size=17, fill="#ffffff")
    picture.text(rx + aside, y + 8, ring.role, size=17, fill="#ffffff")
    picture.text(tx + aside, y + 32, "tip", size=17, bold=True, fill="#ffffff")
    picture.text(sx, y + 32, "sleeve", size=17, bold=True, fill="#ffffff")
    picture.text(rx + aside, y + 32, "ring", size=17, bold=True, fill="#ffffff")


def jack_ring(picture, piece):
    """`stereo_jack` draws it."""
