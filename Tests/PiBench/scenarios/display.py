"""A TM1637 display: each text that must be shown, the rules of its two wires, and the edges of the light while a text is sent.

The decoder is that of the kernel bench. The display itself is in the plugin: it acknowledges each byte.
"""

import sys
from bisect import bisect_right

from emulator import ROOT, play_until, press
from grid import fit, rises

sys.path.append(str(ROOT / "Tests/KernelBench/judge"))
import tm1637  # noqa: E402 # found only now
from record import Drive  # noqa: E402

DISPLAY = CLOCK, DATA = 13, 12
LIGHT, TEMPO, STARTS = 17, 120, 30.0
PERIOD = 60 / TEMPO
PRESSED = 0.08
HELD = 2
"""How long another text than the tempo is shown, in seconds."""
# The command follows the release of the button, because the button also has a hold action. The text begins 0.7 ms later and takes 2 ms.
# The text with the tempo follows by itself 2 s later.
CLOSE = [0.0012 + 0.00015 * place for place in range(10)]
NUMERATORS = [STARTS + 10 + 4 * place + 0.001 - before for place, before in enumerate(CLOSE)]
"""The releases of the button. Each is CLOSE seconds, less 1 ms, before a beat."""
FASTER = NUMERATORS[-1] + 6.2
STOPS = FASTER + 20
PRESSES = press(STARTS, "play") + press(FASTER, "faster") + press(STOPS, "play")
for instant in NUMERATORS:
    PRESSES += press(instant - PRESSED, "numerator", held=PRESSED)
FILES = {"metronome.yaml": "{tempo: 120, audio: {device: none}, display: {clock: GPIO13, data: GPIO12, brightness: 3}}\n"}
IS_ON_ONE_CORE = True
ALLOWED, NEAR = 300_000_000, 1_000_000
"""The time within which a text must be shown; changes of the lines that are this close belong to one text. In nanoseconds."""
TEST = play_until(int(STOPS) + 3)
MOVED = 5_000
"""How far an edge of the light may be from the grid while a text is sent, in nanoseconds."""


def wanted():
    """[(second, text)]: what must be shown from when on."""
    texts = [(STARTS, f"{TEMPO:4}")]
    for place, instant in enumerate(NUMERATORS):
        texts += [(instant, f"{5 + place:2}:4 "), (instant + HELD, f"{TEMPO:4}")]
    return texts + [(FASTER, f"{TEMPO + 1:4}")]


def judge(checks, record):
    checks("the program ended with 0", "bench: stopped 0\n" in record.console)
    checks("the program reports nothing about the display", "display" not in record.output("log"))
    edges = [edge for edge in record.edges if edge.line in DISPLAY]
    checks("the program never drives a line of the display high", not any(edge.is_output and edge.level for edge in edges))
    drives = [Drive(edge.time, "", edge.line, edge.is_output and not edge.level) for edge in edges]
    shown, problems = tm1637.decode(drives, CLOCK, DATA)
    checks("the traffic keeps the rules of the data sheet", shown and not problems, "; ".join(problems[:3]) or f"{len(drives)} changes")

    texts = wanted()
    slowest, wrong = 0, []
    for (since, text), (until, _) in zip(texts, texts[1:] + [(STOPS, "")]):
        since, until = round(since * 1e9), round(until * 1e9)
        place = bisect_right(shown, since + ALLOWED, key=lambda one: one.instant) - 1
        later = [one.text for one in shown[place + 1 :] if one.instant < until]
        found = [shown[place].text if place >= 0 else None, *later]
        if set(found) != {text}:
            wrong.append(f"{', '.join(map(str, found))} from {since / 1e9:.1f} s on, not {text}")
        elif shown[place].instant > since:
            slowest = max(slowest, shown[place].instant - since)
    found = "; ".join(wrong) or f"{len(texts)} texts, the slowest after {slowest / 1e6:.1f} ms"
    checks("each text is shown within 0.3 s, until the next", not wrong, found)
    checks("nothing else is shown", {one.text for one in shown[:-1]} == {text for _, text in texts})
    checks("the brightness is 3", {one.brightness for one in shown[:-1]} == {3})
    checks("the display is off at the end", shown and shown[-1].text is None)

    light = [time for time in rises(record, LIGHT) if time < FASTER * 1e9]
    grid = fit(light, PERIOD * 1e9)
    checks("no beat is missing or extra", grid.is_complete, grid)
    traffic = sorted(edge.time for edge in edges)
    busy = [late for time, late in zip(light, grid.late) if is_within(traffic, time)]
    checks("a text is sent during at least five edges of the light", len(busy) >= 5, len(busy))
    late = max(map(abs, busy), default=0)
    checks("the traffic moves none of these edges by more than 5 µs", busy and late <= MOVED, f"{late / 1e3:.2f} µs")


def is_within(traffic, instant):
    """Whether the display's lines change shortly before and after an instant."""
    place = bisect_right(traffic, instant)
    return 0 < place < len(traffic) and traffic[place] - traffic[place - 1] < NEAR
