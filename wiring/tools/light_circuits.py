"""The circuits of a schematic whose output is seen, and what a MOSFET switches: an LED, a lamp, a strip, a solenoid, and a display."""

from svg import INK


def led(picture, x, y, role):
    start = picture.flag(x, y, role)
    y = start[1]
    picture.resistor(start, (x + 420, y), role, "470 Ω")
    picture.path_of((x + 420, y), (x + 480, y))
    picture.path(f"M {x + 480} {y - 24} v 48 l 42 -24 Z", "#ffffff", stroke=INK, stroke_width=4)
    picture.line((x + 524, y - 24), (x + 524, y + 24), width=5)
    for offset in (0, 18):
        picture.line((x + 492 + offset, y - 30), (x + 508 + offset, y - 52), width=3)
        picture.path(f"M {x + 512 + offset} {y - 58} l -11 6 l 8 6 Z", INK)
    picture.text(x + 502, y + 48, "LED", size=21, bold=True)
    picture.text(x + 462, y - 12, "+", size=24, bold=True)
    picture.text(x + 546, y - 12, "−", size=24, bold=True)
    picture.terminal(f"{role}: LED anode", (x + 480, y))
    picture.terminal(f"{role}: LED cathode", (x + 524, y))
    picture.path_of((x + 524, y), (x + 640, y), (x + 640, y + 26))
    picture.ground(x + 640, y + 26)


def lamp(picture, x, y, role):
    words = "strip's +, R" if picture.variant["parts"][0]["part"] == "rgb_lamp" else "12 V lamp"
    dx, top, low = load(picture, x, y, role, "12 V", "fuse 1 A")
    middle = (top + low) / 2
    picture.circle(dx, middle, 22, "#ffffff", stroke=INK, stroke_width=4)
    for side in (-1, 1):
        picture.line((dx - 15, middle - 15 * side), (dx + 15, middle + 15 * side), width=3)
    picture.text(dx - 36, middle + 8, words, size=21, anchor="end", bold=True)


def solenoid(picture, x, y, role):
    dx, top, low = load(picture, x, y, role, "5 V", "T 500 mA")
    picture.rect(dx - 26, top, 52, low - top, "#ffffff", stroke=INK, stroke_width=4)
    picture.line((dx - 26, low), (dx + 26, top), width=3)
    diode = dx - 280
    picture.path_of((dx, top - 12), (diode, top - 12), (diode, top))
    picture.path_of((dx, low + 12), (diode, low + 12), (diode, low))
    for level in (top - 12, low + 12):
        picture.dot(dx, level)
    picture.diode(diode, top, low, role, "1N4001", "5 V diode")
    picture.text(dx - 36, (top + low) / 2 + 8, "solenoid", size=21, anchor="end", bold=True)


def load(picture, x, y, role, volts, fuse):
    """The MOSFET, and above it the fuse and the supply of what it switches, whose place between two heights it returns."""
    drain = channel(picture, x, y + 80, role, volts)
    dx, dy = drain
    top, low = dy - 78, dy - 34
    picture.path_of(drain, (dx, low + 12), (dx, low))
    picture.terminal(f"{role}: {volts} load minus", (dx, low))
    picture.terminal(f"{role}: {volts} load plus", (dx, top))
    level, near, far, cell = top - 24, dx + 30, dx + 100, dx + 150
    picture.path_of((dx, top), (dx, top - 12), (dx, level), (near, level))
    picture.rect(near, level - 12, far - near, 24, "#ffffff", stroke=INK, stroke_width=4)
    picture.line((near, level), (far, level), width=3)
    picture.text((near + far) / 2, level - 20, fuse, size=20, bold=True)
    picture.terminal(f"{role}: {volts} fuse near", (near, level))
    picture.terminal(f"{role}: {volts} fuse far", (far, level))
    picture.path_of((far, level), (cell, level), (cell, level + 40))
    picture.line((cell - 26, level + 40), (cell + 26, level + 40), width=4)
    picture.line((cell - 14, level + 54), (cell + 14, level + 54), width=8)
    picture.text(cell + 34, level + 54, volts, size=21, anchor="start", bold=True)
    picture.text(cell - 16, level + 34, "+", size=22, anchor="end", bold=True)
    picture.terminal(f"{role}: {volts} supply plus", (cell, level + 40))
    picture.terminal(f"{role}: {volts} supply minus", (cell, level + 54))
    picture.path_of((cell, level + 54), (cell, level + 84))
    picture.ground(cell, level + 84)
    return dx, top, low


