"""A beat at each phase of the kernel's tick, for the program and for a loop in C. Each plays in a boot of its own with the same presses.

Sixteen ticks take 64 ms. The beats have a period of 64.000478 ms, so each beat is 0.478 µs later in its tick than the one before.
"""

from emulator import play_loop, play_until, press
from grid import fit, rises, tick_phases

LIGHT, TEMPO = 17, "937.493"
STARTS = 30.0
STOPS = STARTS + 540.0
PRESSES = press(STARTS, "play") + press(STOPS, "play")
FILES = {"metronome.yaml": f"{{tempo: {TEMPO}, audio: {{device: none}}}}\n"}
IS_ON_ONE_CORE = True
UNDISTURBED = 500
"""In nanoseconds: how far an edge is at most from its place unless the tick delays it. For another reason, edges may be 0.2 µs late. A beat
is 0.478 µs later in its tick than the one before."""
USUAL_TICK, LONGEST_TICK = 20_000, 60_000
"""How long the work of most ticks and of each tick takes at most, in nanoseconds. The longest one bounds the range of phases at which edges
are late. See README."""
IN_LONGER_TICKS = 2
"""At most this many edges may be later than the work of most ticks."""
MORE = 2
"""At most this many times as many edges as those of the loop may be delayed."""
TESTS = play_until(int(STOPS) + 3), play_loop(LIGHT, TEMPO)


def judge(checks, program, loop):
    counts, latest = [], []
    for name, record in ("the program", program), ("the loop in C", loop):
        times = rises(record, LIGHT)
        grid = fit(times, 60e9 / float(TEMPO))
        checks(f"{name}: no beat is missing or extra", grid.is_complete, len(times))
        places = [time - late for time, late in zip(times, grid.late)]
        _, gap = tick_phases(places)
        checks(f"{name}: there is a beat at each phase of the tick, to 0.5 µs", gap <= 500, f"{gap:.0f} ns")
        delayed = [place for place, late in zip(places, grid.late) if abs(late) > UNDISTURBED]
        width, _ = tick_phases(delayed)
        found = f"{len(delayed)} others, in {width / 1e3:.1f} µs of 4 ms"
        is_one = delayed and width <= LONGEST_TICK
        checks(f"{name}: edges are within 0.5 µs, except at one phase of the tick", is_one, found)
        counts.append(len(delayed))
        latest.append(sorted(grid.late)[-1 - IN_LONGER_TICKS :])
    found = f"{counts[0]}; the loop in C {counts[1]}"
    checks("at most twice as many edges as those of the loop in C are delayed", counts[0] <= MORE * counts[1], found)
    found = "; the loop in C ".join(", ".join(f"{late / 1e3:.2f}" for late in edges) + " µs" for edges in latest)
    checks("all edges but two are at most 20 µs late", latest[0][0] <= USUAL_TICK, found)
    checks("the two latest edges are at most 60 µs late", latest[0][-1] <= LONGEST_TICK)
