"""A rhythm of all four levels with triplets: each hit of light and buzzer at its place, with the pulse of its level."""

from emulator import play_until, press
from grid import fit

STARTS, STOPS, TEMPO, SUBDIVISION = 30.0, 60.0, 100, 3
PRESSES = press(STARTS, "play") + press(STOPS, "play", bounces=3)
PULSES_MS = {"strong": 40, "medium": 30, "weak": 20, "ghost": 10}
SHOWN = {17: ("strong", "medium", "weak", "ghost"), 22: ("strong", "medium")}
"""The levels of the hits within beats that light and buzzer show. Beats are always shown."""
BEATS = ("strong", "medium", "weak", "ghost")
"""The levels of the notes of the pattern. The further slots of each note are ghosts."""
FILES = {
    "metronome.yaml": """tempo: 100
rhythm: "XYxo sub=3"
audio: {device: none}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 40, medium: 30, weak: 20, ghost: 10}}
  buzzer: {levels: [strong, medium], pulse_ms: {strong: 40, medium: 30, weak: 20, ghost: 10}}
"""
}
TEST = play_until(int(STOPS) + 2)
EXACT = 1_000
"""How far nine of ten edges may be from the grid, in nanoseconds: README gives the measured figures."""
PULSE_EXACT = 200_000
"""How much a pulse may be too short or long, in nanoseconds."""


def level(slot):
    """The level of a slot, counted from the start."""
    beat, within = divmod(slot, SUBDIVISION)
    return BEATS[beat % len(BEATS)] if within == 0 else "ghost"


def judge(checks, record):
    checks("the program ended with 0", "bench: stopped 0\n" in record.console)
    period = 60e9 / TEMPO / SUBDIVISION
    slots = int((STOPS - STARTS) * 1e9 / period)
    for line, name in ((17, "light"), (22, "buzzer")):
        edges = [edge for edge in record.edges if edge.is_output and edge.line == line]
        on = [edge.time for edge in edges if edge.level]
        off = [edge.time for edge in edges if not edge.level and edge.time > on[0]] if on else []
        wanted = [slot for slot in range(slots) if slot % SUBDIVISION == 0 or level(slot) in SHOWN[line]]
        # The first edge may be late, and the slot of the others counts from it.
        grid = fit(on, period)
        checks(f"the {name} shows each hit at its place, and no other", grid.numbers == wanted, f"{len(on)} of {len(wanted)}")
        checks(f"nine of ten edges of the {name} are within 1 µs", grid.share_within(EXACT) >= 0.9, grid)
        wrong = [
            f"{slot}: {(b - a) / 1e6:.3f} ms"
            for slot, a, b in zip(wanted, on, off)
            if abs(b - a - PULSES_MS[level(slot)] * 1e6) > PULSE_EXACT
        ]
        checks(f"each pulse of the {name} has the length of its level", len(on) == len(off) and not wrong, ", ".join(wrong[:5]))
