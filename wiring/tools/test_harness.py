"""What the harnesses connect, and what their pictures name."""

import unittest

from circuit import Circuit
from harness import Harness
from pins import Pins, header

PINS = Pins()


class HarnessTests(unittest.TestCase):
    def test_a_pin_of_the_header_has_one_wire(self):
        for name in PINS.variants:
            pins = [number for (kind, number), _ in Harness(PINS, name).joints if kind == "Pi"]
            self.assertEqual(len(set(pins)), len(pins), name)

    def test_each_end_is_joined_to_its_pin_directly_or_over_a_strip(self):
        for name, variant in PINS.variants.items():
            came = {to: source for source, to in Harness(PINS, name).joints}
            for placed in variant["parts"]:
                role = placed["role"]
                for end in PINS.parts[placed["part"]]["ends"]:
                    source = came[role, end]
                    if source[0] == "strip":
                        source = came[source]
                    line = PINS.lines.get(role if end == "signal" else end)
                    named = f"GPIO{line['bcm']}" if line else PINS.supplies[end]["name"]
                    self.assertEqual((source[0], header()[source[1]]), ("Pi", named), f"{name}, {role}")

    def test_nothing_else_is_joined(self):
        for name, variant in PINS.variants.items():
            ends = {(placed["role"], end) for placed in variant["parts"] for end in PINS.parts[placed["part"]]["ends"]}
            targets = [to for _, to in Harness(PINS, name).joints]
            self.assertEqual(len(set(targets)), len(targets), name)
            self.assertEqual({to for to in targets if to[0] != "strip"}, ends, name)

    def test_the_headphones_are_connected_like_the_circuit(self):
        names = {"left: tip": "left", "right: ring": "right", "ground: sleeve": "sleeve", "+": "plus", "−": "minus"}
        nets = []
        for joint in Harness(PINS, "panel").audio:
            ends = {f"headphones: {part} {names.get(end, end)}" for part, end in joint}
            joined = [net for net in nets if net & ends]
            nets = [net for net in nets if not net & ends] + [ends.union(*joined)]
        expected = [net for net in Circuit(PINS, "panel").nets() if net[0].startswith("headphones:")]
        self.assertEqual(sorted(sorted(net) for net in nets), expected)

    def test_what_is_drawn_in_a_part_is_connected_like_the_circuit(self):
        harness = Harness(PINS, "panel")
        expected = [[end for end in net if end in harness.terminals] for net in Circuit(PINS, "panel").nets()]
        self.assertEqual(harness.drawn_nets(), sorted(net for net in expected if net))
        self.assertEqual(len(harness.terminals), 4 + 2 * 5 + 1)
        # The contact of a button that is left out is missed.
        harness.ways.pop()
        self.assertNotEqual(harness.drawn_nets(), sorted(net for net in expected if net))

    def test_each_end_note_and_value_is_in_the_picture(self):
        for name, variant in PINS.variants.items():
            svg = " ".join(text for _, text, _ in Harness(PINS, name).labels)
            for placed in variant["parts"]:
                part = PINS.parts[placed["part"]]
                values = [one["value"] for one in part["components"] if one["part"] in ("resistor", "diode", "NPN transistor")]
                for text in [*part["ends"].values(), *part.get("inside", []), *values]:
                    self.assertIn(text, svg, f"{name}, {placed['role']}")

    def test_no_text_joins_two_things_by_a_colon(self):
        """"1:1 kΩ" reads as a ratio."""
        for name in PINS.variants:
            for _, text, _ in Harness(PINS, name).labels:
                self.assertNotRegex(text, r"\d ?: ?\d")

    def test_the_card_has_its_pins(self):
        for name, variant in PINS.variants.items():
            svg = " ".join(text for _, text, _ in Harness(PINS, name).labels)
            for pin in variant.get("card", {}).get("pins", {}):
                self.assertRegex(svg, rf"Its pins: [0-9, ]*\b{pin}\b")


if __name__ == "__main__":
    unittest.main()
