"""What the harnesses connect, and what their pictures name."""

import unittest

from harness import PI, Harness
from pins import Pins, header

PINS = Pins()


def wires(name):
    """(from, its pin, to, its pin) of each wire of a variant."""
    for start, *_, end in (connection for connection in Harness(PINS, name).connections if "-->" not in connection):
        (source, [pin]), (to, [place]) = *start.items(), *end.items()
        yield source, pin, to, place


class HarnessTests(unittest.TestCase):
    def test_a_pin_of_the_header_has_one_wire(self):
        for name in PINS.variants:
            pins = [pin for source, pin, _, _ in wires(name) if source == PI]
            self.assertEqual(len(set(pins)), len(pins), name)

    def test_each_end_is_joined_to_its_pin_if_over_a_rail(self):
        for name, variant in PINS.variants.items():
            came = {(to, place): (source, pin) for source, pin, to, place in wires(name)}
            for placed in variant["parts"]:
                role = placed["role"]
                for place, end in enumerate(PINS.parts[placed["part"]]["ends"], start=1):
                    source, pin = came[role, place]
                    if source != PI:
                        source, pin = came[source, 1]
                    named = f"GPIO{PINS.lines[role]['bcm']}" if end == "signal" else PINS.supplies[end]["name"]
                    self.assertEqual((source, header()[pin]), (PI, named), f"{name}, {role}")

    def test_each_part_and_value_is_named(self):
        for name, variant in PINS.variants.items():
            nodes = Harness(PINS, name).yaml()["connectors"]
            for placed in variant["parts"]:
                for component in PINS.parts[placed["part"]]["components"]:
                    self.assertIn(f"{component['part']}: {component['value']}", nodes[placed["role"]]["type"])

    def test_the_card_has_its_pins(self):
        for name, variant in PINS.variants.items():
            if "card" in variant:
                nodes = Harness(PINS, name).yaml()["connectors"]
                drawn = nodes[variant["card"]["name"]]["pins"]
                self.assertLessEqual(set(variant["card"]["pins"]), set(drawn))
                self.assertLessEqual(set(drawn), set(nodes[PI]["pins"]))


if __name__ == "__main__":
    unittest.main()
