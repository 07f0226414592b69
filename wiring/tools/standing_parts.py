"""The parts that stand in the holes of the breadboard, and the wires between two holes."""

from holes import HALO, PITCH, RAILS, ROWS, beside, between_rows, lead, legs, passes, place

BANDS = {
    "470 Ω": ("#f2c500", "#7d3cb5", "#7a4a21"), "1 kΩ": ("#7a4a21", "#111111", "#d8262c"),
    "10 kΩ": ("#7a4a21", "#111111", "#f07d1a"), "3.3 kΩ": ("#f07d1a", "#f07d1a", "#d8262c"),
    "10 Ω": ("#7a4a21", "#111111", "#111111"), "33 Ω": ("#f07d1a", "#f07d1a", "#111111"),
    "220 Ω": ("#d8262c", "#d8262c", "#7a4a21"), "100 Ω": ("#7a4a21", "#111111", "#7a4a21"),
}
"""Three of the colors; the fourth is the tolerance."""


def wire(picture, piece):
    start, end = legs(piece)
    picture.wire(beside(start, end), piece.value)


def resistor(picture, piece):
    (x1, y1), (x2, y2) = sorted(legs(piece))
    if (y1, y2) == (RAILS["+"], ROWS["i"]):
        lead(picture, (x1, y1), (x1 + PITCH / 2, y1 + 20), (x1 + PITCH / 2, RAILS["-"] + 6), (x1, RAILS["-"] + 24), (x2, y2))
    elif passes(picture.circuit, piece):
        lead(picture, *beside((x1, y1), (x2, y2)))
    else:
        lead(picture, (x1, y1), (x2, y2))
    picture.circle(x1, y1, 4.5, "#9aa0a8")
    cx, cy = (x1 + x2) / 2, between_rows(y1) if passes(picture.circuit, piece) else (y1 + y2) / 2
    if piece.legs[1][1].row in "+-":
        cy = (ROWS["j"] + RAILS["-"]) / 2 + 6
    level = y1 == y2
    resistor_body(picture, cx, cy, piece.value, level)
    if level:
        picture.text(cx, cy + 32 if passes(picture.circuit, piece) else cy - 24, piece.value, bold=True, halo=HALO)
    elif piece.legs[1][1].row in "+-":
        picture.text(cx + 31, cy, piece.value, size=17, bold=True, halo=HALO, turned=True)
    else:
        picture.text(cx + 20, cy + 6, piece.value, anchor="start", bold=True, halo="#e4dfd2")


