"""What the drawn boards connect, as the boards' own strips have it."""

import unittest

from circuit import Circuit, Hole
from pins import Pins

PINS = Pins()


def line(role):
    return f"GPIO{PINS.lines[role]['bcm']} (pin {PINS.lines[role]['pin']})"


def lights(*roles):
    return [net for role in roles for net in ([line(role), f"{role}: 470 Ω"], [f"{role}: 470 Ω", f"{role}: LED anode"])]


def pedals(*roles):
    return [net for role in roles for net in (
        [line(role), f"{role}: 1 kΩ", f"{role}: 100 nF"], [f"{role}: 1 kΩ", f"{role}: 10 kΩ", f"{role}: foot switch tip"])]


LIGHTS = lights("light", "pendulum")
BUTTONS = [[line(role), f"{role}: push button"] for role in PINS.buttons]
GROUND = ["GND (pin 6)", "light: LED cathode", "pendulum: LED cathode"]
BUTTON_GROUND = [f"{role}: push button" for role in PINS.buttons]


class CircuitTests(unittest.TestCase):
    def holds(self, name, *nets):
        expected = sorted(sorted(net) for net in nets)
        self.assertEqual(Circuit(PINS, name).nets(), expected)

    def test_standard(self):
        self.holds(
            "standard", *LIGHTS, *BUTTONS, GROUND + BUTTON_GROUND + ["buzzer: 2N3904 emitter", "buzzer: 10 kΩ"],
            [line("buzzer"), "buzzer: 1 kΩ"], ["buzzer: 1 kΩ", "buzzer: 10 kΩ", "buzzer: 2N3904 base"],
            ["buzzer: 2N3904 collector", "buzzer: active buzzer minus", "buzzer: 1N4148 anode"],
            ["5 V (pin 2)", "buzzer: active buzzer plus", "buzzer: 1N4148 cathode"])

    def test_minimal(self):
        self.holds("minimal", *lights("light"), [line("play"), "play: push button"], ["GND (pin 6)", "light: LED cathode", "play: push button"])

    def test_stage(self):
        roles = ["tap", "play", "slower", "faster"]
        self.holds(
            "stage", *LIGHTS, *pedals(*roles),
            GROUND + ["buzzer: buzzer module ground"]
            + [f"{role}: {end}" for role in roles for end in ("100 nF", "foot switch sleeve")],
            ["3.3 V (pin 1)", "buzzer: buzzer module supply", "buzzer: 3.3 kΩ"] + [f"{role}: 10 kΩ" for role in roles],
            [line("buzzer"), "buzzer: 3.3 kΩ", "buzzer: buzzer module input"])

    def test_with_a_sound_card(self):
        for name in ("usb-sound", "i2s-sound"):
            self.holds(name, *LIGHTS, *BUTTONS, GROUND + BUTTON_GROUND)

    def test_no_line_is_a_pin_of_the_card(self):
        card = set(PINS.variants["i2s-sound"]["card"]["pins"])
        self.assertEqual(card & {line["pin"] for line in PINS.lines.values()}, set())

    def test_two_legs_in_a_hole_are_refused(self):
        pins = Pins()
        twice = pins.variants["minimal"]["parts"] + [{"part": "led", "role": "pendulum", "at": 4}]
        pins.variants = {"x": {**pins.variants["minimal"], "parts": twice}}
        with self.assertRaises(SystemExit) as end:
            Circuit(pins, "x")
        self.assertEqual(end.exception.code, "x: c4 has both resistor and resistor")

    def test_strips(self):
        self.assertEqual(len({Hole(row, 3).strip for row in "abcdefghij"}), 2)
        self.assertEqual(Hole("-", 1).strip, Hole("-", 30).strip)


if __name__ == "__main__":
    unittest.main()
