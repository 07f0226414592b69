"""`metronome check` on the running Pi: what it says of computer, lines, buttons and card."""

import re

PRESSES = []
FILES = {"metronome.yaml": "audio: {device: 'hw:Loopback,0'}\n"}
TEST = """#!/bin/sh
echo 'bench: begin check'
/metronome check --config /metronome.yaml 2>&1
echo "bench: checked $?"
"""
RIGHT = {
    "model": "Raspberry Pi 3 Model B",
    "libgpiod": "2.2.1",
    "chip": "gpiochip0 [pinctrl-bcm2835], 54 lines",
    "light": "GPIO17 (offset 17 of gpiochip0), free, active high",
    "pendulum": "GPIO27 (offset 27 of gpiochip0), free, active high",
    "buzzer": "GPIO22 (offset 22 of gpiochip0), free, active high",
    "play": "GPIO5 (offset 5 of gpiochip0), free, reads open",
    "slower": "GPIO6 (offset 6 of gpiochip0), free, reads open",
    "faster": "GPIO16 (offset 16 of gpiochip0), free, reads open",
    "numerator": "GPIO26 (offset 26 of gpiochip0), free, reads open",
    "denominator": "GPIO25 (offset 25 of gpiochip0), free, reads open",
    "tap": "GPIO24 (offset 24 of gpiochip0), free, reads open",
}
"""Findings that must be right, with this text."""
NOT_EXAMINED = {
    "governor": "the emulated processor has one frequency",
    "voltage": "no firmware runs, and it has the sensor",
    "throttling": "no firmware runs, and it reports throttling",
    "input": "the configuration uses no input device",
    "metronome": "the archive has no systemd",
}
"""Findings without a verdict on this machine, with the reason. No finding may be doubtful or wrong."""


def judge(checks, record):
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", record.output("check"))
    rows = re.findall(r"^  (right|doubtful|wrong|–) +(\S+) +(.*)$", text, re.MULTILINE)
    found = {what: (verdict, details) for verdict, what, details in rows if what not in ("clock",)}
    checks("the command ended with 0", "bench: checked 0\n" in record.console)
    for what, details in RIGHT.items():
        checks(f"{what} is right", found.get(what) == ("right", details), " ".join(found.get(what, ["missing"])))
    bad = [f"{what}: {details}" for verdict, what, details in rows if verdict in ("doubtful", "wrong")]
    checks("nothing is doubtful or wrong", rows and not bad, ", ".join(bad) or f"{len(rows)} findings")
    open_ones = {what for verdict, what, _ in rows if verdict == "–"}
    checks("only what this machine lacks is not examined", open_ones == set(NOT_EXAMINED), ", ".join(sorted(open_ones)))
    clocks = [details for _, what, details in rows if what == "clock"]
    measured = [float(ppm[1]) for details in clocks if (ppm := re.match(r"([+-][\d.]+) ppm", details))]
    checks("the clock of the card is measured, to 50 ppm", len(measured) == 1 and abs(measured[0]) <= 50, measured)
