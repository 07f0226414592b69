"""The tapped tempo: least squares over the last taps, in fractions, so that nothing is rounded on the way."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

MS = 1_000_000
WINDOW = 8
LEAST = 3
"""The lowest number of taps that gives a tempo."""
TOO_CLOSE = 60 * MS
"""A tap sooner than this after the previous one is ignored."""
FIRST_PAUSE = 2800 * MS
"""After a first tap: a tap later than this is a first tap too."""
ERR = Fraction(2, 5)
"""The tolerance of a tap, as a fraction of the interval."""
NEAR_TWO = Fraction(1, 5)
"""The tolerance if a tap may be missing or a false tap may lie between, as a fraction of the single interval."""


@dataclass(frozen=True)
class Fit:
    instant: Fraction
    """The instant of the last tap according to the fit."""
    period: Fraction
    beats: int
    """The number of beats from the first to the last tap of the run."""

    def tempo(self, denominator, rounds):
        """The tempo in thousandths of a BPM: beats are notes of the denominator, tempi count quarters."""
        exact = Fraction(60 * 10**9) / self.period * 4 / denominator
        step = 1000 if rounds else 1
        return floor(exact * 1000 / step + Fraction(1, 2)) * step

    def beat_after(self, instant):
        """The first beat of the fit after the last tap and after an instant."""
        beat = self.instant + self.period
        while beat <= instant:
            beat += self.period
        return floor(beat)


class Taps:
    def __init__(self):
        self.end()

    def end(self):
        self.taps = []
        """(beat number, instant)"""
        self.left = []
        """The previous run, kept as long as it may turn out to be the right one."""

    def tap(self, instant):
        """The fit, or None while there is no tempo."""
        if self.taps and instant - self.taps[-1][1] < TOO_CLOSE:
            return None
        taps, left = self.with_the_previous_run(instant)
        if taps is None:
            taps = longer(self.taps, instant)
        if taps is None:
            taps, left = [(0, instant)], self.taps
        self.taps, self.left = taps, left
        return fit(taps) if len(taps) >= LEAST else None

    def with_the_previous_run(self, instant):
        """The current run and the previous one, if the tap continues the previous run."""
        if not self.left:
            return None, []
        before, last = self.left[-1][1], self.taps[-1][1]
        if len(self.left) == 1:
            return (missed_the_second(before, last, instant) if instant - last <= FIRST_PAUSE else None), []
        beats = beats_between(self.left, instant, near_one=NEAR_TWO)
        if beats is None:
            return None, []
        true = followed(self.left, instant, beats)
        if before == last:
            # At the previous tap it was still open whether the tap between was false.
            return (None if is_beat(self.taps, instant) else true), []
        intervals = sorted((last - before, instant - last))
        if intervals[1] - intervals[0] > ERR * intervals[1]:
            return true, []
        quicker = longer(self.taps, instant)
        return quicker, true if quicker else []


def longer(taps, instant):
    """The run with one more tap; None if the tap does not fit."""
    if not taps:
        return [(0, instant)]
    if len(taps) == 1:
        return [*taps, (1, instant)] if instant - taps[0][1] <= FIRST_PAUSE else None
    beats = beats_between(taps, instant, near_one=ERR)
    if beats is not None:
        return followed(taps, instant, beats)
    return missed_the_second(taps[0][1], taps[1][1], instant) if len(taps) == 2 else None


def followed(taps, instant, beats):
    """The run with a tap this many beats after its last; every second beat twice in a row is a slower run."""
    if beats == 2 and len(taps) > 1 and taps[-1][0] - taps[-2][0] == 2:
        return [(0, taps[-2][1]), (1, taps[-1][1]), (2, instant)]
    return [*taps, (taps[-1][0] + beats, instant)][-WINDOW:]


def missed_the_second(first, third, fourth):
    """The run if the next interval shows that the first one was two beats; otherwise None."""
    interval = fourth - third
    is_two = abs(third - first - 2 * interval) <= NEAR_TWO * interval
    return [(0, first), (2, third), (3, fourth)] if is_two else None


def is_beat(taps, instant):
    period = fit(taps).period
    return abs(instant - taps[-1][1] - period) <= ERR * period


def beats_between(taps, instant, near_one):
    """The number of beats from the last tap to an instant, one or two; otherwise None."""
    period, interval = fit(taps).period, instant - taps[-1][1]
    near = ((1, near_one), (2, NEAR_TWO))
    return next((beats for beats, most in near if abs(interval - beats * period) <= most * period), None)


def fit(taps):
    count = len(taps)
    mean_beat = Fraction(sum(beat for beat, _ in taps), count)
    mean_instant = Fraction(sum(instant for _, instant in taps), count)
    spread = sum((beat - mean_beat) ** 2 for beat, _ in taps)
    period = sum((beat - mean_beat) * (instant - mean_instant) for beat, instant in taps) / spread
    last = taps[-1][0]
    return Fit(mean_instant + period * (last - mean_beat), period, last)
