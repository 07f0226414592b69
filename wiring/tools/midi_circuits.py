"""The circuits of a schematic for MIDI OUT and MIDI IN, with their sockets."""

from svg import INK


def midi_socket(picture, x, y, role, ends):
    """A MIDI socket; `ends` has the height of each of its pins below y."""
    picture.rect(x, y - 34, 130, max(ends.values()) + 58, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    picture.text(x + 65, y - 44, role.upper(), size=21, bold=True)
    for pin, dy in ends.items():
        picture.text(x + 12, y + dy + 8, f"{pin} {({4: 'ring', 5: 'tip', 2: 'sleeve'})[pin]}", size=21, anchor="start")


def midi_out(picture, x, y, role):
    start = picture.flag(x, y + 93, role)
    y = start[1]
    node, tx, left = x + 350, x + 510, x + 622
    bar, line = tx - 20, tx + 20
    picture.resistor(start, (node, y), role, "1 kΩ")
    picture.dot(node, y)
    picture.path_of((node, y), (bar, y))
    picture.resistor((node, y), (node, y - 90), role, "3.3 kΩ")
    picture.supply(node, y - 90, "three")
    picture.circle(tx, y, 42, "none", stroke=INK, stroke_width=3)
    picture.line((bar, y - 26), (bar, y + 26), width=6)
    picture.line((bar, y - 12), (line, y - 40), width=4)
    picture.line((bar, y + 12), (line, y + 40), width=4)
    picture.path(f"M {bar + 4} {y - 14} l 19 -2 l -9 -14 Z", INK)
    picture.text(tx + 52, y + 8, "2N3906", size=21, anchor="start", bold=True)
    for dx, dy, letter in ((-54, -12, "B"), (38, -30, "E"), (38, 48, "C")):
        picture.text(tx + dx, y + dy, letter, size=20, fill="#b3261e", bold=True)
    picture.terminal(f"{role}: 2N3906 base", (bar, y))
    picture.terminal(f"{role}: 2N3906 emitter", (line, y - 40))
    picture.terminal(f"{role}: 2N3906 collector", (line, y + 40))
    picture.path_of((line, y - 40), (line, y - 90))
    picture.supply(line, y - 90, "three")
    four, five, two = y + 100, y + 160, y + 220
    picture.path_of((line, y + 40), (line, four))
    picture.resistor((line, four), (left, four), role, "33 Ω")
    picture.resistor((line, five), (left, five), role, "10 Ω")
    picture.path_of((line, five), (x + 430, five), (x + 430, five + 20))
    picture.ground(x + 430, five + 20)
    picture.path_of((left, two), (x + 530, two), (x + 530, two + 16))
    picture.ground(x + 530, two + 16)
    midi_socket(picture, left, four, role, {4: 0, 5: 60, 2: 120})
    for pin, height in ((4, four), (5, five), (2, two)):
        picture.terminal(f"{role}: MIDI socket pin {pin}", (left, height))


def midi_in(picture, x, y, role):
    start = picture.flag(x, y + 133, role)
    y = start[1]
    node, left, middle, right, shunt, socket = x + 256, x + 346, x + 404, x + 462, x + 498, x + 628
    one, two = y, y + 92
    picture.path_of(start, (node, y), (left, y))
    picture.dot(node, y)
    picture.resistor((node, y), (node, y - 90), role, "1 kΩ")
    picture.supply(node, y - 90, "three")
    picture.rect(left, y - 60, right - left, 180, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    picture.text(left + 40, y + 52, "H11L1", size=18, bold=True)
    light = right - 16
    picture.line((light, y + 20), (light, y + 68), width=3)
    picture.path(f"M {light - 11} {y + 34} h 22 l -11 18 Z", "#ffffff", stroke=INK, stroke_width=3)
    picture.line((light - 11, y + 53), (light + 11, y + 53), width=4)
    for dx, dy, anchor, words in (
            (10, 8, "start", "4"), (58, -38, "middle", "6"), (58, 112, "middle", "5"), (106, 8, "end", "1"),
            (106, 100, "end", "2")):
        picture.text(left + dx, y + dy, words, size=20, anchor=anchor)
    picture.terminal(f"{role}: H11L1 pin 4", (left, y))
    picture.path_of((middle, y - 60), (middle, y - 90))
    picture.supply(middle, y - 90, "three")
    picture.terminal(f"{role}: H11L1 pin 6", (middle, y - 60))
    picture.path_of((middle, y + 120), (middle, y + 134))
    picture.ground(middle, y + 134)
    picture.terminal(f"{role}: H11L1 pin 5", (middle, y + 120))
    picture.line((left - 24, two), (left, two), width=4)
    picture.text(left + 10, two + 8, "3", size=20, anchor="start")
    picture.text(left - 34, two + 8, "empty", size=19, anchor="end")
    picture.terminal(f"{role}: H11L1 pin 3", (left, two))
    # The capacitor stands beside pins 5 and 6.
    picture.path_of((x + 560, y - 126), (x + 560, y - 112))
    picture.supply(x + 560, y - 126, "three")
    picture.capacitor(x + 560, y - 112, role)
    picture.path_of((x + 560, y - 96), (x + 560, y - 80))
    picture.ground(x + 560, y - 80)
    picture.terminal(f"{role}: H11L1 pin 1", (right, one))
    picture.terminal(f"{role}: H11L1 pin 2", (right, two))
    picture.path_of((right, one), (shunt, one))
    picture.resistor((shunt, one), (socket, one), role, "220 Ω")
    picture.path_of((right, two), (shunt, two), (socket, two))
    picture.diode(shunt, one, two, role)
    picture.dot(shunt, one)
    picture.dot(shunt, two)
    midi_socket(picture, socket, one, role, {4: 0, 5: 92, 2: 140})
    picture.line((socket - 24, one + 140), (socket, one + 140), width=4)
    picture.text(socket - 34, one + 148, "empty", size=19, anchor="end")
    picture.terminal(f"{role}: MIDI socket pin 4", (socket, one))
    picture.terminal(f"{role}: MIDI socket pin 5", (socket, two))
