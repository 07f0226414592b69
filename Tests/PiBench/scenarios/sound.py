"""A minute with sound on the card Loopback: the clock is locked, and the first light waits for the buffer."""

import json
import re

from emulator import press
from grid import fit, rises

LIGHT, STARTS, STOPS, TEMPO = 17, 30.0, 90.0, 120
LEAD = 24_000_000
"""The documented lead: a buffer of 1024 frames and 31 more at 48 kHz, rounded up to whole milliseconds, and 2 ms."""
PRESSES = press(STARTS, "play") + press(STOPS, "play", bounces=3)
FILES = {"metronome.yaml": "{tempo: 120, audio: {device: 'hw:Loopback,0'}}\n"}
IS_ON_ONE_CORE = True
TEST = f"""#!/bin/sh
. /helpers.sh
/metronome run --config /metronome.yaml 2>/tmp/log &
metronome=$!
sleep_until {int(STOPS) - 3}
echo 'bench: begin card'
cat /proc/asound/Loopback/pcm0p/sub0/status
sleep_until {int(STOPS) + 3}
kill -USR1 $metronome
sleep 1
stop_metronome
"""


def judge(checks, record):
    light = rises(record, LIGHT)
    log = record.output("log")
    checks("the program ended with 0", "bench: stopped 0\n" in record.console)
    first = light[0] - STARTS * 1e9 if light else 0
    checks("the first light comes 24 ms after the press, to 0.3 ms", abs(first - LEAD) <= 300_000, f"{first / 1e6:.3f} ms")
    grid = fit(light, 60e9 / TEMPO)
    wanted = int((STOPS - STARTS) * TEMPO / 60)
    checks("no beat is missing or extra", grid.is_complete and len(light) == wanted, len(light))
    checks("nine of ten edges are within 1 µs", grid.share_within(1_000) >= 0.9, grid)
    locked = re.search(r"audio: locked ([+-][\d.]+) ppm", log)
    checks("the clock of the card is locked, to 50 ppm", locked and abs(float(locked[1])) <= 50, locked and locked[1])
    checks("the card plays", "state: RUNNING" in record.console)
    found = re.search(r"figures (\{.*\})", log)
    figures = json.loads(found[1]) if found else {}
    for what in ("xruns", "missed_clicks", "reopenings", "skipped", "failed_sets"):
        checks(f"the program counts no {what}", figures.get(what) == 0, figures.get(what))
    checks("the program counts the beats of the light", figures.get("beats") == len(light), figures.get("beats"))
