"""What a metronome plays: settings, and the beats from a start to a stop.

Written from the rules, not from the program: beats at anchor + floor(n * 240e12 / (milliBPM * denominator)) ns, phase
kept across changes. Exact: integers and fractions of integers.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

DENOMINATORS = (4, 8, 16, 32)
"""What the denominator button steps through; the numerator never exceeds the denominator."""
TEMPI = (1000, 999_000)
"""The slowest and the fastest, in thousandths of a BPM."""


@dataclass(frozen=True)
class Settings:
    tempo: int = 120_000
    numerator: int = 4
    denominator: int = 4

    @property
    def interval(self):
        """From beat to beat, in nanoseconds."""
        return Fraction(240 * 10**12, self.tempo * self.denominator)

    def at(self, tempo):
        return replace(self, tempo=min(max(tempo, TEMPI[0]), TEMPI[1]))

    def after(self, word, number=0):
        """After a command, as configurations call them; faster and slower by thousandths."""
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
    """From when on it holds; a change before that holds from there on."""

    def beat(self, index):
        n = index - self.first
        beats = self.settings.numerator
        start = self.place_before + 1 if self.place_before + 1 < beats else 0
        return Beat(self.anchor + floor(n * self.settings.interval), index, (start + n) % beats)

    def changed(self, settings, instant):
        """The stretch that follows from an instant on: what remained of the beat as a fraction remains."""
        interval = self.settings.interval
        instant = max(instant, self.since)
        n = max(0, ceil((instant - self.anchor) / interval))
        if self.first + n == 0:
            return Stretch(self.anchor, 0, self.place_before, settings, instant)
        left = (n * interval - (instant - self.anchor)) / interval
        place = self.beat(self.first + n - 1).position if n > 0 else self.place_before
        return Stretch(instant + floor(left * settings.interval), self.first + n, place, settings, instant)


class Session:
    """From a start to a stop."""

    def __init__(self, start, settings, place=0):
        self.stretches = [Stretch(start, 0, place - 1, settings, start)]
        self.changes = []
        """For each change: when it was asked for, and the stretches as they were before."""
        self.end = None
        self.slack = 0
        """How much later than that it may really end, when no hand ends it."""
        self.gaps = []
        """(from, to): stopped, and that was taken back."""
        self.follows_taps = False
        self.asked = None
        """The press that started it."""
        self.is_anchored_by_light = False
        """It began by itself, at an instant that only its first flash tells."""

    def change(self, settings, asked, effect):
        self.put(asked, self.stretches[-1].changed(settings, effect))

    def put(self, asked, *stretches):
        self.changes.append((asked, list(self.stretches)))
        self.stretches += stretches

    def recall(self, settings, asked, effect):
        """A preset begins with the first bar that begins at the effect of the press or after it."""
        beat = self.first_beat(effect)
        while not beat.is_first:
            beat = self.beat(beat.index + 1)
        self.put(asked, Stretch(beat.instant, beat.index, -1, settings, beat.instant))

    def restore(self, stretches, asked, effect):
        """What was changed falls again where it would have fallen; the bar goes on where it is."""
        following = self.first_beat(effect)
        was = beat_of(stretches, following.index)
        if was.instant < effect or stretches[-1].since > effect:
            return self.change(stretches[-1].settings, asked, effect)
        if following.index and self.breaks(following, was, stretches):
            return self.change(stretches[-1].settings, asked, effect)
        place = self.beat(following.index - 1).position if following.index else -1
        self.put(asked, Stretch(was.instant, following.index, place, stretches[-1].settings, effect))

    def breaks(self, following, was, stretches):
        """Whether the next beat, where it would have fallen, comes later after the last one than any interval in force
        lets it, or in less than half of one. Only a beat that the undone change moved can do that."""
        played = self.beat(following.index - 1)
        if played.instant == beat_of(stretches, played.index).instant:
            return False
        intervals = (following.instant - played.instant, floor(stretches[-1].settings.interval))
        gap = was.instant - played.instant
        return gap > max(intervals) or 2 * gap < min(intervals)

    def follow(self, fit, settings, asked, effect):
        """The beat nearest to a tap is the tap's; those after it fall as the fingers' own fit has them."""
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

    def go_on_with(self, fit):
        """Begun by a tap, the first beat is that tap's, a little late; the others are where the fingers have them."""
        first = self.stretches[-1]
        second = fit.beat_after(first.anchor)
        self.stretches.append(Stretch(second, 1, first.place_before + 1, first.settings, first.anchor))
        self.follows_taps = True

    @property
    def start(self):
        return self.stretches[0].anchor

    def settings_at(self, instant):
        """Those that are heard, not those that were announced and wait."""
        held = [stretch for stretch in self.stretches if stretch.since <= instant]
        return (held or self.stretches[:1])[-1].settings

    def waits_for_a_bar(self, effect):
        """Whether a recall is to come in with a bar that begins at the effect of a press or after it."""
        last = self.stretches[-1]
        return last.place_before == -1 and last.since >= effect

    def beat(self, index):
        return beat_of(self.stretches, index)

    def first_beat(self, instant):
        """The first at an instant or after it."""
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
        """Every instant at which, while this beat lasted, the next was to come: more than one if a change came in."""
        instants = {self.beat(beat.index + 1).instant}
        for asked, before in self.changes:
            if beat.instant <= asked <= max(instants):
                instants.add(beat_of(before, beat.index + 1).instant)
        return instants


def beat_of(stretches, index):
    return next(stretch for stretch in reversed(stretches) if stretch.first <= index).beat(index)
