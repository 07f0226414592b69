"""The front panel can be built: its holes are apart, its parts are those of the circuit, and its drawings have their real size."""

import re
import unittest

from panel import BAR, EDGE, SCALE, Panel, drawings
from pins import Pins
from tables import parts

PINS = Pins()
ROLES = {role for placed in PINS.variants["panel"]["parts"] for role in PINS.roles(placed)}


class PanelTests(unittest.TestCase):
    def test_it_can_be_built(self):
        self.assertEqual(list(Panel().faults(ROLES)), [])

    def test_it_has_every_light_and_button_of_the_panel_variant(self):
        self.assertEqual({hole["role"] for hole in Panel().holes}, ROLES | {"panel"})

    def test_each_part_on_the_panel_is_bought_once(self):
        bought = {}
        for (part, _), counts in parts(PINS).items():
            bought[part] = bought.get(part, 0) + counts.get("panel", (0,))[0]
        for part in {hole["is"] for hole in Panel().holes if "is" in hole}:
            self.assertEqual(sum(hole.get("is") == part for hole in Panel().holes), bought[part], part)
        for part, count in {"bezel": 2, "knob": 1, "rubber grommet": 1, "screw": 4}.items():
            self.assertEqual(bought[part], count, part)

    def test_faults_are_found(self):
        for change, text in (({"at": [28, 56]}, "TAP is too close to slower"), ({"at": [9, 56]}, "too close to the edge"),
                             ({"at": [20, 70]}, "too close to the edge"), ({"role": "gong"}, "gong is no line")):
            panel = Panel()
            next(hole for hole in panel.holes if hole["says"] == "TAP").update(change)
            self.assertTrue(any(text in fault for fault in panel.faults(ROLES)), text)

    def test_a_millimetre_is_a_millimetre(self):
        panel = Panel()
        for name, drawing in drawings().items():
            svg = drawing.svg()
            width, height = map(int, re.search(r'width="(\d+)mm" height="(\d+)mm"', svg).groups())
            box = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups()
            self.assertEqual((width * SCALE, height * SCALE), tuple(map(int, box)), name)
            left, right = (int(x) for x in re.search(r'points="(\d+),\d+ (\d+),\d+"[^>]*stroke-width="4"', svg).groups())
            self.assertEqual(right - left, BAR * SCALE, name)
            outline = f'x="{EDGE * SCALE}" y="{EDGE * SCALE}" width="{panel.width * SCALE}" height="{panel.height * SCALE}"'
            self.assertIn(outline, svg, name)

    def test_each_hole_is_drawn_with_its_diameter_at_its_place(self):
        for name, drawing in drawings().items():
            for hole in Panel().holes:
                x, y = ((EDGE + at) * SCALE for at in hole["at"])
                radius = f"{hole['hole'] / 2 * SCALE:g}"
                self.assertIn(f'<circle cx="{x}" cy="{y}" r="{radius}"', drawing.svg(), f"{name}: {hole['says']}")

    def test_no_part_covers_a_text_of_the_legend(self):
        for _, text, (left, top, right, bottom) in drawings()["panel-front"].labels:
            for hole in Panel().holes:
                (x, y), reach = ((EDGE + at) * SCALE for at in hole["at"]), hole["body"] / 2 * SCALE
                apart = max(left - x, 0, x - right) ** 2 + max(top - y, 0, y - bottom) ** 2
                self.assertGreater(apart, reach ** 2, f"{text}: {hole['says']}")

    def test_texts_do_not_overlap(self):
        for name, drawing in drawings().items():
            self.assertEqual(drawing.overlaps(), [], name)
            for _, text, (left, _, right, bottom) in drawing.labels:
                self.assertTrue(left >= 0 and right <= drawing.width and bottom <= drawing.height, f"{name}: {text}")


if __name__ == "__main__":
    unittest.main()
