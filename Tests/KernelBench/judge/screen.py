"""Decodes what an SSD1306 screen was sent, from the kernel's trace of its bus, and reads the text in its picture.

The commands are those of the data sheet (Solomon Systech, SSD1306), with page addressing. The picture has four digits with seven
segments each; a person reads them where this decoder does.
"""

from glyphs import CHARACTERS, Shown
from record import seconds

WIDTH, PAGES = 128, 8
COMMANDS, DATA = 0x00, 0x40
LEFT = (2, 34, 68, 100)
"""The left column of each digit."""
SEGMENTS = {
    "a": (3, 2, 20, 5), "b": (21, 4, 5, 27), "c": (21, 32, 5, 28), "d": (3, 57, 20, 5), "e": (0, 32, 5, 28), "f": (0, 4, 5, 27),
    "g": (3, 29, 20, 5),
}  # fmt: skip
"""Column within the digit, row, width and height."""
COLON = ((62, 19, 4, 4), (62, 40, 4, 4))
OPERANDS = {0x20: 1, 0x81: 1, 0x8D: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}
PLAIN = {0x40, 0xA1, 0xA4, 0xA6, 0xC8}


class Screen:
    def __init__(self):
        self.memory = [[0] * WIDTH for _ in range(PAGES)]
        self.page = self.column = 0
        self.contrast = 0x7F
        self.is_ready = {0x20: False, 0x8D: False}
        """Whether page addressing and the charge pump are on."""
        self.shown, self.problems = [], []

    def receive(self, transfer):
        if transfer.first == DATA:
            for byte in transfer.data:
                self.memory[self.page][self.column] = byte
                self.column = (self.column + 1) % WIDTH
        elif transfer.first == COMMANDS:
            self.run(transfer.instant, list(transfer.data))
        else:
            self.problem(transfer.instant, f"unexpected control byte {transfer.first:#04x}")

    def run(self, instant, rest):
        while rest:
            command = rest.pop(0)
            if command < 0x10:
                self.column = self.column & 0xF0 | command
            elif command < 0x18:
                self.column = self.column & 0x0F | (command & 7) << 4
            elif command & 0xF8 == 0xB0:
                self.page = command & 7
            elif command == 0xAE:
                self.shown.append(Shown(instant, None))
            elif command == 0xAF:
                self.show(instant)
            elif command in OPERANDS and rest:
                self.set(command, rest.pop(0))
            elif command not in PLAIN:
                self.problem(instant, f"unexpected command {command:#04x}")

    def set(self, command, operand):
        if command == 0x81:
            self.contrast = operand
        elif command in self.is_ready:
            self.is_ready[command] = operand == {0x20: 0x02, 0x8D: 0x14}[command]

    def show(self, instant):
        if not all(self.is_ready.values()):
            self.problem(instant, "a picture before the chip is set up")
        text, faults = text_of(self.memory)
        for fault in faults:
            self.problem(instant, fault)
        self.shown.append(Shown(instant, text, (self.contrast + 1) // 32))

    def problem(self, instant, text):
        self.problems.append(f"display: {text} at {seconds(instant)}")


def pixels(area, left=0):
    x, y, width, height = area
    return {(left + column, row) for column in range(x, x + width) for row in range(y, y + height)}


def text_of(memory):
    """The text of the picture, and what is wrong with it."""
    lit = {(x, y) for y in range(8 * PAGES) for x in range(WIDTH) if memory[y // 8][x] >> y % 8 & 1}
    text, faults, expected = "", [], set()
    for place, left in enumerate(LEFT):
        # Two segments may share pixels in a corner, so most pixels of a segment must be on.
        on = [name for name, area in SEGMENTS.items() if 2 * len(pixels(area, left) & lit) > len(pixels(area))]
        for name in on:
            expected |= pixels(SEGMENTS[name], left)
        sign = CHARACTERS.get(sum(1 << "abcdefg".index(name) for name in on))
        if sign is None:
            faults.append(f"unknown segments {''.join(on)} at digit {place}")
        text += sign or "?"
        if place == 1 and pixels(COLON[0]) <= lit:
            text += ":"
            expected |= pixels(COLON[0]) | pixels(COLON[1])
    if lit != expected:
        faults.append(f"{len(lit ^ expected)} wrong pixels around '{text}'")
    return text, faults


def decode(transfers):
    """Everything that was shown, and what is wrong with it."""
    screen = Screen()
    for transfer in transfers:
        screen.receive(transfer)
    return screen.shown, screen.problems