def channel(picture, x, y, role, value="strip"):
    """A MOSFET that switches a wire to ground. Returns the point of its drain."""
    start = picture.flag(x, y + 53, role)
    y = start[1]
    node, gate, bar, line = x + 400, x + 470, x + 482, x + 520
    picture.resistor(start, (node, y), role, "100 Ω")
    picture.dot(node, y)
    picture.path_of((node, y), (gate, y))
    picture.resistor((node, y), (node, y + 104), role, "10 kΩ")
    picture.ground(node, y + 104)
    picture.line((gate, y - 26), (gate, y + 26), width=5)
    for low, high in ((-30, -12), (-8, 8), (12, 30)):
        picture.line((bar, y + low), (bar, y + high), width=5)
    picture.line((bar, y - 21), (line, y - 21), width=4)
    picture.line((line, y - 21), (line, y - 44), width=4)
    picture.line((bar, y), (line, y), width=4)
    picture.line((bar, y + 21), (line, y + 21), width=4)
    picture.line((line, y), (line, y + 44), width=4)
    picture.path(f"M {bar + 3} {y} l 14 -7 v 14 Z", INK)
    picture.text(line + 24, y + 8, "IRLZ44N", size=21, anchor="start", bold=True)
    for dx, dy, letter in ((-34, -14, "G"), (18, -30, "D"), (18, 48, "S")):
        picture.text((gate if letter == "G" else line) + dx + (16 if letter == "G" else 0), y + dy, letter, size=20, fill="#b3261e",
                     bold=True)
    picture.terminal(f"{role}: IRLZ44N gate", (gate, y))
    picture.terminal(f"{role}: IRLZ44N drain", (line, y - 44))
    picture.terminal(f"{role}: IRLZ44N source", (line, y + 44))
    picture.path_of((line, y + 44), (line, y + 104))
    picture.ground(line, y + 104)
    if value == "strip":
        picture.path_of((line, y - 44), (line, y - 62), (line + 60, y - 62))
        picture.text(line + 72, y - 54, f"strip's {role[0].upper()}", size=21, anchor="start", bold=True)
        picture.terminal(f"{role}: strip load minus", (line + 60, y - 62))
    return line, y - 44


def display(picture, x, y, role):
    four_pins(picture, x, y, ("TM1637 module", "with pull-up", "resistors"), (role, "CLK"), ("data", "DIO"))


def screen(picture, x, y, role):
    four_pins(picture, x, y, ("SSD1306 module", "128 × 64 pixels"), (role, "SDA"), ("SCL", "SCL"))


def four_pins(picture, x, y, said, *pins):
    """A module with two lines and its supply. `said`: its name and notes. `pins`: line and pin."""
    left, width = x + 440, 290
    name, role = said[0], pins[0][0]
    lines = [(line, pin, picture.flag(x, y + 63 + 90 * row, line)) for row, (line, pin) in enumerate(pins)]
    top, bottom = lines[0][2][1] - 50, lines[1][2][1] + 50
    picture.rect(left, top, width, bottom - top, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    for line, pin, start in lines:
        end = left, start[1]
        picture.path_of(start, end)
        picture.text(left + 12, end[1] + 8, pin, size=21, anchor="start")
        picture.terminal(f"{line}: {name} {pin}", end)
    middle, height = left + width / 2, (top + bottom) / 2
    for step, words in enumerate(said):
        picture.text(middle + 30, height - 18 + 26 * step, words, size=20, bold=step == 0)
    picture.text(middle, top + 28, "VCC", size=21)
    picture.text(middle, bottom - 12, "GND", size=21)
    picture.terminal(f"{role}: {name} VCC", (middle, top))
    picture.terminal(f"{role}: {name} GND", (middle, bottom))
    picture.path_of((middle, top), (middle, top - 24))
    picture.supply(middle, top - 24, "three")
    picture.path_of((middle, bottom), (middle, bottom + 24))
    picture.ground(middle, bottom + 24)
