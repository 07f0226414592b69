"""What a metronome must play, worked out from the presses alone.

Written from the rules, not from the program: beats at anchor + floor(n * 240e12 / (milliBPM * denominator)) ns, phase
kept across changes. Exact: integers and fractions of integers.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

DENOMINATORS = (4, 8, 16, 32)
"""What the denominator button steps through; the numerator never exceeds the denominator."""


@dataclass(frozen=True)
class Settings:
    tempo: int = 120_000
    numerator: int = 4
    denominator: int = 4

    @property
    def interval(self):
        """From beat to beat, in nanoseconds."""
        return Fraction(240 * 10**12, self.tempo * self.denominator)

    def after(self, button):
        if button == "faster":
            return Settings(min(self.tempo + 1000, 999_000), self.numerator, self.denominator)
        if button == "slower":
            return Settings(max(self.tempo - 1000, 1000), self.numerator, self.denominator)
        if button == "numerator":
            return Settings(self.tempo, self.numerator % self.denominator + 1, self.denominator)
        if button == "denominator":
            place = DENOMINATORS.index(self.denominator)
            denominator = DENOMINATORS[(place + 1) % len(DENOMINATORS)]
            return Settings(self.tempo, min(self.numerator, denominator), denominator)
        return self


@dataclass(frozen=True)
class Beat:
    instant: int
    index: int
    position: int

    @property
    def is_first(self):
        return self.position == 0

    @property
    def is_odd(self):
        return self.index % 2 == 1


@dataclass(frozen=True)
class Stretch:
    """Beats at one tempo in one signature."""

    anchor: int
    first: int
    place_before: int
    settings: Settings

    def beat(self, index):
        n = index - self.first
        beats = self.settings.numerator
        start = self.place_before + 1 if self.place_before + 1 < beats else 0
        return Beat(self.anchor + floor(n * self.settings.interval), index, (start + n) % beats)

    def changed(self, settings, instant):
        """The stretch that follows from an instant on: what remained of the beat as a fraction remains."""
        interval = self.settings.interval
        n = max(0, ceil((instant - self.anchor) / interval))
        if self.first + n == 0:
            return Stretch(self.anchor, 0, self.place_before, settings)
        left = (n * interval - (instant - self.anchor)) / interval
        place = self.beat(self.first + n - 1).position if n > 0 else self.place_before
        return Stretch(instant + floor(left * settings.interval), self.first + n, place, settings)


class Session:
    """From a start to a stop."""

    def __init__(self, start, settings):
        self.stretches = [Stretch(start, 0, -1, settings)]
        self.changes = []
        """For each change: when it was asked for, and the stretches as they were before."""
        self.end = None

    def change(self, settings, asked, effective):
        self.changes.append((asked, list(self.stretches)))
        self.stretches.append(self.stretches[-1].changed(settings, effective))

    @property
    def start(self):
        return self.stretches[0].anchor

    def beat(self, index):
        return beat_of(self.stretches, index)

    def beats(self, until):
        """The beats before an instant."""
        found = []
        for stretch, following in zip(self.stretches, self.stretches[1:] + [None]):
            index = stretch.first
            while following is None or index < following.first:
                beat = stretch.beat(index)
                if beat.instant >= until:
                    return found
                found.append(beat)
                index += 1
        return found

    def following(self, beat):
        """Every instant at which, while this beat lasted, the next was to come: more than one if a change came in."""
        instants = {self.beat(beat.index + 1).instant}
        for asked, before in self.changes:
            if beat.instant <= asked <= max(instants):
                instants.add(beat_of(before, beat.index + 1).instant)
        return instants


def beat_of(stretches, index):
    return next(stretch for stretch in reversed(stretches) if stretch.first <= index).beat(index)


def sessions(presses, settings, lead):
    """What is to be played after these presses: (instant, button) in order of time; the lead in nanoseconds."""
    found, playing = [], None
    for instant, button in presses:
        if button == "play":
            if playing:
                playing.end = instant
                playing = None
            else:
                playing = Session(instant + lead, settings)
                found.append(playing)
        else:
            after = settings.after(button)
            if playing and after != settings:
                playing.change(after, instant, instant + lead)
            settings = after
    return found
