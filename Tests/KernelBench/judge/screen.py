"""Decodes what an SSD1306 or SH1106 screen was sent, from the kernel's trace of its bus, and reads the page in its picture.

The commands are those of the data sheets (Solomon Systech, SSD1306; Sino Wealth, SH1106), with page addressing. The glyphs are those of
the program's font; where each part of a page is, and how a number is stretched, is written here again.
"""

import base64
import re
from functools import cache
from pathlib import Path

from glyphs import Shown
from record import seconds

WIDTH, PAGES = 128, 8
COMMANDS, DATA = 0x00, 0x40
PLAIN = {0x40, 0xA1, 0xA4, 0xA6, 0xC8}
CHIPS = {
    # The columns of the memory, the first visible one, and what must be set before a picture.
    "ssd1306": (128, 0, {0x20: 0x02, 0x8D: 0x14, 0xA8: 0x3F, 0xDA: 0x12}),
    "sh1106": (132, 2, {0xAD: 0x8B, 0xA8: 0x3F, 0xDA: 0x12}),
}
OPERANDS = {0x81, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB}
GLYPHS = Path(__file__).resolve().parents[3] / "Sources" / "LinuxBoard" / "Display" / "ScreenGlyphs.swift"
SIZES = {"small": (6, 12), "medium": (8, 16), "large": (12, 24), "huge": (16, 32)}
NUMBERS = (("huge", range(1, 14), range(6, 26)), ("large", range(1, 11), range(4, 19)), ("medium", range(7), range(2, 12)))
"""The fonts of numbers, with the columns and rows that digits use."""
NUMBER_TOP, NUMBER_HEIGHT = 17, 30


