"""The runs of the program within a scenario, each with what happened during it."""

from dataclasses import dataclass, field

import music
from record import Interrupt, Mark, Position, Write


@dataclass
class Run:
    """From the start of the program to its end."""

    name: str
    mark: Mark
    signal: int = None
    """When it was told to end; None if it was not."""
    wanted_code: int = 0
    exit: int = None
    exit_code: int = None
    presses: list = field(default_factory=list)
    """(instant of the kernel's first edge, button)"""
    writes: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    stalls: list = field(default_factory=list)
    """(from, to): when the program was stopped."""
    mutes: list = field(default_factory=list)
    """(from, to): when the sound card was away, and until when sound may be back."""
    cards: list = field(default_factory=list)
    """(from, ppm): how fast the sound card's clock was made to run."""
    required_beats: int = 0
    problems: list = field(default_factory=list)

    def number(self, key, default):
        return int(self.mark.setting(key, default))

    @property
    def sound(self):
        return self.mark.setting("sound", "none")

    @property
    def lead(self):
        return self.number("lead_ms", 1) * 1_000_000

    @property
    def sessions(self):
        settings = music.Settings(
            self.number("tempo", 120_000), self.number("numerator", 4), self.number("denominator", 4)
        )
        return music.sessions(self.presses, settings, self.lead)


def split(events):
    """The runs of a trace."""
    runs, run, waiting, edges, stalled, muted, cards = [], None, None, 0, None, None, []

    def settle():
        """A press must have made as many edges as its contact was made to make: else nothing was tested."""
        if waiting is None:
            return
        button, wanted = waiting.operands[0], int(waiting.setting("edges", 1))
        if edges != wanted:
            run.problems.append(f"{button} pressed at {seconds(waiting.instant)} made {edges} edges, not {wanted}")

    for event in events:
        if isinstance(event, Mark) and event.word == "run":
            run = Run(event.operands[0], event, cards=[(event.instant, ppm) for _, ppm in cards[-1:]])
            runs.append(run)
        elif isinstance(event, Mark) and event.word == "card":
            cards.append((event.instant, int(event.setting("ppm", 0))))
            if run is not None:
                run.cards.append(cards[-1])
        if run is None or run.exit is not None:
            continue
        if isinstance(event, Write):
            run.writes.append(event)
        elif isinstance(event, Position):
            run.positions.append(event)
        elif isinstance(event, Interrupt):
            if waiting is not None and edges == 0:
                run.presses.append((event.instant, waiting.operands[0]))
            edges += 1
        elif event.word in ("press", "release", "signal"):
            settle()
            waiting, edges = (event if event.word == "press" else None), 0
            if event.word == "signal":
                run.signal, run.wanted_code = event.instant, int(event.setting("code", 0))
        elif event.word == "stall":
            stalled = event.instant
        elif event.word == "resume":
            run.stalls.append((stalled, event.instant))
        elif event.word == "mute":
            muted = event.instant
        elif event.word == "sounding":
            run.mutes.append((muted, event.instant + int(event.setting("after_ms", 0)) * 1_000_000))
        elif event.word == "require":
            run.required_beats = int(event.setting("beats", 0))
        elif event.word == "exit":
            run.exit, run.exit_code = event.instant, int(event.operands[0])
    return runs


def seconds(instant):
    return f"{instant / 1e9:.6f} s"
