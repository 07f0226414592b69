"""The holes of the breadboard: where they are, how the board looks, and how wires and legs run between them."""

from circuit import COLUMNS, DISPLAYS, Hole
from svg import COLORS

PITCH, LEFT = 46, 133
"""Between two holes, and where column 1 is."""
RAILS = {"+": 352, "-": 398}
ROWS = dict(zip("jihgfedcba", [510, 556, 602, 648, 694, 832, 878, 924, 970, 1016]))
UNUSED_RAILS = (1128, 1174)
TOP, BOTTOM = 318, 1206
HALO = "#f6f4ee"


def place(hole):
    return LEFT + (hole.column - 1) * PITCH, RAILS.get(hole.row) or ROWS[hole.row]


def legs(piece):
    return [place(hole) for _, hole in piece.legs]


def board(picture):
    left, right = LEFT - 44, LEFT + (COLUMNS - 1) * PITCH + 44
    picture.rect(left, TOP, right - left, BOTTOM - TOP, HALO, rx=10, stroke="#c9c4b6", stroke_width=2)
    gap = (ROWS["f"] + ROWS["e"]) / 2
    picture.rect(left + 2, gap - 20, right - left - 4, 40, "#e4dfd2")
    for y, sign, supply in picture.rails():
        outwards = -22 if (sign == "+") == (y < gap) else 22
        color = COLORS[supply["wire"]] if supply else "#b9b4a6"
        picture.line((LEFT - 10, y + outwards), (right - 34, y + outwards), color=color, width=5 if supply else 2)
        picture.text(right - 18, y + 8, sign, size=24, fill=color, bold=True)
        if supply:
            picture.rect(right + 4, y - 19, 80, 38, color, rx=8)
            picture.text(right + 44, y + 8, supply["name"], size=21, fill="#ffffff", bold=True)
        for column in range(COLUMNS):
            hole(picture, LEFT + column * PITCH, y)
    for row, y in ROWS.items():
        for x in (left + 12, right - 18):
            picture.text(x, y + 6, row, size=18, fill="#6f6a5c")
        for column in range(COLUMNS):
            hole(picture, LEFT + column * PITCH, y)
    fed = {hole.column: str(hole) for _, _, hole in picture.circuit.feeds if hole.row == "a"}
    for column in range(1, COLUMNS + 1):
        x = LEFT + (column - 1) * PITCH
        if column not in covered(picture.circuit):
            picture.text(x, ROWS["j"] - 24, str(column), size=17, fill="#6f6a5c")
        if column in fed:
            picture.text(x - 10, ROWS["a"] + 64, fed[column], size=19, anchor="end", bold=True)
        else:
            picture.text(x, ROWS["a"] + 38, str(column), size=17, fill="#6f6a5c")


def covered(circuit):
    """The columns whose upper number would be under a wire or a part. Each number is also below the board's lower half."""
    columns = set()
    for piece in circuit.pieces:
        if piece.kind in ("jack", "jack_ring"):
            columns.add(piece.legs[0][1].column + 1)
        elif piece.kind in ("lamp", "solenoid", "strip"):
            columns.add(piece.hole("load minus").column)
        elif piece.kind in ("socket", *DISPLAYS):
            columns |= {hole.column for _, hole in piece.legs}
        elif piece.kind in ("buzzer", "motor", "module"):
            columns.add(piece.hole("input" if piece.kind == "module" else "minus").column)
        elif any(hole.row in "+-" for _, hole in piece.legs):
            columns |= {hole.column for _, hole in piece.legs}
    return columns


def hole(picture, x, y):
    picture.rect(x - 6, y - 6, 12, 12, "#d3cdbd", rx=2)
    picture.rect(x - 3.5, y - 3.5, 7, 7, "#4d4a42", rx=1)


def beside(start, end):
    """The path of a wire between two holes of a column or of a row. It runs half a pitch beside any holes between them."""
    (x, y1), (x2, y2) = start, end
    if y1 == y2:
        level = between_rows(y1)
        return [start, (x + 16, level), (x2 - 16, level), end]
    low, high = sorted((y1, y2))
    if not any(low < y < high for y in [*RAILS.values(), *ROWS.values(), *UNUSED_RAILS]):
        return [start, end]
    step = 20 if y2 > y1 else -20
    return [start, (x + PITCH / 2, y1 + step), (x + PITCH / 2, y2 - step), end]


def between_rows(y):
    """The height halfway to the next row towards the gap."""
    return y + PITCH / 2 if y < (ROWS["e"] + ROWS["f"]) / 2 else y - PITCH / 2


def passes(circuit, piece):
    """Whether a straight line between the two legs of a part would pass over a hole of another net."""
    (_, one), (_, other) = piece.legs
    used = {hole.strip for each in circuit.pieces for _, hole in each.legs}
    return one.row == other.row and any(
        Hole(one.row, column).strip in used for column in range(one.column + 1, other.column))


def lead(picture, *points):
    """The bare leg of a part."""
    picture.leads.append(points)
    picture.line(*points, color="#9aa0a8", width=5)
    picture.circle(*points[-1], 4.5, "#9aa0a8")
