"""A beat at each phase of the kernel's tick, for the program and for a loop in C. Each plays in a boot of its own with the same presses.

Sixteen ticks take 64 ms. The beats have a period of 64.000478 ms, so each beat is 0.478 µs later in its tick than the one before.
"""

from emulator import LINES, play_until, press
from grid import fit, phase_width, rises

LIGHT = 17
TEMPO = "937.493"
TICK, STEP = 4_000_000, 478
STARTS = 30.0
STOPS = STARTS + 540.0
PRESSES = press(STARTS, "play") + press(STOPS, "play")
FILES = {"metronome.yaml": f"{{tempo: {TEMPO}, audio: {{device: none}}}}\n"}
UNDISTURBED, TICK_WORK, VARIATION = 200, 30_000, 5_000
"""In nanoseconds: how late an edge is at most unless the tick delays it, how long the work of a tick takes at most, and by how much it
varies. See README."""
LOOP = f"""#!/bin/sh
/grid-loop /dev/gpiochip0 {LIGHT} {LINES["play"]} {LINES["faster"]} {TEMPO} 80
"""
TESTS = play_until(int(STOPS) + 3), LOOP


def judge(checks, program, loop):
    worst = []
    for name, record in ("the program", program), ("the loop in C", loop):
        times = rises(record, LIGHT)
        grid = fit(times, 60e9 / float(TEMPO))
        checks(f"{name} plays a beat at each phase of the tick", len(times) * STEP >= TICK, len(times))
        checks(f"{name}: no beat is missing or extra", grid.is_complete)
        delayed = [time - late for time, late in zip(times, grid.late) if late > UNDISTURBED]
        checks(f"{name}: the tick delays beats", delayed, len(delayed))
        width = phase_width(delayed, TICK)
        found = f"others in {width / 1e3:.1f} µs of 4 ms"
        checks(f"{name}: edges are at most 0.2 µs late, except at one phase of the tick", width <= TICK_WORK, found)
        worst.append(max(grid.late))
    ours, theirs = worst
    found = f"{ours / 1e3:.2f} µs; the loop in C {theirs / 1e3:.2f} µs"
    checks("the worst edge is no later than that of the loop in C, to 5 µs", ours <= theirs + VARIATION, found)
