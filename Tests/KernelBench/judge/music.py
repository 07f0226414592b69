"""The beats that a metronome must play: settings, and the beats from a start to a stop.

It is derived from the rules, not from the program: beats are at anchor + floor(n * 240e12 / (milliBPM * denominator)) ns, and
changes keep the phase. All arithmetic is exact, with integers and fractions.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

DENOMINATORS = (4, 8, 16, 32)
"""The values that the denominator button cycles through; the numerator never exceeds the denominator."""
TEMPI = (1000, 999_000)
"""The lowest and the highest tempo, in thousandths of a BPM."""


@dataclass(frozen=True)
class Settings:
    tempo: int = 120_000
    numerator: int = 4
    denominator: int = 4

    @property
    def interval(self):
        """The beat interval, in nanoseconds."""
        return Fraction(240 * 10**12, self.tempo * self.denominator)

    def at(self, tempo):
        return replace(self, tempo=min(max(tempo, TEMPI[0]), TEMPI[1]))

    def after(self, word, number=0):
        """The settings after a command, named as in a configuration; faster and slower in thousandths of a BPM.

        Subdivisions and accents are not judged: a run must not have a dotted beat."""
        if word in ("faster", "slower"):
            return self.at(self.tempo + (number if word == "faster" else -number))
        if word == "tempo":
            return self.at(number)
        if word in ("numerator_next", "numerator_previous"):
            step = 0 if word == "numerator_next" else -2
            return replace(self, numerator=(self.numerator + step) % self.denominator + 1)
        if word in ("denominator_next", "denominator_previous"):
            step = 1 if word == "denominator_next" else -1
            denominator = DENOMINATORS[(DENOMINATORS.index(self.denominator) + step) % len(DENOMINATORS)]
            return replace(self, numerator=min(self.numerator, denominator), denominator=denominator)
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
    since: int
    """When the stretch takes effect. A change with an earlier effect is delayed to this instant."""

    def beat(self, index):
        n = index - self.first
        beats = self.settings.numerator
        start = self.place_before + 1 if self.place_before + 1 < beats else 0
        return Beat(self.anchor + floor(n * self.settings.interval), index, (start + n) % beats)

    def changed(self, settings, instant):
        """The next stretch, from an instant on. The remaining fraction of the current beat is kept."""
        interval = self.settings.interval
        instant = max(instant, self.since)
        n = max(0, ceil((instant - self.anchor) / interval))
        if self.first + n == 0:
            return Stretch(self.anchor, 0, self.place_before, settings, instant)
        left = (n * interval - (instant - self.anchor)) / interval
        place = self.beat(self.first + n - 1).position if n > 0 else self.place_before
        return Stretch(instant + floor(left * settings.interval), self.first + n, place, settings, instant)


class Session:
    """The beats from a start to a stop."""

    def __init__(self, start, settings, place=0):
        self.stretches = [Stretch(start, 0, place - 1, settings, start)]
        self.changes = []
        """For each change: the time of the request, and the stretches before it."""
        self.end = None
        self.slack = 0
        """How much later the session may end if no press ends it, in nanoseconds."""
        self.gaps = []
        """(from, to): stops that were undone."""
        self.follows_taps = False
        self.asked = None
        """The press that started it."""
        self.is_anchored_by_light = False
        """It started automatically, at an instant known only from its first flash."""

    def change(self, settings, asked, effect):
        self.put(asked, self.stretches[-1].changed(settings, effect))

    def put(self, asked, *stretches):
        self.changes.append((asked, list(self.stretches)))
        self.stretches += stretches

    def recall(self, settings, asked, effect):
        """A preset starts with the first bar line at or after the effect of the press."""
        beat = self.first_beat(effect)
        while not beat.is_first:
            beat = self.beat(beat.index + 1)
        self.put(asked, Stretch(beat.instant, beat.index, -1, settings, beat.instant))

    def restore(self, stretches, asked, effect):
        """Undoes a change: the beats return to their former instants; the position in the bar continues."""
        following = self.first_beat(effect)
        was = beat_of(stretches, following.index)
        if was.instant < effect or stretches[-1].since > effect:
            return self.change(stretches[-1].settings, asked, effect)
        if following.index and self.breaks(following, was, stretches):
            return self.change(stretches[-1].settings, asked, effect)
        place = self.beat(following.index - 1).position if following.index else -1
        self.put(asked, Stretch(was.instant, following.index, place, stretches[-1].settings, effect))

    def breaks(self, following, was, stretches):
        """Whether the interval to the next beat, at its former instant, would be longer than both the old and the new
        interval, or shorter than half of the shorter one. Only a beat moved by the undone change can cause that."""
        played = self.beat(following.index - 1)
        if played.instant == beat_of(stretches, played.index).instant:
            return False
        intervals = (following.instant - played.instant, floor(stretches[-1].settings.interval))
        gap = was.instant - played.instant
        return gap > max(intervals) or 2 * gap < min(intervals)

    def follow(self, fit, settings, asked, effect):
        """The beat nearest to the last tap moves to it; the following beats continue the fit of the taps."""
        after = self.first_beat(ceil(fit.instant))
        near = self.beat(max(after.index - 1, 0))
        if after.instant - fit.instant < abs(fit.instant - near.instant):
            near = after
        following = Stretch(fit.beat_after(effect), near.index + 1, near.position, settings, effect)
        if near.instant < effect:
            self.put(asked, following)
        else:
            self.put(asked, Stretch(effect, near.index, near.position - 1, settings, effect), following)
        self.follows_taps = True

    def continue_with(self, fit):
        """After a start by taps the first beat belongs to the last tap, slightly late; the others follow the fit."""
        first = self.stretches[-1]
        second = fit.beat_after(first.anchor)
        self.stretches.append(Stretch(second, 1, first.place_before + 1, first.settings, first.anchor))
        self.follows_taps = True

    @property
    def start(self):
        return self.stretches[0].anchor

    def settings_at(self, instant):
        """The settings that are audible, not announced ones that are still pending."""
        held = [stretch for stretch in self.stretches if stretch.since <= instant]
        return (held or self.stretches[:1])[-1].settings

    def waits_for_a_bar(self, effect):
        """Whether a pending recall starts at a bar line at or after the effect of a press."""
        last = self.stretches[-1]
        return last.place_before == -1 and last.since >= effect

    def beat(self, index):
        return beat_of(self.stretches, index)

    def first_beat(self, instant):
        """The first beat at or after an instant."""
        index = 0
        for stretch in self.stretches:
            if stretch.anchor <= instant:
                index = stretch.first + floor((instant - stretch.anchor) / stretch.settings.interval)
        index = max(index - 1, 0)
        while self.beat(index).instant < instant:
            index += 1
        return self.beat(index)

    def beats(self, until):
        """The beats before an instant."""
        found = []
        for stretch, following in zip(self.stretches, self.stretches[1:] + [None]):
            index = stretch.first
            while following is None or index < following.first:
                beat = stretch.beat(index)
                if beat.instant >= until:
                    break
                found.append(beat)
                index += 1
        return found

    def following(self, beat):
        """The instants at which the next beat was due during this beat: several if the settings changed meanwhile."""
        instants = {self.beat(beat.index + 1).instant}
        for asked, before in self.changes:
            if beat.instant <= asked <= max(instants):
                instants.add(beat_of(before, beat.index + 1).instant)
        return instants


def beat_of(stretches, index):
    return next(stretch for stretch in reversed(stretches) if stretch.first <= index).beat(index)
