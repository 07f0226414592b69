"""MIDI clock on a USB port: every clock at its place, and the start and stop. A gadget on Debian's simulated USB bus receives it."""

import sys
from statistics import median

from emulator import ROOT, press
from grid import fit, rises

sys.path.append(str(ROOT / "Tests/KernelBench/judge"))
from record import messages as decoded  # noqa: E402 # found only now

LIGHT, TEMPO, STARTS, STOPS = 17, 120, 30.0, 60.0
PRESSES = press(STARTS, "play") + press(STOPS, "play", bounces=3)
FILES = {
    "metronome.yaml": """{tempo: 120, audio: {device: none}, midi: {out: [{device: "hw:CARD=Bench,DEV=0"}], clock_when_stopped: false}}
"""
}
IS_ON_ONE_CORE = True
TEST = f"""#!/bin/sh
. /helpers.sh
start_gadget
/midi-listen "/dev/snd/midiC$(card gadget)D0" 90 >/tmp/midi &
listener=$!
/metronome run --config /metronome.yaml 2>/tmp/log &
metronome=$!
sleep_until {int(STOPS) + 3}
stop_metronome
kill $listener
wait $listener || true
echo 'bench: begin midi'
cat /tmp/midi
echo 'bench: received'
"""
CLOCK, START, STOP, POSITION = "F8", "FA", "FC", "F2 00 00"
LATE = 300_000
"""How far a clock may be from its place, in nanoseconds. The simulated bus transfers every 125 µs, so a clock may be that late."""

LIGHT_EXACT = 5_000
"""How far an edge of the light may be from the grid, in nanoseconds."""


def judge(checks, record):
    checks("the program ended with 0", "bench: stopped 0\n" in record.console)
    light = rises(record, LIGHT)
    lines = [line.split() for line in record.output("midi").splitlines()]
    messages = decoded((int(words[0]), words[1]) for words in lines if len(words) == 2)
    kinds = [message for _, message in messages]
    checks("position 0 and one start, before the first clock", kinds[:3] == [POSITION, START, CLOCK] and kinds.count(START) == 1)
    checks("one stop, after the last clock", kinds.count(STOP) == 1 and CLOCK not in kinds[kinds.index(STOP) :])
    checks("no other message", set(kinds) == {CLOCK, START, STOP, POSITION}, sorted(set(kinds)))
    clocks = [instant for instant, message in messages if message == CLOCK]
    grid = fit(clocks, 60e9 / TEMPO / 24)
    checks("no clock is missing or extra", grid.is_complete and len(clocks) == 24 * len(light), f"{len(clocks)}, {len(light)} beats")
    error = grid.period / (60e9 / TEMPO / 24) - 1
    checks("the tempo is 120, to 1 ppm", abs(error) <= 1e-6, f"{error * 1e9:+.0f} ppb")
    checks("each clock is within 0.3 ms of its place", max(map(abs, grid.late)) <= LATE, f"{max(map(abs, grid.late)) / 1e3:.1f} µs")
    # The clocks of the kernel and of the emulator differ by a constant.
    apart = [clock - time for clock, time in zip(clocks[::24], light)]
    off = max(abs(each - median(apart)) for each in apart)
    checks("each beat's clock keeps its distance from the light, to 0.3 ms", off <= LATE, f"{off / 1e3:.1f} µs")
    lights = fit(light, 60e9 / TEMPO)
    is_right = lights.is_complete and max(map(abs, lights.late)) <= LIGHT_EXACT
    checks("each edge of the light is within 5 µs of its place", is_right, lights)
