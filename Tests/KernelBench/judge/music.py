"""The beats that a metronome must play: settings, beats and hits, and stretches of beats at one tempo. A session plays them.

It is derived from the rules, not from the program: beats are at anchor + floor(n * interval) ns, and changes keep the
phase. A hit within a beat is at its fraction of the interval; see the module rhythm. All arithmetic is exact, with integers and fractions.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import rhythm
from rhythm import Metre, Rhythm

DENOMINATORS = (4, 8, 16, 32)
"""The values that the denominator button cycles through; the numerator never exceeds the denominator."""
TEMPI = (1000, 999_000)
"""The lowest and the highest tempo, in thousandths of a BPM."""
SOFTEST = 24
"""The number of steps of 1.5 dB from full volume to the softest."""


@dataclass(frozen=True)
class Settings:
    tempo: int = 120_000
    numerator: int = 4
    denominator: int = 4
    groups: tuple = ()
    unit: Fraction = Fraction(1, 4)
    """The note that the tempo counts."""
    rhythm: Rhythm = Rhythm()
    volume: int = 0
    """Steps of 1.5 dB below full volume."""

    @cached_property
    def interval(self):
        """The beat interval, in nanoseconds."""
        return Fraction(60 * 10**12, self.tempo) * self.metre.beat

    @cached_property
    def metre(self):
        return Metre(self.numerator, self.denominator, self.groups, self.unit)

    @cached_property
    def bar(self):
        """What a change of tempo does not change. A pattern that does not fill whole bars is ignored."""
        pattern = self.rhythm.pattern
        fits = pattern is None or pattern.notes % self.numerator == 0
        return self.metre, self.rhythm if fits else replace(self.rhythm, pattern=None)

    def hits(self, voice, beat):
        """((part, level), …): the hits of a voice within the beat with this number since the cycles began."""
        return rhythm.hits_in_beat(*self.bar, voice, beat)

    def at(self, tempo):
        return replace(self, tempo=min(max(tempo, TEMPI[0]), TEMPI[1]))

    def after(self, word, number=0):
        """The settings after a command, named as in a configuration; faster and slower in thousandths of a BPM."""
        if word in ("faster", "slower"):
            return self.at(self.tempo + (number if word == "faster" else -number))
        if word == "tempo":
            return self.at(number)
        if word in ("next_numerator", "previous_numerator"):
            step = 0 if word == "next_numerator" else -2
            numerator = (self.numerator + step) % self.denominator + 1
            return replace(self, numerator=numerator, groups=self.groups if numerator == self.numerator else ())
        if word in ("next_denominator", "previous_denominator"):
            step = 1 if word == "next_denominator" else -1
            denominator = DENOMINATORS[(DENOMINATORS.index(self.denominator) + step) % len(DENOMINATORS)]
            numerator = min(self.numerator, denominator)
            groups = self.groups if numerator == self.numerator else ()
            return replace(self, numerator=numerator, denominator=denominator, groups=groups)
        if word in ("next_subdivision", "previous_subdivision"):
            return replace(self, rhythm=rhythm.stepped(self.rhythm, self.denominator, word == "next_subdivision"))
        if word == "next_accents":
            metre, new = rhythm.next_accents(*self.bar)
            return replace(self, groups=metre.groups, unit=metre.unit, rhythm=new)
        if word in ("volume_up", "volume_down"):
            return replace(self, volume=min(max(self.volume + (-1 if word == "volume_up" else 1), 0), SOFTEST))
        return self


@dataclass(frozen=True)
class Beat:
    instant: int
    index: int
    position: int
    level: str = None
    """The rule of a bar without a pattern if left out."""
    is_silent: bool = False
    """Whether only the light shows it: see the module score."""

    def __post_init__(self):
        if self.level is None:
            object.__setattr__(self, "level", "strong" if self.position == 0 else "weak")

    @property
    def is_first(self):
        return self.position == 0

    @property
    def is_odd(self):
        return self.index % 2 == 1


@dataclass(frozen=True)
class Hit:
    """A sounding slot of a voice, at a part of the beat with this index."""

    instant: int
    index: int
    part: Fraction
    voice: int
    level: str
    sound: str
    is_silent: bool = False
    gain: float = 1

    @property
    def is_beat(self):
        return self.voice == 0 and self.part == 0


@dataclass(frozen=True)
class Stretch:
    """Beats at one tempo in one signature and rhythm."""

    anchor: int
    first: int
    place_before: int
    settings: Settings
    since: int
    """When the stretch takes effect. A change with an earlier effect is delayed to this instant."""

    origin: int = None
    """The beat at which the cycles of the voices begin; if left out, the bar line at or before the first beat."""
    exact: Fraction = None
    """The anchor before it was rounded down."""

    def __post_init__(self):
        if self.origin is None:
            object.__setattr__(self, "origin", self.first - self.start)

    @property
    def start(self):
        """The position of the first beat in its bar."""
        return self.place_before + 1 if self.place_before + 1 < self.settings.metre.beats else 0

    def beat(self, index):
        n = index - self.first
        level = next((level for part, level in self.settings.hits(0, index - self.origin) if part == 0), "rest")
        place = (self.start + n) % self.settings.metre.beats
        return Beat(self.anchor + floor(n * self.settings.interval), index, place, level)

    def instant(self, position):
        """The instant of a position in beats, extended to positions before the first beat."""
        n = position - self.first
        return floor((self.anchor if n >= 0 or self.exact is None else self.exact) + n * self.settings.interval)

    def after(self, other):
        """This stretch after another one: the cycles continue unless signature or rhythm change, or the bar lines move."""
        is_same = self.settings.bar == other.settings.bar
        if is_same and (self.origin - other.origin) % self.settings.metre.beats == 0:
            return replace(self, origin=other.origin)
        return self

    def changed(self, settings, instant):
        """The next stretch, from an instant on. The remaining fraction of the current beat is kept."""
        interval = self.settings.interval
        instant = max(instant, self.since)
        n = max(0, ceil((instant - self.anchor) / interval))
        if self.first + n == 0:
            return Stretch(self.anchor, 0, self.place_before, settings, instant)
        anchor = self.anchor if n or self.exact is None else self.exact
        exact = instant + (n * interval - (instant - anchor)) / interval * settings.interval
        place = self.beat(self.first + n - 1).position if n > 0 else self.place_before
        return Stretch(floor(exact), self.first + n, place, settings, instant, exact=exact)
