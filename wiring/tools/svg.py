"""A small SVG writer, which keeps what the tests measure."""

import html

FONT = "DejaVu Sans, Verdana, sans-serif"
INK = "#1f2430"
COLORS = {
    "black": "#22252b", "red": "#d8262c", "yellow": "#e8b800", "orange": "#ff8c1a", "violet": "#8e44ad",
    "green": "#2a9d3f", "grey": "#858c96", "blue": "#2367c9", "brown": "#8a5a2b", "turquoise": "#13a5a5",
    "pink": "#e75a9c", "white": "#ffffff", "lime": "#86c800", "magenta": "#b0127f",
    "olive": "#6f7d1f", "navy": "#27347f", "maroon": "#8a1f4b",
    "lavender": "#a58be0", "mint": "#3fbf8f", "sand": "#c2a25a", "sky": "#58aef0", "plum": "#5b2a68", "rose": "#f0a3b1",
}
"""Of the wires. Red is 5 V, orange is 3.3 V, black is ground, in every picture."""


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def extent(x, y, text, size, anchor, bold, turned):
    """Estimates the box of a text: left, top, right, bottom."""
    length = len(text) * size * (0.66 if bold else 0.58)
    start = {"start": 0, "middle": -length / 2, "end": -length}[anchor]
    if turned:
        return x - size * 0.75, y - start - length, x, y - start
    return x + start, y - size * 0.75, x + start + length, y


class Drawing:
    """Shapes in drawing order: a later one covers an earlier one.

    For the tests, `labels`, `wires` and `covers` keep the position of each text, wire and filled rectangle, and its index
    in the drawing order."""

    def __init__(self, width, height, title, top=0):
        self.width, self.height = width, height
        self.labels, self.wires, self.covers = [], [], []
        self.out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width} {height - top}" width="{width}"'
            f' height="{height - top}"'
            f' role="img" aria-label="{html.escape(title)}" font-family="{FONT}">',
            f'<rect y="{top}" width="{width}" height="{height - top}" fill="#ffffff"/>',
        ]

    def shape(self, name, text=None, **attributes):
        words = []
        for key, value in attributes.items():
            value = number(value) if isinstance(value, (int, float)) else value
            words.append(f' {key.replace("_", "-")}="{html.escape(str(value))}"')
        self.out.append(f"<{name}{''.join(words)}" + ("/>" if text is None else f">{html.escape(text)}</{name}>"))

    def rect(self, x, y, width, height, fill, **more):
        if fill != "none":
            self.covers.append((len(self.out), (x, y, x + width, y + height)))
        self.shape("rect", x=x, y=y, width=width, height=height, fill=fill, **more)

    def circle(self, x, y, r, fill, **more):
        self.shape("circle", cx=x, cy=y, r=r, fill=fill, **more)

    def line(self, *points, color=INK, width=3, **more):
        """Through points, with rounded corners."""
        self.shape("polyline", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), fill="none", stroke=color,
                   stroke_width=width, stroke_linejoin="round", stroke_linecap="round", **more)

    def wire(self, points, color, width=7, ends=True):
        """An insulated wire: an outline, the color, and a dot at each end."""
        outline = "#5a606b" if color == "white" else "#ffffff"
        self.wires.append((len(self.out), points, width))
        self.line(*points, color=outline, width=width + 5)
        self.line(*points, color=COLORS[color], width=width)
        for x, y in (points[0], points[-1]) if ends else ():
            self.circle(x, y, width / 2 + 1.5, COLORS[color], stroke=outline, stroke_width=1.5)

    def crossings(self):
        """Finds each text that a wire crosses. A wire below the text does not count if a filled rectangle covers it there."""
        found = []
        for at, text, (left, top, right, bottom) in self.labels:
            for drawn, points, width in self.wires:
                apart = any(drawn < cover < at and x1 <= left and y1 <= top and x2 >= right and y2 >= bottom
                            for cover, (x1, y1, x2, y2) in self.covers)
                half = width / 2
                for (ax, ay), (bx, by) in () if apart else zip(points, points[1:]):
                    if (min(ax, bx) - half < right and max(ax, bx) + half > left
                            and min(ay, by) - half < bottom and max(ay, by) + half > top):
                        found.append((text, (ax, ay), (bx, by)))
        return found

    def overlaps(self):
        """Finds pairs of texts that overlap. The edges are left out, since the boxes are estimates."""
        def core(box):
            left, top, right, bottom = box
            return left + (right - left) / 20, top + (bottom - top) / 4, right - (right - left) / 20, bottom - (bottom - top) / 4
        cores = [(text, core(box)) for _, text, box in self.labels]
        return [(one, other) for index, (one, (l1, t1, r1, b1)) in enumerate(cores)
                for other, (l2, t2, r2, b2) in cores[index + 1:] if l1 < r2 and l2 < r1 and t1 < b2 and t2 < b1]

    def warning(self, x, y, width, text, color):
        """A bar with a warning triangle."""
        self.rect(x, y, width, 52, "#fff3d6" if color != "grey" else "#f0f1f3", rx=10, stroke=COLORS[color],
                  stroke_width=4)
        if color != "grey":
            self.path(f"M {x + 36} {y + 8} l 21 36 h -42 Z", "#ffd21f", stroke=INK, stroke_width=3)
            self.text(x + 36, y + 40, "!", size=25, bold=True)
        self.text(x + (width + 50) / 2, y + 35, text, size=23, bold=True)

    def path(self, d, fill, **more):
        self.shape("path", d=d, fill=fill, **more)

    def text(self, x, y, text, size=18, anchor="middle", fill=INK, bold=False, halo=None, turned=False):
        more = {"font_weight": "bold"} if bold else {}
        if halo:
            more |= {"stroke": halo, "stroke_width": 5, "stroke_linejoin": "round", "paint_order": "stroke"}
        if turned:
            more["transform"] = f"rotate(-90 {number(x)} {number(y)})"
        self.labels.append((len(self.out), text, extent(x, y, text, size, anchor, bold, turned)))
        self.shape("text", text, x=x, y=y, font_size=size, text_anchor=anchor, fill=fill, **more)

    def svg(self):
        return "\n".join(self.out) + "\n</svg>\n"