@cache
def font(name):
    """{character: its pixels}. Of characters that look the same only the first one."""
    source = GLYPHS.read_text()
    ranges = re.search(rf"let {name}Letters: [^=]*= \[([^\]]*)\]", source)[1]
    letters = [chr(one) for first, last in re.findall(r"0x(\w+)\.\.\.0x(\w+)", ranges) for one in range(int(first, 16), int(last, 16) + 1)]
    data = base64.b64decode(re.sub(r"[\s\\]", "", re.search(rf'let {name}: StaticString = """(.*?)"""', source, re.S)[1]))
    width, height = SIZES[name]
    size = width * -(-height // 8)
    found = {}
    for number, letter in enumerate(letters):
        columns = data[size * number :][:size]
        lit = frozenset((x, y) for y in range(height) for x in range(width) if columns[y // 8 * width + x] >> y % 8 & 1)
        if lit not in found.values():
            found[letter] = lit
    return found


class Screen:
    def __init__(self, chip="ssd1306"):
        self.columns, self.margin, self.needed = CHIPS[chip]
        self.memory = [[0] * self.columns for _ in range(PAGES)]
        self.page = self.column = 0
        self.contrast = 0x7F
        self.settings = {}
        self.shown, self.problems = [], []

    def receive(self, transfer):
        if transfer.first == DATA:
            for byte in transfer.data:
                self.memory[self.page][self.column] = byte
                self.column = (self.column + 1) % self.columns
        elif transfer.first == COMMANDS:
            self.run(transfer.instant, list(transfer.data))
        else:
            self.problem(transfer.instant, f"unexpected control byte {transfer.first:#04x}")

    def run(self, instant, rest):
        while rest:
            command = rest.pop(0)
            if command < 0x10:
                self.column = self.column & 0xF0 | command
            elif command < 0x20 and self.columns == 132 or command < 0x18:
                self.column = self.column & 0x0F | (command & 15) << 4
            elif command & 0xF8 == 0xB0:
                self.page = command & 7
            elif command == 0xAE:
                self.shown.append(Shown(instant, None))
            elif command == 0xAF:
                self.show(instant)
            elif (command in OPERANDS or command in self.needed) and rest:
                self.settings[command] = rest.pop(0)
            elif command not in PLAIN:
                self.problem(instant, f"unexpected command {command:#04x}")

    def show(self, instant):
        if any(self.settings.get(command) != operand for command, operand in self.needed.items()):
            self.problem(instant, "a picture before the chip is set up")
        text, faults = text_of([page[self.margin : self.margin + WIDTH] for page in self.memory])
        for fault in faults:
            self.problem(instant, fault)
        self.shown.append(Shown(instant, text, (self.settings.get(0x81, self.contrast) + 1) // 32))

    def problem(self, instant, text):
        self.problems.append(f"display: {text} at {seconds(instant)}")


def parts(width):
    """Where the texts of a page are, if its number is this wide: font, column, row, characters."""
    left = width + 8
    return (("medium", 0, 0, 16), ("small", left, 19, (WIDTH - left) // 6), ("medium", left, 32, (WIDTH - left) // 8), ("small", 0, 51, 21))


def moved(lit, x, y):
    return {(x + column, y + row) for column, row in lit}


def text_at(lit, name, left, top, length):
    """The text of a row of glyphs, `?` where there is none, and its pixels."""
    width, height = SIZES[name]
    known = {glyph: letter for letter, glyph in font(name).items()}
    text, used = "", set()
    for x in range(left, left + width * length, width):
        glyph = frozenset((column, row) for column in range(width) for row in range(height) if (x + column, top + row) in lit)
        text += known.get(glyph, "?")
        used |= moved(glyph, x, top) if glyph in known else set()
    return text.rstrip(), used


def stretched(count, width):
    """{character: its pixels} of a number with so many digits, the columns of a digit, and where each of its places begins."""
    name, columns, rows = next(
        (one for one in NUMBERS if count * len(one[1]) + count - 1 <= width), NUMBERS[-1])  # fmt: skip
    gap = min(4, (width - count * len(columns)) // (count - 1)) if count > 1 else 0
    pitch = len(columns) + gap
    glyphs = {
        letter: {
            (x - columns[0], y) for x in columns for y in range(NUMBER_HEIGHT)
            if (x, rows[0] + y * len(rows) // NUMBER_HEIGHT) in font(name)[letter]}
        for letter in "0123456789.-"
    }  # fmt: skip
    return glyphs, columns, [width + gap - (count - place) * pitch for place in range(count)]


def number_at(lit, width):
    """The number in the left columns, or None, and its pixels."""
    area = {(x, y) for x, y in lit if x < width and NUMBER_TOP <= y < NUMBER_TOP + NUMBER_HEIGHT}
    if not area:
        return "", set()
    for count in range(1, 6):
        glyphs, columns, places = stretched(count, width)
        text, used = "", set()
        for place in places:
            cell = {(x, y) for x, y in area if place <= x < place + len(columns)}
            for letter, glyph in glyphs.items():
                if moved(glyph, place, NUMBER_TOP) == cell:
                    text, used = text + letter, used | cell
                    break
        if used == area and len(text) == count:
            return text, used
    return None, set()


def text_of(memory):
    """The parts of the page in the picture, with bars between them, and what is wrong with it."""
    lit = {(x, y) for y in range(8 * PAGES) for x in range(WIDTH) if memory[y // 8][x] >> y % 8 & 1}
    best = None
    for width in (32, 48):
        number, used = number_at(lit, width)
        texts = [text_at(lit, *part) for part in parts(width)]
        for _, pixels in texts:
            used = used | pixels
        title, upper, lower, footer = (text for text, _ in texts)
        text = "|".join((re.sub(" +", " ", title), number or "", upper, lower, footer))
        wrong = len(lit ^ used)
        if best is None or wrong < best[0]:
            best = (wrong, text)
    wrong, text = best
    return text, [f"{wrong} wrong pixels around '{text}'"] if wrong else []


def decode(transfers, chip="ssd1306"):
    """Everything that was shown, and what is wrong with it."""
    screen = Screen(chip)
    for transfer in transfers:
        screen.receive(transfer)
    return screen.shown, screen.problems
