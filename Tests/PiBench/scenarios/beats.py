"""500 beats at two tempi without sound, with clean and bouncing presses. A loop in C follows in the same emulator, for comparison."""

from emulator import press
from grid import fit, rises

RUNS = 2
LIGHT, PENDULUM, BUZZER, LOOP = 17, 27, 22, 18
TEMPO, STEPS, LEAD = 240, 4, 1_000_000
STARTS = 30.0
# 260 beats at 240, and at least as many at 244. The next press of `faster` comes 0.3 s after the last one.
FASTER = [STARTS + 65.1 + 0.3 * step for step in range(STEPS)]
STOPS = FASTER[-1] + 64.0
PRESSES = press(STARTS, "play")
for number, instant in enumerate(FASTER):
    PRESSES += press(instant, "faster", bounces=3 * (number % 2))
PRESSES += press(STOPS, "play", bounces=3)
FILES = {"metronome.yaml": "{tempo: 240, audio: {device: none}}\n"}
LOOP_BEATS = 500
WORST = 100_000
"""How late a single edge may be, in nanoseconds: README says why single edges are late here."""
TEST = f"""#!/bin/sh
. /helpers.sh
/metronome run --config /metronome.yaml 2>/tmp/log &
metronome=$!
sleep_until {int(STOPS) + 3}
stop_metronome
/grid-loop /dev/gpiochip0 {LOOP} {60_000_000_000 // TEMPO} {LOOP_BEATS} 80
"""


def judge(checks, first, second):
    light = rises(first, LIGHT)
    pressed = round(STARTS * 1e9)
    checks("nothing flashes before the press", light and light[0] > pressed)
    checks("the program ended with 0", "bench: stopped 0\n" in first.console)
    late = light[0] - pressed - LEAD
    checks("the first light comes 1 ms after the press, to 0.3 ms", abs(late) <= 300_000, f"{(LEAD + late) / 1e6:.3f} ms")

    # Between the presses of `faster` the tempo changes; there only the intervals are judged.
    changing = round(FASTER[0] * 1e9), round(FASTER[-1] * 1e9) + LEAD
    parts = {
        TEMPO: [time for time in light if time < changing[0]],
        TEMPO + STEPS: [time for time in light if time > changing[1]],
    }
    checks("500 beats or more", len(light) >= 500, len(light))
    worst = 0
    for tempo, times in parts.items():
        nominal = 60e9 / tempo
        grid = fit(times, nominal)
        error = grid.period / nominal - 1
        checks(f"the tempo is {tempo}, to 1 ppm", abs(error) <= 1e-6, f"{error * 1e9:+.0f} ppb")
        checks(f"no beat at {tempo} is missing or extra", grid.is_complete, len(times))
        checks(f"nine of ten edges at {tempo} are within 1 µs", grid.share_within(1_000) >= 0.9, grid)
        worst = max(worst, *grid.late)
    intervals = [b - a for a, b in zip(light, light[1:]) if b > changing[0] and a < changing[1]]
    is_between = all(60e9 / (TEMPO + STEPS) - 1_000_000 <= each <= 60e9 / TEMPO + 1_000_000 for each in intervals)
    checks("while the tempo changes, each beat follows at one of the tempi", intervals and is_between, len(intervals))

    loop = fit(rises(first, LOOP), 60e9 / TEMPO)
    checks("the loop in C has all its edges", loop.is_complete and len(loop.late) == LOOP_BEATS, loop)
    compared = f"{worst / 1e3:.2f} µs; the loop in C {max(loop.late) / 1e3:.2f} µs"
    checks("the worst edge is at most 0.1 ms late", worst <= WORST, compared)

    stopped = round(STOPS * 1e9)
    checks("no beat after the stop", light[-1] < stopped + LEAD)
    last = {edge.line: edge.level for edge in first.edges if edge.is_output}
    checks("light, pendulum and buzzer are off at the end", not any(last[line] for line in (LIGHT, PENDULUM, BUZZER)))
    checks("a second run has the same bytes in its log of edges", first.log == second.log, f"{len(first.edges)} edges")
