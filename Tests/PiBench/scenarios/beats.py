"""500 beats at two tempi without sound, with clean and bouncing presses. The program plays them twice, and a loop in C once, each in
a boot of its own with the same presses, for comparison."""

from emulator import play_loop, play_until, press
from grid import fit, rises, tick_phases

IS_ON_ONE_CORE = True
LIGHT, PENDULUM, BUZZER = 17, 27, 22
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
STEADY = {TEMPO: (0, FASTER[0] * 1e9), TEMPO + STEPS: (FASTER[-1] * 1e9 + LEAD, STOPS * 1e9 + LEAD)}
"""From when until when each tempo is played, in nanoseconds. Between the presses of `faster` the tempo changes."""
UNDISTURBED, TICK_WORK, FIRST_TICK_WORK = 100, 30_000, 60_000
"""In nanoseconds: how late an edge is at most unless the kernel's tick delays it, and how long the work of a tick takes at most: later, and
when it comes while the processor still works on the press. See README."""
TEST = play_until(int(STOPS) + 3)
TESTS = TEST, TEST, play_loop(LIGHT, TEMPO)


def judge(checks, first, second, loop):
    light = rises(first, LIGHT)
    pressed = round(STARTS * 1e9)
    checks("nothing flashes before the press", light and light[0] > pressed)
    checks("the program ended with 0", "bench: stopped 0\n" in first.console)
    late = light[0] - pressed - LEAD
    checks("the first light comes 1 ms after the press, to 0.3 ms", abs(late) <= 300_000, f"{(LEAD + late) / 1e6:.3f} ms")

    checks("500 beats or more", len(light) >= 500, len(light))
    of_loop = rises(loop, LIGHT)
    checks("the loop in C plays as many beats", len(of_loop) == len(light), len(of_loop))
    late, late_of_loop, delayed = [], [], []
    for tempo, (start, end) in STEADY.items():
        nominal = 60e9 / tempo
        grid, loop_grid = (fit([time for time in times if start < time < end], nominal) for times in (light, of_loop))
        error = grid.period / nominal - 1
        checks(f"the tempo is {tempo}, to 1 ppm", abs(error) <= 1e-6, f"{error * 1e9:+.0f} ppb")
        checks(f"no beat at {tempo} is missing or extra", grid.is_complete, len(grid.late))
        checks(f"nine of ten edges at {tempo} are within 1 µs", grid.share_within(1_000) >= 0.9, grid)
        checks(f"the loop in C has all its edges at {tempo}", loop_grid.is_complete, loop_grid)
        late += grid.late
        late_of_loop += loop_grid.late
        steady = [time for time in light if start < time < end]
        delayed += [time - off for time, off in zip(steady, grid.late) if off > UNDISTURBED and time > light[0]]
    first_late, *late = late
    found = f"{first_late / 1e3:.2f} µs"
    checks("the first edge is at most 60 µs late, the work of a tick after a press", first_late <= FIRST_TICK_WORK, found)
    width, _ = tick_phases(delayed)
    checks("edges later than 0.1 µs are at one phase of the tick", width <= TICK_WORK, len(delayed))
    found = f"{max(late) / 1e3:.2f} µs; the loop in C {max(late_of_loop) / 1e3:.2f} µs"
    checks("the worst edge is at most 30 µs late, the work of a tick", max(late) <= TICK_WORK, found)
    worst, worst_of_loop = (max(each for each in edges if each <= UNDISTURBED) for edges in (late, late_of_loop))
    found = f"{worst:.0f} ns; the loop in C {worst_of_loop:.0f} ns"
    checks("of the edges at most 0.1 µs late, the worst is no later than that of the loop in C", worst <= worst_of_loop, found)
    changing = STEADY[TEMPO][1], STEADY[TEMPO + STEPS][0]
    intervals = [b - a for a, b in zip(light, light[1:]) if b > changing[0] and a < changing[1]]
    is_between = all(60e9 / (TEMPO + STEPS) - 1_000_000 <= each <= 60e9 / TEMPO + 1_000_000 for each in intervals)
    checks("while the tempo changes, each beat follows at one of the tempi", intervals and is_between, len(intervals))

    stopped = round(STOPS * 1e9)
    checks("no beat after the stop", light[-1] < stopped + LEAD)
    last = {edge.line: edge.level for edge in first.edges if edge.is_output}
    checks("light, pendulum and buzzer are off at the end", not any(last[line] for line in (LIGHT, PENDULUM, BUZZER)))
    checks("a second run has the same bytes in its log of edges", first.log == second.log, f"{len(first.edges)} edges")
