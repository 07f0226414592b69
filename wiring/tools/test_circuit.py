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

    @staticmethod
    def channel(role, *drain):
        return [[line(role), f"{role}: 100 Ω"], [f"{role}: 100 Ω", f"{role}: 10 kΩ", f"{role}: IRLZ44N gate"],
                [f"{role}: IRLZ44N drain", *drain]]

    LAMP = [["light: 12 V load plus", "light: 12 V fuse near"], ["light: 12 V fuse far", "light: 12 V supply plus"]]

    def test_lamp(self):
        self.holds(
            "lamp", *self.channel("light", "light: 12 V load minus"), *self.LAMP, [line("play"), "play: push button"],
            ["GND (pin 6)", "light: IRLZ44N source", "light: 10 kΩ", "light: 12 V supply minus", "play: push button"])

    def test_rgb(self):
        colors = ("green", "blue")
        self.holds(
            "rgb", *self.channel("light", "light: 12 V load minus"), *self.LAMP, [line("play"), "play: push button"],
            *(net for role in colors for net in self.channel(role, f"{role}: strip load minus")),
            ["GND (pin 6)", "light: 12 V supply minus", "play: push button"]
            + [f"{role}: {end}" for role in ("light", *colors) for end in ("IRLZ44N source", "10 kΩ")])

    def test_motor(self):
        self.holds(
            "motor", *lights("light"), [line("play"), "play: push button"],
            [line("feel"), "feel: 1 kΩ"], ["feel: 1 kΩ", "feel: 10 kΩ", "feel: 2N3904 base"],
            ["feel: 2N3904 collector", "feel: coin motor minus", "feel: 1N4148 anode", "feel: 100 nF"],
            ["3.3 V (pin 1)", "feel: coin motor plus", "feel: 1N4148 cathode", "feel: 100 nF"],
            ["GND (pin 6)", "light: LED cathode", "play: push button", "feel: 2N3904 emitter", "feel: 10 kΩ"])

    def test_solenoid(self):
        self.holds(
            "solenoid", *lights("light"), [line("play"), "play: push button"],
            *self.channel("feel", "feel: 5 V load minus", "feel: 5 V diode anode"),
            ["feel: 5 V load plus", "feel: 5 V diode cathode", "feel: 5 V fuse near"], ["feel: 5 V fuse far", "feel: 5 V supply plus"],
            ["GND (pin 6)", "light: LED cathode", "play: push button", "feel: IRLZ44N source", "feel: 10 kΩ", "feel: 5 V supply minus"])

    def test_the_line_to_feel_is_free_in_every_variant(self):
        """A motor can be added to each. After a reset, lines 9 to 27 are not pulled up."""
        feel = PINS.lines["feel"]
        self.assertIn(feel["bcm"], range(9, 28))
        for name, variant in PINS.variants.items():
            used = {PINS.lines[role]["pin"] for placed in variant["parts"] if not PINS.parts[placed["part"]].get("outside")
                    for role in PINS.roles(placed) if role != "feel"} | set(variant.get("card", {}).get("pins", {}))
            self.assertNotIn(feel["pin"], used, name)

    def test_the_supply_of_a_load_reaches_no_pin_of_the_header(self):
        for name in PINS.variants:
            for net in Circuit(PINS, name).nets():
                if any(end.endswith((" V supply plus", "fuse near", "load plus", "load minus")) for end in net):
                    self.assertFalse(any("(pin" in end for end in net), net)

    def test_display(self):
        self.holds(
            "display", *lights("light"), [line("play"), "play: push button"], [line("clock"), "clock: TM1637 module CLK"],
            [line("data"), "data: TM1637 module DIO"], ["3.3 V (pin 1)", "clock: TM1637 module VCC"],
            ["GND (pin 6)", "light: LED cathode", "play: push button", "clock: TM1637 module GND"])

    def test_screen(self):
        self.holds(
            "screen", *lights("light"), [line("play"), "play: push button"], [line("SDA"), "SDA: SSD1306 module SDA"],
            [line("SCL"), "SCL: SSD1306 module SCL"], ["3.3 V (pin 1)", "SDA: SSD1306 module VCC"],
            ["GND (pin 6)", "light: LED cathode", "play: push button", "SDA: SSD1306 module GND"])

    def test_each_display_has_3_3_volts(self):
        """The modules pull their lines up to VCC."""
        for name in PINS.variants:
            for net in Circuit(PINS, name).nets():
                if any(end.endswith(("TM1637 module VCC", "SSD1306 module VCC")) for end in net):
                    self.assertIn("3.3 V (pin 1)", net, name)
        for part in ("display", "screen"):
            self.assertNotIn("five", PINS.parts[part]["ends"])

    def test_midi(self):
        self.holds(
            "midi", *lights("light"), [line("play"), "play: push button"],
            [line("MIDI out"), "MIDI out: 1 kΩ"], ["MIDI out: 1 kΩ", "MIDI out: 3.3 kΩ", "MIDI out: 2N3906 base"],
            ["MIDI out: 2N3906 collector", "MIDI out: 33 Ω"], ["MIDI out: 33 Ω", "MIDI out: MIDI socket pin 4"],
            ["MIDI out: 10 Ω", "MIDI out: MIDI socket pin 5"],
            [line("MIDI in"), "MIDI in: 1 kΩ", "MIDI in: H11L1 pin 4"], ["MIDI in: H11L1 pin 3"],
            ["MIDI in: 220 Ω", "MIDI in: MIDI socket pin 4"],
            ["MIDI in: 220 Ω", "MIDI in: H11L1 pin 1", "MIDI in: 1N4148 cathode"],
            ["MIDI in: MIDI socket pin 5", "MIDI in: H11L1 pin 2", "MIDI in: 1N4148 anode"],
            ["3.3 V (pin 1)", "MIDI out: 2N3906 emitter", "MIDI out: 3.3 kΩ", "MIDI in: 1 kΩ", "MIDI in: 100 nF",
             "MIDI in: H11L1 pin 6"],
            ["GND (pin 6)", "light: LED cathode", "play: push button", "MIDI out: 10 Ω", "MIDI out: MIDI socket pin 2",
             "MIDI in: 100 nF", "MIDI in: H11L1 pin 5"])

    def test_the_midi_input_shares_no_ground_with_the_sender(self):
        """The optocoupler isolates only if no end of the socket reaches the box's own supplies."""
        for net in Circuit(PINS, "midi").nets():
            if any(name.startswith("MIDI in: MIDI socket") for name in net):
                self.assertFalse(any("(pin" in name for name in net), net)

    def test_stage(self):
        roles = ["tap", "play", "slower", "faster"]
        self.holds(
            "stage", *LIGHTS, *pedals(*roles),
            GROUND + ["buzzer: buzzer module ground"]
            + [f"{role}: {end}" for role in roles for end in ("100 nF", "foot switch sleeve")],
            ["3.3 V (pin 1)", "buzzer: buzzer module supply", "buzzer: 3.3 kΩ"] + [f"{role}: 10 kΩ" for role in roles],
            [line("buzzer"), "buzzer: 3.3 kΩ", "buzzer: buzzer module input"])

    HEADPHONES = [[f"headphones: {end}" for end in net] for net in (
        ["sound card left", "potentiometer left 3"], ["sound card right", "potentiometer right 3"],
        ["potentiometer left 2", "amplifier IN L"], ["potentiometer right 2", "amplifier IN R"],
        ["sound card sleeve", "potentiometer left 1", "potentiometer right 1", "amplifier IN GND"],
        ["amplifier OUT L", "socket tip"], ["amplifier OUT R", "socket ring"], ["amplifier OUT GND", "socket sleeve"],
        ["USB cable plus", "amplifier plus"], ["USB cable minus", "amplifier minus"])]

    def test_panel(self):
        alone, shared = ["denominator", "slower", "faster", "numerator"], {"play": "tip", "tap": "ring"}
        self.holds(
            "panel", *LIGHTS, *self.HEADPHONES, *([line(role), f"{role}: push button"] for role in alone),
            *([line(role), f"{role}: push button", f"{role}: 1 kΩ", f"{role}: 100 nF"] for role in shared),
            *([f"{role}: 1 kΩ", f"{role}: 10 kΩ", f"{role}: foot switch {end}"] for role, end in shared.items()),
            [line("preset_next"), "preset_next: push button"],
            GROUND + BUTTON_GROUND + ["preset_next: push button", "play: 100 nF", "tap: 100 nF", "play: foot switch sleeve"],
            ["3.3 V (pin 1)", "play: 10 kΩ", "tap: 10 kΩ"])

    def test_no_end_of_the_headphones_reaches_the_header(self):
        for net in Circuit(PINS, "panel").nets():
            if any(end.startswith("headphones:") for end in net):
                self.assertTrue(all(end.startswith("headphones:") for end in net), net)

    def test_each_foot_switch_has_three_parts(self):
        """No contact of a jack is a pin: 1 kΩ limits the current."""
        for name in PINS.variants:
            for net in Circuit(PINS, name).nets():
                if any(end.endswith(("foot switch tip", "foot switch ring")) for end in net):
                    self.assertFalse(any("(pin" in end for end in net), net)

    def test_with_a_sound_card(self):
        for name in ("usb-sound", "i2s-sound"):
            self.holds(name, *LIGHTS, *BUTTONS, GROUND + BUTTON_GROUND)

    def test_no_line_is_a_pin_of_the_card(self):
        """A device on the I²C bus may share it with the card."""
        card = set(PINS.variants["i2s-sound"]["card"]["pins"])
        self.assertEqual(card & {line["pin"] for role, line in PINS.lines.items() if role not in PINS.bus}, set())
        for placed in PINS.variants["i2s-sound"]["parts"]:
            self.assertTrue(card.isdisjoint(PINS.lines[role]["pin"] for role in PINS.roles(placed)))

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
