"""The circuits of a schematic that a hand or a foot closes: a button, and foot switches on a jack."""

from svg import INK


def button(picture, x, y, role):
    start = picture.flag(x, y, role)
    y = start[1]
    picture.path_of(start, (x + 420, y))
    for cx in (x + 426, x + 494):
        picture.circle(cx, y, 7, "#ffffff", stroke=INK, stroke_width=4)
    picture.line((x + 430, y - 8), (x + 496, y - 30), width=4)
    picture.text(x + 460, y + 36, "push button", size=21, bold=True)
    picture.terminal(f"{role}: push button", (x + 420, y))
    picture.terminal(f"{role}: push button", (x + 500, y))
    picture.path_of((x + 500, y), (x + 640, y), (x + 640, y + 24))
    picture.ground(x + 640, y + 24)


def capacitor(picture, x, y, role):
    """From a point of a line to ground."""
    picture.dot(x, y)
    picture.path_of((x, y), (x, y + 46))
    picture.capacitor(x, y + 46, role)
    picture.path_of((x, y + 62), (x, y + 88))
    picture.ground(x, y + 88)


def pull_up(picture, x, y, role):
    """From a point of a line to 3.3 V."""
    picture.dot(x, y)
    picture.resistor((x, y), (x, y - 90), role, "10 kΩ")
    picture.supply(x, y - 90, "three")


def pedal(picture, x, y, role):
    start = picture.flag(x, y + 93, role)
    y = start[1]
    near, far, left = x + 290, x + 460, x + 580
    picture.path_of(start, (near, y))
    capacitor(picture, near, y, role)
    picture.resistor((near, y), (far, y), role, "1 kΩ")
    pull_up(picture, far, y, role)
    picture.path_of((far, y), (left, y))
    picture.rect(left, y - 34, 170, 112, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    picture.text(left + 12, y + 8, "tip", size=21, anchor="start")
    picture.text(left + 12, y + 58, "sleeve", size=21, anchor="start")
    picture.text(left + 85, y - 44, "jack", size=21, bold=True)
    picture.text(left + 158, y, "foot", size=20, anchor="end", bold=True)
    picture.text(left + 158, y + 24, "switch", size=20, anchor="end", bold=True)
    picture.terminal(f"{role}: foot switch tip", (left, y))
    picture.terminal(f"{role}: foot switch sleeve", (left, y + 50))
    picture.path_of((left, y + 50), (left - 60, y + 50), (left - 60, y + 88))
    picture.ground(left - 60, y + 88)


def foot(picture, x, y, role):
    """Two buttons and two foot switches. Each pair shares a line."""
    left, ends = x + 648, []
    for line, part, top in ((role, "tip", y + 93), ("tap", "ring", y + 323)):
        start = picture.flag(x, top, line)
        level = start[1]
        near, button, far, up = x + 280, x + 430, x + 440, x + 548
        picture.path_of(start, (near, level), (button, level), (far, level))
        capacitor(picture, near, level, line)
        picture.dot(button, level)
        picture.path_of((button, level), (button, level + 30))
        for contact in (level + 36, level + 72):
            picture.circle(button, contact, 6, "#ffffff", stroke=INK, stroke_width=4)
        picture.line((button + 8, level + 38), (button + 26, level + 70), width=4)
        picture.text(button + 38, level + 52, "push button", size=20, anchor="start", bold=True)
        picture.terminal(f"{line}: push button", (button, level + 30))
        picture.terminal(f"{line}: push button", (button, level + 78))
        picture.path_of((button, level + 78), (button, level + 88))
        picture.ground(button, level + 88)
        picture.resistor((far, level), (up, level), line, "1 kΩ")
        pull_up(picture, up, level, line)
        picture.path_of((up, level), (left, level))
        picture.terminal(f"{line}: foot switch {part}", (left, level))
        ends.append((part, level))
    (_, first), (_, last) = ends
    picture.rect(left, first - 34, 116, last - first + 112, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    for part, level in [*ends, ("sleeve", last + 50)]:
        picture.text(left + 12, level + 8, part, size=21, anchor="start")
    for step, words in enumerate(("jack,", "two foot", "switches")):
        picture.text(left + 58, (first + last) / 2 + 26 * step, words, size=20, bold=True)
    picture.terminal(f"{role}: foot switch sleeve", (left, last + 50))
    picture.path_of((left, last + 50), (left - 20, last + 50), (left - 20, last + 88))
    picture.ground(left - 20, last + 88)