def resistor_body(picture, cx, cy, value, level):
    length, thick = 84, 26
    bands = list(zip((-26, -10, 6), BANDS[value])) + [(28, "#c9a227")]
    if level:
        picture.rect(cx - length / 2, cy - thick / 2, length, thick, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
        for offset, color in bands:
            picture.rect(cx + offset - 4, cy - thick / 2 + 1, 8, thick - 2, color)
    else:
        picture.rect(cx - thick / 2, cy - length / 2, thick, length, "#ecd9b0", rx=9, stroke="#a58f5c", stroke_width=2)
        for offset, color in bands:
            picture.rect(cx - thick / 2 + 1, cy + offset - 4, thick - 2, 8, color)


def led(picture, piece):
    (ax, ay), (cx, cy) = place(piece.hole("anode")), place(piece.hole("cathode"))
    x, y, r = (ax + cx) / 2, ay - 62, 35
    lead(picture, (ax + 8, y + 10), (ax, y + 40), (ax, ay))
    lead(picture, (cx - 8, y + 10), (cx - 8, cy - 14), (cx, cy))
    flat = x + 26
    height = (r * r - 26 * 26) ** 0.5
    color = {"light": ("#ffd84a", "#b98a00"), "pendulum": ("#ff7d70", "#a52a20")}[piece.role]
    rim = f"M {flat} {y - height:.1f} A {r} {r} 0 1 0 {flat} {y + height:.1f} Z"
    picture.path(rim, color[0], stroke=color[1], stroke_width=3)
    picture.circle(x - 3, y, 22, "none", stroke=color[1], stroke_width=1.5, opacity="0.7")
    picture.text(x - 3, y + 6, "LED", size=16, bold=True)
    picture.text(ax - 15, ay - 20, "+", size=24, bold=True, fill="#d8262c", halo=HALO)
    picture.text(cx + 17, cy - 10, "−", size=24, bold=True, halo=HALO)


def transistor(picture, piece):
    feet = legs(piece)
    x, y = feet[1][0], feet[1][1] - 30
    for (fx, fy), from_x in zip(feet, (x - 18, x, x + 18)):
        lead(picture, (from_x, y), (fx, fy))
    picture.path(f"M {x - 48} {y + 8} L {x + 48} {y + 8} A 49 46 0 0 0 {x - 48} {y + 8} Z", "#2b2f36", stroke="#0d0f12",
                 stroke_width=2)
    picture.text(x, y, piece.value, size=17, bold=True, fill="#ffffff")
    for (fx, fy), name in zip(feet, "EBC"):
        picture.text(fx, fy + 26, name, size=18, bold=True, fill="#b3261e", halo=HALO)


def mosfet(picture, piece):
    feet = legs(piece)
    x, y = feet[1][0], feet[1][1] - 30
    for (fx, fy), from_x in zip(feet, (x - 26, x, x + 26)):
        lead(picture, (from_x, y), (fx, fy))
    picture.rect(x - 56, y - 50, 112, 12, "#9aa0a8", rx=2, stroke="#6d7480", stroke_width=2)
    picture.rect(x - 56, y - 38, 112, 40, "#2b2f36", rx=3, stroke="#0d0f12", stroke_width=2)
    picture.text(x, y - 12, piece.value, size=18, bold=True, fill="#ffffff")
    for (fx, fy), name in zip(feet, "GDS"):
        picture.text(fx, fy + 26, name, size=18, bold=True, fill="#b3261e", halo=HALO)


def diode(picture, piece):
    (ax, y), (cx, _) = place(piece.hole("anode")), place(piece.hole("cathode"))
    lead(picture, (ax, y), (cx, y))
    picture.circle(ax, y, 4.5, "#9aa0a8")
    middle = (ax + cx) / 2
    picture.rect(middle - 34, y - 13, 68, 26, "#e0763a", rx=6, stroke="#8f4218", stroke_width=2)
    side = 1 if cx > ax else -1
    picture.rect(middle + 21.5 * side - 4.5, y - 12, 9, 24, "#161616")
    picture.text(middle, y + 36, "1N4148", size=16, bold=True, halo=HALO)
    picture.text(middle + 22 * side, y - 20, "band", size=18, halo=HALO)


def capacitor(picture, piece):
    (x1, row), (x2, _) = legs(piece)
    middle = (x1 + x2) / 2
    # Between neighbouring columns, the body would cover the holes of its legs.
    is_narrow = abs(x1 - x2) == PITCH
    y = row + PITCH if is_narrow else row
    lead(picture, (middle - 16, y), (x1, row))
    lead(picture, (middle + 16, y), (x2, row))
    picture.shape("ellipse", cx=middle, cy=y, rx=30, ry=20, fill="#d9a441", stroke="#94701f", stroke_width=2)
    picture.text(middle, y + 6, "104", size=17, bold=True)
    picture.text(middle, y + 36 if is_narrow else y - 28, piece.value, size=16, bold=True, halo=HALO)


def button(picture, piece):
    feet = legs(piece)
    x, y = (feet[0][0] + feet[2][0]) / 2, (ROWS["e"] + ROWS["f"]) / 2
    for fx, fy in feet:
        lead(picture, (fx, y), (fx, fy))
    picture.rect(x - 58, y - 56, 116, 112, "#4a4f59", rx=8, stroke="#24272d", stroke_width=2)
    picture.circle(x, y - 14, 31, "#c8ccd3", stroke="#7d838d", stroke_width=3)
    picture.text(x, y + 44, piece.role, size=15, bold=True, fill="#ffffff")


def optocoupler(picture, piece):
    holes = [place(hole) for _, hole in piece.legs]
    left, right, y = min(x for x, _ in holes), max(x for x, _ in holes), (ROWS["e"] + ROWS["f"]) / 2
    for x, hole in holes:
        lead(picture, (x, y), (x, hole))
    picture.rect(left - 22, y - 52, right - left + 44, 104, "#2b2f36", rx=6, stroke="#0d0f12", stroke_width=2)
    picture.circle(right + 6, y - 36, 6, "#ffffff")
    picture.text((left + right) / 2, y + 7, piece.value, size=20, bold=True, fill="#ffffff")
    for name, (x, hole) in zip((name for name, _ in piece.legs), holes):
        if x != right or hole > y:
            picture.text(x, y - 27 if hole < y else y + 41, name[-1], size=17, fill="#ffffff")
    picture.text(right - 12, y - 27, "1", size=17, fill="#ffffff", bold=True)
