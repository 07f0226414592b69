"""What every picture has to be: no wire through a text, one color for each supply, texts large enough at 1,000 pixels."""

import re
import unittest

from breadboard import Picture
from circuit import COLUMNS, Circuit, Hole
from holes import UNUSED_RAILS, place
from make import drawings
from pins import Pins
from svg import COLORS, Drawing
from wired_parts import LAMP_WIRE

PINS = Pins()


def pictures():
    for name in PINS.variants:
        for kind, drawing in drawings(PINS, name).items():
            yield f"{name} {kind}", drawing


class PictureTests(unittest.TestCase):
    def test_no_wire_runs_through_a_text(self):
        for name, picture in pictures():
            self.assertEqual(picture.crossings(), [], name)

    def test_no_wire_or_leg_passes_over_a_hole_of_another_net(self):
        for name in PINS.variants:
            picture = Picture(Circuit(PINS, name))
            used = {hole.strip for piece in picture.circuit.pieces for _, hole in piece.legs}
            holes = {place(hole): hole.strip for row in "abcdefghij+-" for column in range(1, COLUMNS + 1)
                     for hole in [Hole(row, column)] if hole.strip in used}
            holes |= {(place(Hole("a", column))[0], y): "unused rail" for column in range(1, COLUMNS + 1) for y in UNUSED_RAILS}
            for points in [*(points for _, points, _ in picture.wires), *picture.leads]:
                ends = {holes[point] for point in (points[0], points[-1]) if point in holes}
                for (ax, ay), (bx, by) in zip(points, points[1:]):
                    steps = int(max(abs(bx - ax), abs(by - ay)) / 2) + 1
                    way = [(ax + (bx - ax) * step / steps, ay + (by - ay) * step / steps) for step in range(steps + 1)]
                    for (x, y), strip in holes.items():
                        if any(abs(x - px) < 7 and abs(y - py) < 7 for px, py in way):
                            self.assertIn(strip, ends, f"{name}: {points} passes over {strip}")

    def test_no_text_lies_on_another(self):
        for name, picture in pictures():
            self.assertEqual(picture.overlaps(), [], name)

    def test_no_text_is_hidden_by_a_later_shape(self):
        for name, picture in pictures():
            for at, text, (left, top, right, bottom) in picture.labels:
                hidden = [box for drawn, box in picture.covers if drawn > at and box[0] + 4 < right and box[2] - 4 > left
                          and box[1] + 4 < bottom and box[3] - 4 > top]
                self.assertEqual(hidden, [], f"{name}: {text}")

    def test_a_wire_over_a_text_is_found(self):
        drawing = Drawing(200, 100, "x")
        drawing.text(100, 50, "label")
        drawing.wire([(100, 0), (100, 100)], "blue")
        self.assertEqual([text for text, *_ in drawing.crossings()], ["label"])

    def test_a_tag_on_a_wire_is_no_crossing(self):
        drawing = Drawing(200, 100, "x")
        drawing.wire([(100, 0), (100, 100)], "blue")
        drawing.rect(40, 20, 120, 50, "#ffffff")
        drawing.text(100, 50, "label")
        self.assertEqual(drawing.crossings(), [])

    def test_no_text_leaves_the_picture(self):
        for name, picture in pictures():
            for _, text, (left, _, right, bottom) in picture.labels:
                self.assertTrue(left >= -8 and right <= picture.width + 8 and bottom <= picture.height, f"{name}: {text}")

    def test_texts_are_at_least_nine_pixels_high_at_1000_pixels(self):
        for name, picture in pictures():
            sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)"', picture.svg())]
            self.assertGreaterEqual(min(sizes) * 1000 / picture.width, 9, name)


class SupplyColorTests(unittest.TestCase):
    def test_supplies_differ_and_no_signal_has_a_supplys_color(self):
        supplies = [supply["wire"] for supply in PINS.supplies.values()]
        signals = [line["wire"] for line in PINS.lines.values()]
        self.assertEqual(len({COLORS[color] for color in supplies + signals}), len(supplies + signals))

    def test_the_plus_rail_has_the_color_of_its_supply_and_says_its_voltage(self):
        for name, variant in PINS.variants.items():
            picture = Picture(Circuit(PINS, name))
            (_, sign, supply), *_ = picture.rails()
            plus = variant["supplies"].get("plus")
            self.assertEqual((sign, supply), ("+", PINS.supplies[plus] if plus else None), name)
            warning = next(text for _, text, _ in picture.labels if text.startswith("The + rail"))
            self.assertIn(supply["name"] if supply else "not used", warning)

    def test_a_wire_with_12_volts_has_the_color_of_no_wire_to_the_header(self):
        self.assertNotIn(LAMP_WIRE, [line["wire"] for line in [*PINS.lines.values(), *PINS.supplies.values()]])

    def test_every_wire_to_the_plus_rail_has_its_color(self):
        for name in PINS.variants:
            circuit = Circuit(PINS, name)
            for piece in circuit.pieces:
                if piece.kind == "wire" and any(hole.row == "+" for _, hole in piece.legs):
                    self.assertEqual(piece.value, circuit.plus["wire"], name)


if __name__ == "__main__":
    unittest.main()
