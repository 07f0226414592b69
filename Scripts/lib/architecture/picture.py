"""Draws the layers of the targets as SVG, readable on light and on dark pages."""

import html

from layers import Layout

FONT = "DejaVu Sans, Verdana, sans-serif"
NAME_SIZE, WORDS_SIZE = 14, 11.5
LINE, PADDING, MARGIN, BETWEEN = 15, 12, 24, 58

# Colors of the page, of text, of lesser text and arrows, and of the kinds of boxes: light, dark.
COLORS = {
    "page": ("#ffffff", "#14181f"),
    "ink": ("#1f2430", "#e8ebf0"),
    "soft": ("#5c6675", "#b4bdcb"),
    "program": ("#ffe3b8", "#6b4512"),
    "product": ("#cfe4ff", "#1d4470"),
    "library": ("#e9edf3", "#2a323e"),
    "c": ("#dff1dc", "#234a2a"),
}
KINDS = {
    "program": "the program", "product": "a library for others, too", "library": "a library of its own",
    "c": "a C module",
}


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def wrapped(text, most=25):
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


class Picture:
    """A box for each target with a short description. Its imports are below it.

    `targets` by name: `imports` within the picture, `words` and `kind`.
    """

    def __init__(self, targets):
        self.targets = targets
        self.words = {name: wrapped(target["words"]) for name, target in targets.items()}
        widths = {name: self.width_of(name) for name in targets}
        self.layout = Layout({name: target["imports"] for name, target in targets.items()}, widths)
        self.tops, self.heights = [], []
        top = MARGIN
        for layer in self.layout.layers:
            lines = max([len(self.words[node]) for node in layer if node in targets])
            self.tops.append(top)
            self.heights.append(2 * PADDING + NAME_SIZE + LINE * lines)
            top += self.heights[-1] + BETWEEN
        self.foot = top - BETWEEN + 34
        self.level = {node: place for place, layer in enumerate(self.layout.layers) for node in layer}

    def width_of(self, name):
        return 2 * PADDING + max(
            0.68 * NAME_SIZE * len(name), *(0.56 * WORDS_SIZE * len(line) for line in self.words[name]))

    def svg(self):
        width, height = self.layout.width + 2 * MARGIN, self.foot + 12
        title = "The targets of the package in layers: each imports those below it that its arrows lead to"
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}"'
            f' width="{number(width)}" height="{number(height)}" role="img" aria-label="{title}" font-family="{FONT}">',
            self.style(),
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="tip" d="M0,0.5 L8,4 L0,7.5 z"/></marker></defs>',
            f'<rect class="page" width="{number(width)}" height="{number(height)}" rx="6"/>',
            *self.arrows(),
            *(self.box(name) for layer in self.layout.layers for name in layer if name in self.targets),
            *self.legend(), "</svg>", ""])

    @staticmethod
    def style():
        def rules(place):
            rules = [f".{name}{{fill:{colors[place]}}}" for name, colors in COLORS.items()]
            soft = COLORS["soft"][place]
            return "".join(rules) + f".arrow{{stroke:{soft}}}.tip{{fill:{soft}}}"

        return (
            f"<style>{rules(0)}.arrow{{fill:none;stroke-width:1.6}}.edge{{stroke:none}}"
            f"@media (prefers-color-scheme:dark){{{rules(1)}}}</style>")

    def box(self, name):
        level, centre, width = self.level[name], self.layout.centre[name] + MARGIN, self.layout.widths[name]
        top, height = self.tops[level], self.heights[level]
        # Text with fewer lines than there is room for is centred.
        room = height - 2 * PADDING - NAME_SIZE - LINE * len(self.words[name])
        head = top + PADDING + room / 2
        lines = [
            f'<rect class="{self.targets[name]["kind"]}" x="{number(centre - width / 2)}" y="{number(top)}"'
            f' width="{number(width)}" height="{number(height)}" rx="7"/>',
            self.text(centre, head + NAME_SIZE * 0.8, name, "ink", NAME_SIZE, ' font-weight="bold"')]
        for place, words in enumerate(self.words[name]):
            lines.append(self.text(centre, head + NAME_SIZE + LINE * (place + 0.8), words, "soft"))
        return "\n".join(lines)

    @staticmethod
    def text(x, y, text, color, size=WORDS_SIZE, more='', anchor="middle"):
        return (
            f'<text class="{color}" x="{number(x)}" y="{number(y)}" font-size="{size}"'
            f' text-anchor="{anchor}"{more}>{html.escape(text)}</text>')

    def arrows(self):
        """An arrow for each import of the reduced graph, from box to box through the lanes between them."""
        for (user, below), lanes in self.layout.routes.items():
            x, y = self.port(user, below), self.tops[self.level[user]] + self.heights[self.level[user]]
            path = f"M{number(x)},{number(y)}"
            for lane in [*lanes, below]:
                top = self.tops[self.level[lane]]
                to = self.layout.centre[lane] + MARGIN if lane in lanes else self.port(below, user)
                end = top - (0 if lane in lanes else 3)
                middle = (y + end) / 2
                path += f" C{number(x)},{number(middle)} {number(to)},{number(middle)} {number(to)},{number(end)}"
                x, y = to, end
                if lane in lanes:
                    y = top + self.heights[self.level[lane]]
                    path += f" L{number(to)},{number(y)}"
            yield f'<path class="arrow" d="{path}" marker-end="url(#tip)"/>'

    def port(self, target, other):
        """The position of an arrow on the edge of a box. Arrows on the same edge are side by side, in order."""
        outgoing = (target, other) in self.layout.routes
        ends = []
        for (user, below), lanes in self.layout.routes.items():
            if (user if outgoing else below) == target:
                near = [*lanes, below][0] if outgoing else [user, *lanes][-1]
                ends.append((self.layout.centre[near], below if outgoing else user))
        place = [name for _, name in sorted(ends)].index(other)
        room = min(self.layout.widths[target] - 2 * PADDING, 26 * (len(ends) - 1))
        offset = room * (place / (len(ends) - 1) - 0.5) if len(ends) > 1 else 0
        return self.layout.centre[target] + offset + MARGIN

    def legend(self):
        x = MARGIN
        for kind, meaning in KINDS.items():
            yield f'<rect class="{kind}" x="{number(x)}" y="{number(self.foot - 11)}" width="16" height="12" rx="3"/>'
            yield self.text(x + 22, self.foot, meaning, "soft", anchor="start")
            x += 40 + 0.56 * WORDS_SIZE * len(meaning)
