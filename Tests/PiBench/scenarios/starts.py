"""Starts on four cores: the first light after presses that bounce. Work on another core could delay this light."""

from emulator import play_until, press
from grid import rises

LIGHT = 17
TEMPO = 187
PLAYS = 3.3
STARTS = [20 + number * 6.00119 for number in range(40)]
"""Spread over the phases of the kernel's tick, which comes every 4 ms."""
BOUNCES = 2
"""The last bounce opens the contact 0.9 ms after the press; the first beat follows 1 ms after the press."""
PRESSES = sorted(
    step for start in STARTS for step in press(start, "play", bounces=BOUNCES) + press(start + PLAYS, "play")
)
FILES = {"metronome.yaml": f"tempo: {TEMPO}\naudio: {{device: none}}\n"}
TEST = play_until(int(STARTS[-1] + PLAYS) + 2)
LEAD = 1_000_000
LATEST = 15_000
"""How late nine of ten first edges may be, in nanoseconds. It includes the constant delay from timer to line."""


def judge(checks, record):
    checks("the program ended with 0", "bench: stopped 0\n" in record.console)
    edges = rises(record, LIGHT)
    played = [[edge - start * 1e9 for edge in edges if 0 <= edge - start * 1e9 < PLAYS * 1e9 + LEAD] for start in STARTS]
    count = int(PLAYS * TEMPO / 60) + 1
    checks(f"each press starts {count} beats", [len(beats) for beats in played] == [count] * len(STARTS), len(edges))
    late = sorted(beats[0] - LEAD for beats in played if beats)
    in_time = [each for each in late if 0 <= each <= LATEST]
    checks(
        f"nine of ten first lights come 1 ms to {(LEAD + LATEST) / 1e6:.3f} ms after the press",
        len(in_time) >= 0.9 * len(STARTS),
        f"{len(in_time)} of {len(STARTS)}, median {late[len(late) // 2] / 1e3:.2f} µs, latest {late[-1] / 1e3:.2f} µs",
    )
