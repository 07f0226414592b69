"""Draws the front panel in real size: the drilling plan, and the legend to glue on it."""

import yaml

from pins import FOLDER
from svg import INK, Drawing, number

PANEL = FOLDER / "panel.yaml"
SCALE = 10
"""Units of the drawing for a millimetre."""
EDGE, FOOT = 12, 34
"""Paper around the panel, and below it for the scale bar, in millimetres."""
BAR = 50
"""The length of the scale bar, in millimetres."""


class Panel:
    """panel.yaml."""

    def __init__(self, path=PANEL):
        read = yaml.safe_load(path.read_bytes())
        self.width, self.height, self.margin, self.gap = (read[key] for key in ("width", "height", "margin", "gap"))
        self.holes = [{**hole, **read["kinds"][hole["kind"]]} for hole in read["holes"]]

    def extras(self):
        """What only the panel needs: (part, value) → (how many, for which roles)."""
        found = {}
        for hole in self.holes:
            for bought in hole.get("buy", []):
                count, roles = found.get((bought["part"], bought["value"]), (0, []))
                roles = roles + [role for role in [hole["role"]] if role not in roles]
                found[bought["part"], bought["value"]] = (count + 1, roles)
        return found

    def faults(self, roles):
        """What cannot be built: parts that are too close to each other or to the edge, or connected to nothing."""
        for index, hole in enumerate(self.holes):
            (x, y), radius = hole["at"], hole["body"] / 2
            if hole["role"] not in roles and hole["role"] != "panel":
                yield f"{hole['says']}: {hole['role']} is no line"
            if min(x, y, self.width - x, self.height - y) < radius + self.margin:
                yield f"{hole['says']} is too close to the edge"
            for other in self.holes[index + 1:]:
                apart = ((x - other["at"][0]) ** 2 + (y - other["at"][1]) ** 2) ** 0.5
                if apart < radius + other["body"] / 2 + self.gap:
                    yield f"{hole['says']} is too close to {other['says']}"


class PanelDrawing(Drawing):
    def __init__(self, panel, title):
        self.panel = panel
        width, height = panel.width + 2 * EDGE, panel.height + EDGE + FOOT
        super().__init__(width * SCALE, height * SCALE, title)
        # Programs that print an SVG file use these lengths.
        self.out[0] = self.out[0].replace(f'width="{self.width}" height="{self.height}"', f'width="{width}mm" height="{height}mm"')
        self.rect(*self.at(0, 0), panel.width * SCALE, panel.height * SCALE, "none", rx=20, stroke=INK, stroke_width=2)
        self.bar(title)

    @staticmethod
    def at(x, y):
        return (EDGE + x) * SCALE, (EDGE + y) * SCALE

    def bar(self, title):
        left, y = self.at(0, self.panel.height + 12)
        right = left + BAR * SCALE
        self.line((left, y), (right, y), width=4)
        for x in (left, right):
            self.line((x, y - 20), (x, y + 20), width=4)
        self.text((left + right) / 2, y - 18, f"{BAR} mm", size=34, bold=True)
        self.text(right + 40, y - 22, f"{title}, {self.panel.width} × {self.panel.height} mm", size=34, anchor="start", bold=True)
        self.text(right + 40, y + 26, "Print at 100 %, and measure the bar.", size=34, anchor="start")


class DrillingPlan(PanelDrawing):
    """Each hole with its center, its diameter, and its distances from the upper left corner."""

    def __init__(self, panel):
        super().__init__(panel, "Drilling plan")
        left, y = self.at(0, panel.height + 12)
        note = "Seen from the front. x / y: mm from the upper left corner. Dashed: space for the part."
        self.text(left, y + 78, note, size=30, anchor="start")
        for hole in panel.holes:
            (x, y), radius = self.at(*hole["at"]), hole["hole"] / 2 * SCALE
            self.circle(x, y, radius, "none", stroke=INK, stroke_width=3)
            self.circle(x, y, hole["body"] / 2 * SCALE, "none", stroke="#9aa0a8", stroke_width=2, stroke_dasharray="10 8")
            reach = radius + 15
            self.line((x - reach, y), (x + reach, y), width=2)
            self.line((x, y - reach), (x, y + reach), width=2)
            words = [hole["says"], f"Ø {number(hole['hole'])}", f"{hole['at'][0]} / {hole['at'][1]}"]
            below = y + hole["body"] / 2 * SCALE + 36
            if hole["kind"] == "screw":
                words = words[1:]
                below = below if hole["at"][1] < panel.height / 2 else y - hole["body"] / 2 * SCALE - 46
            for line, text in enumerate(words):
                self.text(x, below + 34 * line, text, size=30, bold=text[0] == "Ø")


class FrontPanel(PanelDrawing):
    """The legend. The grey circles show where the parts are."""

    def __init__(self, panel):
        super().__init__(panel, "Front panel")
        for hole in panel.holes:
            x, y = self.at(*hole["at"])
            self.circle(x, y, hole["hole"] / 2 * SCALE, "#e4e7ec", stroke="#9aa0a8", stroke_width=2)
            if hole["kind"] != "screw":
                reach = max(other["body"] for other in panel.holes if other["at"][1] == hole["at"][1]) / 2
                self.text(x, y - reach * SCALE - 22, hole["says"], size=28, bold=True)


def drawings():
    """The drawings, by the names of their files."""
    panel = Panel()
    return {"panel-drilling": DrillingPlan(panel), "panel-front": FrontPanel(panel)}
