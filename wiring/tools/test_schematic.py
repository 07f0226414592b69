"""The schematics connect what the breadboards connect."""

import unittest

from circuit import Circuit
from pins import Pins
from schematic import Schematic

PINS = Pins()


class SchematicTests(unittest.TestCase):
    def test_each_schematic_has_the_nets_of_its_breadboard(self):
        for name in PINS.variants:
            self.assertEqual(Schematic(PINS, name).nets(), Circuit(PINS, name).nets(), name)

    def test_a_line_that_is_not_drawn_is_missed(self):
        schematic = Schematic(PINS, "minimal")
        schematic.joined.clear()
        self.assertNotEqual(schematic.nets(), Circuit(PINS, "minimal").nets())


if __name__ == "__main__":
    unittest.main()
