"""What a configuration connects: buttons, outputs, a display, and the keys and dials of input devices."""

import re
from functools import lru_cache
from pathlib import Path

import life
import yaml

OUTPUTS = {"light": "GPIO17", "pendulum": "GPIO27", "buzzer": "GPIO22"}
BUTTONS = {"play": "GPIO5", "slower": "GPIO6", "faster": "GPIO16", "numerator": "GPIO26", "denominator": "GPIO25", "tap": "GPIO24"}
CODES = "/usr/include/linux/input-event-codes.h"


@lru_cache
def codes():
    """{name: number} of the kernel's keys and axes."""
    found = {}
    for name, value in re.findall(r"^#define ((?:KEY|BTN|REL)_\w+)\s+(\w+)", Path(CODES).read_text(), re.M):
        found[name] = found[value] if value in found else int(value, 0)
    return found


class Wiring:
    """Of a configuration that is valid."""

    def __init__(self, text):
        self.settings = yaml.load(text, Loader=yaml.CSafeLoader) or {}
        self.outputs, self.buttons = {}, {}
        """{number of the line: (name, whether it is on when low)}, and {number: name}."""
        light = self.of("light", "outputs")
        for name in {**OUTPUTS, **(self.settings.get("outputs") or {})}:
            self.add(name, self.of(name, "outputs"), OUTPUTS.get(name))
        for name in ("green", "blue"):
            if "rgb" in self.settings:
                self.add(name, {"line": self.settings["rgb"][name], "active": light.get("active")}, None)
        for name in {**BUTTONS, **(self.settings.get("buttons") or {})}:
            line = self.of(name, "buttons").get("line", BUTTONS.get(name))
            if line not in (None, "none"):
                self.buttons[life.line_of(line)] = name
        display = self.settings.get("display") or {}
        lines = [display.get(name, "none") for name in ("clock", "data")]
        self.display = None if "none" in lines else [life.line_of(line) for line in lines]
        self.has_screen = display.get("i2c", "none") != "none"

    def of(self, name, block):
        return (self.settings.get(block) or {}).get(name) or {}

    def add(self, name, settings, line):
        line = settings.get("line", line)
        if line not in (None, "none"):
            self.outputs[life.line_of(line)] = (name, settings.get("active") == "low")

    @property
    def frames(self):
        """The frames of the card's buffer, or None without a card."""
        audio = self.settings.get("audio") or {}
        if audio.get("device", "auto") == "none":
            return None
        return int(audio.get("period", 256)) * int(audio.get("periods", 4))

    @property
    def devices(self):
        """[(name with `_` for blanks, {(kind, code): button or dial})]: the inputs, in order; without a name for MIDI."""
        return [
            (str(one.get("device", "")).replace(" ", "_") or None, {
                (kind, codes()[key]): meaning
                for kind, block in (("key", "keys"), ("rel", "relative")) for key, meaning in (one.get(block) or {}).items()})
            for one in self.settings.get("inputs") or []
        ]  # fmt: skip
