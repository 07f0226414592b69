"""The tempo that fingers tap: least squares over the last taps, in fractions, so that nothing is rounded on the way."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

MS = 1_000_000
WINDOW = 8
LEAST = 3
"""Taps that make a tempo."""
TOO_CLOSE = 60 * MS
"""A tap sooner than this after the one before is none."""
FIRST_PAUSE = 2800 * MS
"""After a first tap: longer than this, and the next is a first one, too."""
ERR = Fraction(2, 5)
"""What fingers may err, of an interval."""


@dataclass(frozen=True)
class Fit:
    instant: Fraction
    """Of the last tap, as all taps of the window have it."""
    period: Fraction
    beats: int
    """From the first tap of the run to the last."""

    def tempo(self, denominator, rounds):
        """In thousandths of a BPM: beats are notes of the denominator, tempi count quarters."""
        exact = Fraction(60 * 10**9) / self.period * 4 / denominator
        step = 1000 if rounds else 1
        return floor(exact * 1000 / step + Fraction(1, 2)) * step

    def beat_after(self, instant):
        """The first beat after the last tap's that falls after an instant."""
        beat = self.instant + self.period
        while beat <= instant:
            beat += self.period
        return floor(beat)


class Taps:
    def __init__(self):
        self.taps = []
        """(number of the beat, instant)"""

    def end(self):
        self.taps = []

    def tap(self, instant):
        """The fit, or None as long as there is no tempo."""
        beats = self.beats_since(instant)
        if beats == 0:
            return None
        if beats is None:
            self.taps = [(0, instant)]
        else:
            self.taps = (self.taps + [(self.taps[-1][0] + beats, instant)])[-WINDOW:]
        return self.fit() if len(self.taps) >= LEAST else None

    def beats_since(self, instant):
        """Beats since the last tap: 0 if this is none, None if a new run begins with it."""
        if not self.taps:
            return None
        interval = instant - self.taps[-1][1]
        if interval < TOO_CLOSE:
            return 0
        if len(self.taps) == 1:
            return 1 if interval <= FIRST_PAUSE else None
        period = self.fit().period
        if len(self.taps) == 2 and self.has_missed_the_second(interval, period):
            (_, first), (_, second) = self.taps
            self.taps = [(0, first), (2, second)]
            return 1
        return next((n for n in (1, 2) if abs(interval - n * period) <= ERR * period), None)

    @staticmethod
    def has_missed_the_second(interval, period):
        """Whether the one interval that there is was two beats, as the next one shows."""
        fits = any(abs(interval - n * period) <= ERR * period for n in (1, 2))
        return not fits and abs(period - 2 * interval) <= ERR * interval

    def fit(self):
        count = len(self.taps)
        mean_beat = Fraction(sum(beat for beat, _ in self.taps), count)
        mean_instant = Fraction(sum(instant for _, instant in self.taps), count)
        spread = sum((beat - mean_beat) ** 2 for beat, _ in self.taps)
        period = sum((beat - mean_beat) * (instant - mean_instant) for beat, instant in self.taps) / spread
        last = self.taps[-1][0]
        return Fit(mean_instant + period * (last - mean_beat), period, last)
