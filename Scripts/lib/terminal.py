"""A terminal emulator for the escape sequences that the metronome writes, and its screen as SVG."""

import html
import re

COLORS = {30: "#5c6370", 31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2", 37: "#d7dae0"}
# Block characters are drawn as rectangles, so that adjacent lines touch. Their shading is drawn as opacity.
BLOCKS = {"█": 1, "▓": 0.75, "▒": 0.5, "░": 0.25}
CELL_WIDTH, LINE_HEIGHT, MARGIN = 8.4, 20, 16
PLAIN = (None, False, False)
BACKGROUND = '<rect width="100%" height="100%" rx="8" fill="#1e222a"/>'


class Screen:
    """Rows of cells. A cell is a character and a style: color, whether it is bold, and whether it is dim."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[(" ", PLAIN)] * columns for _ in range(rows)]
        self.row, self.column, self.style = 0, 0, PLAIN
        self.rest = ""

    def write(self, text):
        """Writes text with escape sequences. An incomplete sequence is kept for the next call."""
        self.rest += text
        while self.rest:
            if self.rest[0] != "\x1b":
                self.put(self.rest[0])
                self.rest = self.rest[1:]
            elif found := re.match(r"\x1b\[([0-9;?]*)([A-Za-z])", self.rest):
                self.control(found[1], found[2])
                self.rest = self.rest[found.end():]
            else:
                return

    def put(self, character):
        if character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\r":
            self.column = 0
        elif self.row < self.rows and self.column < self.columns:
            self.cells[self.row][self.column] = (character, self.style)
            self.column += 1

    def control(self, parameters, letter):
        if letter == "H":
            self.row, self.column = [int(number) - 1 for number in (parameters or "1;1").split(";")]
        elif letter == "J":
            self.cells = [[(" ", PLAIN)] * self.columns for _ in range(self.rows)]
        elif letter == "K":
            self.cells[self.row][self.column:] = [(" ", PLAIN)] * (self.columns - self.column)
        elif letter == "m":
            self.style = styled(self.style, parameters)

    def text(self):
        return "\n".join("".join(character for character, _ in row).rstrip() for row in self.cells)


def styled(style, parameters):
    """The style after an SGR sequence (ECMA-48, 8.3.117).

    >>> styled(PLAIN, "1;33")
    ('#e5c07b', True, False)

    39 resets only the color, 22 only the weight; 0 and no parameter reset everything.

    >>> styled(styled(PLAIN, "1;33"), "39")
    (None, True, False)
    >>> styled(styled(PLAIN, "2;36"), "22")
    ('#56b6c2', False, False)
    >>> styled(styled(PLAIN, "1;33"), "0") == styled(styled(PLAIN, "1;33"), "") == PLAIN
    True
    """
    color, bold, dim = style
    for code in [int(number or 0) for number in parameters.split(";")]:
        if code == 0:
            color, bold, dim = PLAIN
        elif code in (1, 2):
            bold, dim = bold or code == 1, dim or code == 2
        elif code == 22:
            bold, dim = False, False
        elif code == 39:
            color = None
        elif code in COLORS:
            color = COLORS[code]
    return color, bold, dim


def spans(row):
    """The spans of a row with the same style, each with its column, its style and its text.

    >>> screen = Screen(12, 1)
    >>> screen.write("a\\x1b[1;33mbc\\x1b[39md\\x1b[0m  ██")
    >>> for span in spans(screen.cells[0]): print(span)
    (0, (None, False, False), 'a')
    (1, ('#e5c07b', True, False), 'bc')
    (3, (None, True, False), 'd')
    (6, (None, False, False), '██')
    """
    found = []
    for column, (character, style) in enumerate(row):
        look = (style, character if character in BLOCKS else None)
        if found and found[-1][1] == look:
            found[-1][2] += character
        else:
            found.append([column, look, character])
    for column, (style, _), text in found:
        if text.strip():
            blanks = len(text) - len(text.lstrip())
            yield column + blanks, style, text.strip()


def drawn(row, number):
    """A row of the screen as SVG elements."""
    elements = []
    for column, (color, bold, dim), text in spans(row):
        x, y, width = MARGIN + column * CELL_WIDTH, MARGIN + number * LINE_HEIGHT, len(text) * CELL_WIDTH
        look = f' fill="{color}"' if color else ""
        if text[0] in BLOCKS:
            opacity = BLOCKS[text[0]] * (0.6 if dim else 1)
            elements.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{LINE_HEIGHT}" shape-rendering="crispEdges" opacity="{opacity:.2g}"{look}/>')
            continue
        look += (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "")
        for places, word in words(text, column):
            elements.append(f'<text x="{places}" y="{y + 0.8 * LINE_HEIGHT:.0f}"{look}>{html.escape(word)}</text>')
    return "".join(elements)


def words(text, column):
    """The words of a text that begins in a column, each with its place. Browsers treat blanks differently and have fonts of different
    widths, so each word has a place, and the letters keep their distances. Each mark, as of a line, has a place of its own.

    >>> list(words("bar 1  ••", 0))
    [('16.0', 'bar'), ('49.6', '1'), ('74.8 83.2', '••')]
    """
    for found in re.finditer(r"\S+", text):
        marks = 1 if found[0].isascii() else len(found[0])
        yield " ".join(f"{MARGIN + (column + found.start() + mark) * CELL_WIDTH:.1f}" for mark in range(marks)), found[0]


def animation(frames, seconds, title):
    """An SVG animation that repeats frames at equal intervals. A frame is a list of rows of cells. A viewer that does not animate
    shows the first frame."""
    columns, rows = len(frames[0][0]), len(frames[0])
    width, height = columns * CELL_WIDTH + 2 * MARGIN, rows * LINE_HEIGHT + 2 * MARGIN
    share = 100 / len(frames)
    still = [number for number in range(rows) if all(frame[number] == frames[0][number] for frame in frames)]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{title}">',
        "<style>.f{visibility:hidden}.f:first-of-type{visibility:visible}@media(prefers-reduced-motion:no-preference)"
        f"{{.f{{animation:f {seconds:g}s step-end infinite}}}}"
        f"@keyframes f{{0%{{visibility:visible}}{share:.4f}%{{visibility:hidden}}}}</style>",
        '<svg font-family="ui-monospace, Menlo, DejaVu Sans Mono, monospace" font-size="14" fill="#d7dae0">',
    ]
    for place, frame in enumerate(frames):
        delay = seconds * place / len(frames) - seconds
        moving = "".join(drawn(frame[number], number) for number in range(rows) if number not in still)
        # Two frames may both be visible for an instant, so each covers those before.
        out.append(f'<g class="f" style="animation-delay:{delay:.3f}s">{BACKGROUND}{moving}</g>')
    out += [line for number in still if (line := drawn(frames[0][number], number))]
    return "\n".join(out) + "\n</svg>\n</svg>\n"
