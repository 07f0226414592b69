"""The circuits of a schematic whose output is heard or felt: a buzzer, a motor, a buzzer module, and headphones."""

from svg import INK


def buzzer(picture, x, y, role):
    cx, top, low = transistor(picture, x, y, role, "active buzzer", "five")
    picture.text(cx - 46, (top + low) / 2 - 4, "active", size=21, anchor="end", bold=True)
    picture.text(cx - 46, (top + low) / 2 + 22, "buzzer", size=21, anchor="end", bold=True)
    for sign, dy in (("+", -4), ("−", 30)):
        picture.text(cx, (top + low) / 2 + dy, sign, size=24, bold=True)


def motor(picture, x, y, role):
    cx, top, low = transistor(picture, x, y, role, "coin motor", "three")
    middle, aside = (top + low) / 2, cx - 240
    picture.text(cx, middle + 13, "M", size=26, bold=True)
    picture.path_of((cx, top), (aside, top), (aside, middle - 8))
    picture.path_of((cx, low), (aside, low), (aside, middle + 8))
    picture.capacitor(aside, middle - 8, role)
    picture.text(cx - 46, middle - 4, "coin", size=21, anchor="end", bold=True)
    picture.text(cx - 46, middle + 22, "motor", size=21, anchor="end", bold=True)


def transistor(picture, x, y, role, part, supply):
    """The transistor, and the part that it switches, with a diode. Returns the place of that part."""
    tx, ty = x + 500, y + 220
    start = picture.flag(x, y + 173, role)
    picture.resistor(start, (x + 370, ty), role, "1 kΩ")
    picture.path_of((x + 370, ty), (x + 400, ty), (tx - 20, ty))
    picture.dot(x + 400, ty)
    picture.resistor((x + 400, ty), (x + 400, ty + 104), role, "10 kΩ")
    picture.ground(x + 400, ty + 104)
    picture.circle(tx, ty, 42, "none", stroke=INK, stroke_width=3)
    picture.line((tx - 20, ty - 26), (tx - 20, ty + 26), width=6)
    picture.line((tx - 20, ty - 12), (tx + 20, ty - 40), width=4)
    picture.line((tx - 20, ty + 12), (tx + 20, ty + 40), width=4)
    picture.path(f"M {tx + 20} {ty + 40} l -17 -3 l 9 -12 Z", INK)
    picture.text(tx + 52, ty + 8, "2N3904", size=21, anchor="start", bold=True)
    for dx, dy, letter in ((-54, -12, "B"), (38, -30, "C"), (38, 48, "E")):
        picture.text(tx + dx, ty + dy, letter, size=20, fill="#b3261e", bold=True)
    picture.terminal(f"{role}: 2N3904 base", (tx - 20, ty))
    picture.terminal(f"{role}: 2N3904 collector", (tx + 20, ty - 40))
    picture.terminal(f"{role}: 2N3904 emitter", (tx + 20, ty + 40))
    picture.path_of((tx + 20, ty + 40), (tx + 20, ty + 104))
    picture.ground(tx + 20, ty + 104)
    cx, top, low = tx + 20, y + 46, ty - 70
    picture.path_of((cx, ty - 40), (cx, low), (cx, low - 20))
    picture.path_of((cx, low), (cx + 112, low), (cx + 112, low - 14))
    picture.dot(cx, low)
    picture.circle(cx, (top + low) / 2 + 4, 34, "#ffffff", stroke=INK, stroke_width=4)
    picture.terminal(f"{role}: {part} minus", (cx, low - 20))
    picture.terminal(f"{role}: {part} plus", (cx, top + 20))
    picture.path_of((cx, top + 20), (cx, top), (cx, top - 16))
    picture.dot(cx, top)
    picture.supply(cx, top - 16, supply)
    dx = cx + 112
    picture.path_of((cx, top), (dx, top))
    picture.diode(dx, top, low, role)
    return cx, top, low


