"""The little of SVG that the pictures need."""

import html

FONT = "DejaVu Sans, Verdana, sans-serif"
INK = "#1f2430"


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    """Shapes in the order in which they cover each other."""

    def __init__(self, width, height, title, top=0):
        self.width, self.height = width, height
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
        self.shape("rect", x=x, y=y, width=width, height=height, fill=fill, **more)

    def circle(self, x, y, r, fill, **more):
        self.shape("circle", cx=x, cy=y, r=r, fill=fill, **more)

    def line(self, *points, colour=INK, width=3, **more):
        """Through points, with rounded corners."""
        self.shape("polyline", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), fill="none", stroke=colour,
                   stroke_width=width, stroke_linejoin="round", stroke_linecap="round", **more)

    def path(self, d, fill, **more):
        self.shape("path", d=d, fill=fill, **more)

    def text(self, x, y, text, size=18, anchor="middle", fill=INK, bold=False, halo=None, turned=False):
        more = {"font_weight": "bold"} if bold else {}
        if halo:
            more |= {"stroke": halo, "stroke_width": 5, "stroke_linejoin": "round", "paint_order": "stroke"}
        if turned:
            more["transform"] = f"rotate(-90 {number(x)} {number(y)})"
        self.shape("text", text, x=x, y=y, font_size=size, text_anchor=anchor, fill=fill, **more)

    def svg(self):
        return "\n".join(self.out) + "\n</svg>\n"
