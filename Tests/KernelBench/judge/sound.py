"""Clicks against flashes: what the ear heard, and when."""

from dataclasses import dataclass

from runs import seconds

APART = 1_500_000
"""How far a click may be from its flash, in nanoseconds."""
RATE = 48_000
HIGH_CROSSINGS = 15
"""In 5 ms, 1,000 Hz changes sign 10 times and 2,000 Hz 20 times."""


@dataclass(frozen=True)
class Click:
    instant: int
    frame: int
    crossings: int

    @property
    def is_high(self):
        return self.crossings > HIGH_CROSSINGS


class Unheard(Exception):
    """The ear lost frames or did not listen to the end."""


def read(path):
    """The clicks that the ear wrote down; their instants are 0 if it listened to a tape."""
    lines = path.read_text().split("\n")
    if lines[0] != "started" or not any(line.startswith("frames ") for line in lines) or "overrun" in lines:
        raise Unheard("the ear lost frames, or did not listen to the end")
    fields = [line.split() for line in lines if line.startswith("click ")]
    return [Click(int(instant), int(frame), int(crossings)) for _, frame, instant, crossings, _ in fields]


def timed(clicks, positions):
    """Clicks of a tape, with the instants at which the card played their frames, by the kernel's record of the card.

    A position is true of the moment it is read or of one before: the earliest start of the stream is the closest.
    """
    if not positions:
        raise Unheard("the kernel recorded no position of the card")
    moved = [p for p in positions if p.frames > 0]
    start = min(p.instant * RATE - p.frames * 10**9 for p in moved)
    return [Click((start + click.frame * 10**9) // RATE, click.frame, click.crossings) for click in clicks]


class Findings:
    def __init__(self):
        self.problems = []
        self.clicks = 0
        self.deviations = []


def judge(run, lit, clicks):
    """Every flash has its click, of the right pitch, and there is no click without one.

    Near the end of playing a click may be there or not: it may be on its way through the card when the stop comes. So it
    may when the program is stalled, and after the stall until the card's buffer is full again.
    """
    findings = Findings()
    end = run.exit
    heard = [click for click in clicks if run.mark.instant <= click.instant <= end]
    ends = [session.end or run.signal for session in run.sessions] + [stalled for stalled, _ in run.stalls]
    silent = ends + [resumed for _, resumed in run.stalls]
    left = list(heard)
    place = 0
    for beat, flash in lit:
        while place < len(heard) and heard[place].instant < flash - APART:
            place += 1
        if place < len(heard) and heard[place].instant <= flash + APART:
            click = heard[place]
            place += 1
            left.remove(click)
            findings.clicks += 1
            findings.deviations.append(click.instant - flash)
            if click.is_high != beat.is_first:
                findings.problems.append(f"the click of beat {beat.index} at {seconds(flash)} has the other pitch")
        elif not is_near_end(flash, silent, run.lead):
            findings.problems.append(f"no click within 1.5 ms of beat {beat.index} at {seconds(flash)}")
    for click in left:
        if not is_near_end(click.instant, ends, run.lead):
            findings.problems.append(f"a click at {seconds(click.instant)} without a flash")
    return findings


def is_near_end(instant, ends, lead):
    return any(end - 2_000_000 <= instant <= end + lead + 2_000_000 for end in ends)