def module(picture, x, y, role):
    start = picture.flag(x, y + 93, role)
    y = start[1]
    node, left = x + 340, x + 500
    picture.path_of(start, (node, y), (left, y))
    picture.dot(node, y)
    picture.resistor((node, y), (node, y - 90), role, "3.3 kΩ")
    picture.supply(node, y - 90, "three")
    picture.rect(left, y - 50, 200, 100, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    picture.text(left + 12, y + 8, "I/O", size=21, anchor="start")
    picture.text(left + 100, y - 24, "VCC", size=21)
    picture.text(left + 100, y + 42, "GND", size=21)
    picture.text(left + 188, y + 8, "module", size=21, anchor="end", bold=True)
    picture.terminal(f"{role}: buzzer module input", (left, y))
    picture.terminal(f"{role}: buzzer module supply", (left + 100, y - 50))
    picture.terminal(f"{role}: buzzer module ground", (left + 100, y + 50))
    picture.path_of((left + 100, y - 50), (left + 100, y - 90))
    picture.supply(left + 100, y - 90, "three")
    picture.path_of((left + 100, y + 50), (left + 100, y + 84))
    picture.ground(left + 100, y + 84)


def headphones(picture, x, y, role):
    """The ground of the sound card is in the middle, so that no lines cross."""
    picture.text(x + 16, y + 8, role, size=24, anchor="start", bold=True)
    top = y + 50
    card, pot, amplifier, socket = x + 150, x + 236, x + 396, x + 644

    def box(left, width, words):
        picture.rect(left, top, width, 200, "#ffffff", rx=6, stroke=INK, stroke_width=4)
        for step, word in enumerate(words):
            picture.text(left + width / 2, top + 224 + 24 * step, word, size=20, bold=True)

    box(x + 16, card - x - 16, ("sound card,", "output"))
    for level, words, leg in ((20, "left (tip)", "left"), (100, "sleeve", "sleeve"), (180, "right (ring)", "right")):
        picture.text(card - 8, top + level + 8, words, size=19, anchor="end")
        picture.terminal(f"{role}: sound card {leg}", (card, top + level))
    common = (pot, top + 100)
    picture.path_of((card, top + 100), common)
    picture.dot(*common)
    for side, end, way in (("left", top + 20, 1), ("right", top + 180, -1)):
        middle = (end + common[1]) / 2
        picture.path_of((card, end), (pot, end))
        picture.line((pot, end), common, width=4)
        picture.rect(pot - 12, middle - 26, 24, 52, "#ffffff", stroke=INK, stroke_width=4)
        picture.text(pot - 20, end + 24 * way + 4, "3", size=18, anchor="end", fill="#b3261e", bold=True)
        picture.text(pot - 20, common[1] - 18 * way + 8, "1", size=18, anchor="end", fill="#b3261e", bold=True)
        picture.terminal(f"{role}: potentiometer {side} 3", (pot, end))
        picture.terminal(f"{role}: potentiometer {side} 1", common)
        picture.path(f"M {pot + 14} {middle} l 16 -8 v 16 Z", INK)
        picture.text(pot + 40, middle - 10, "2", size=18, fill="#b3261e", bold=True)
        picture.path_of((pot + 28, middle), (amplifier, middle))
        picture.terminal(f"{role}: potentiometer {side} 2", (pot + 28, middle))
        picture.terminal(f"{role}: amplifier IN {side[0].upper()}", (amplifier, middle))
    picture.path_of(common, (amplifier, common[1]))
    picture.terminal(f"{role}: amplifier IN GND", (amplifier, common[1]))
    for step, words in enumerate(("potentiometer", "10 kΩ, log,", "two halves")):
        picture.text(pot + 26, top + 224 + 24 * step, words, size=20, bold=True)
    width = 204
    picture.rect(amplifier, top, width, 200, "#ffffff", rx=6, stroke=INK, stroke_width=4)
    picture.text(amplifier + width / 2, top + 30, "amplifier", size=20, bold=True)
    for level, pin, leg in ((60, "L", "tip"), (100, "GND", "sleeve"), (140, "R", "ring")):
        picture.text(amplifier + 10, top + level + 8, f"IN {pin}", size=18, anchor="start")
        picture.text(amplifier + width - 10, top + level + 8, f"OUT {pin}", size=18, anchor="end")
        picture.path_of((amplifier + width, top + level), (socket, top + level))
        picture.terminal(f"{role}: amplifier OUT {pin}", (amplifier + width, top + level))
        picture.terminal(f"{role}: socket {leg}", (socket, top + level))
    box(socket, 110, ("socket",))
    for level, leg in ((60, "tip"), (100, "sleeve"), (140, "ring")):
        picture.text(socket + 12, top + level + 8, leg, size=19, anchor="start")
    plug = top + 250
    for at, sign, leg in ((amplifier + 62, "+", "plus"), (amplifier + 142, "−", "minus")):
        picture.path_of((at, top + 200), (at, plug))
        picture.text(at, top + 190, sign, size=22, bold=True)
        picture.text(at, plug + 26, sign, size=22, bold=True)
        picture.terminal(f"{role}: amplifier {leg}", (at, top + 200))
        picture.terminal(f"{role}: USB cable {leg}", (at, plug))
    picture.rect(amplifier, plug, width, 70, "none", rx=6, stroke=INK, stroke_width=4)
    picture.text(amplifier + width / 2, plug + 56, "USB cable, 5 V", size=20, bold=True)
