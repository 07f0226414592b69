"""The beats of a song of a score from a start to a stop, and a player for a score. Positions count beats, times are nanoseconds."""

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

import player
import rhythm
from music import Beat, Hit
from score import Pause, Section, plus
from session import Session

NEVER = 10**18
"""The instant of a beat that never comes: it stands after the last beat of a song."""
AHEAD = 10**10


@dataclass
class Placed:
    """A section that is played from a time on."""

    section: Section
    origin: object
    """When its first beat falls, after the count-in."""
    first: int
    """The number of its first beat since the start of playback."""
    end: int
    """The beat at which it ends or is left; None: without an end."""
    place: int
    """Of the section in its song."""
    number: int
    """The number of its first beat in the song."""
    count_in: int
    """The number of the beats before its first one."""
    instants: dict = field(default_factory=dict)

    def time(self, position):
        if position < 0:
            return plus(self.origin, position * self.section.first_interval)
        return plus(self.origin, self.section.curve.time(Fraction(position)))

    def instant(self, position):
        if position not in self.instants:
            self.instants[position] = floor(self.time(position))
        return self.instants[position]

    def beats(self, until):
        """The numbers of the beats before an instant, counted in the section; those of the count-in are negative."""
        beat = -self.count_in
        while (self.end is None or beat < self.end) and self.instant(beat) < until:
            yield beat
            beat += 1

    def is_silent(self, beat):
        return beat >= 0 and self.section.silences(beat, self.number + beat)

    def hits(self, beat, voice):
        """((part, level), …): the hits of a voice within a beat. A count-in has only beats."""
        metre = self.section.metre
        if beat < 0:
            return () if voice else ((Fraction(0), metre.level(beat % metre.beats)),)
        return rhythm.hits_in_beat(metre, self.section.rhythm, voice, beat)


class ScoreSession(Session):
    """The beats of a song from a start to a stop."""

    has_hits = True

    def __init__(self, song, place, start):
        self.stretches, self.changes, self.gaps = [], [], []
        self.song, self.first_beat_at = song, start
        self.follows_taps = self.is_anchored_by_light = False
        self.asked = None
        self.placed = []
        self.play(place, start, 0)

    @property
    def start(self):
        return self.first_beat_at

    def play(self, place, at, index):
        """Plays the parts from a place on, up to a pause that waits, a section without an end, or the end of the song."""
        self.end, self.slack, self.waits = None, 0, None
        for place, (part, number) in list(enumerate(self.song.played))[place:]:
            if isinstance(part, Pause) and part.duration is None:
                if self.placed:
                    self.waits = (place + 1, ceil(at), index)
                    return
            elif isinstance(part, Pause):
                at = plus(at, part.duration)
            else:
                is_first = not self.placed or place == 0
                count = max(part.count, self.song.count if is_first else 0) * part.metre.beats
                origin = plus(at, count * part.first_interval)
                one = Placed(part, origin, index + count, part.beats, place, number, count)
                self.placed.append(one)
                if one.end is None:
                    return
                at, index = one.time(one.end), one.first + one.end
        self.end, self.slack = ceil(at), player.SLACK

    def sounding(self, instant):
        return next((one for one in reversed(self.placed) if one.instant(-one.count_in) <= instant), self.placed[0])

    def go_on(self, effect):
        """Ends a pause that waits; false if there is none."""
        if self.waits is None or self.waits[1] > effect:
            return False
        place, _, index = self.waits
        self.play(place, effect, index)
        return True

    def leave(self, effect):
        """Leaves the sounding section or its count-in at the next bar line, or a pause at once."""
        if self.go_on(effect):
            return
        one = self.sounding(effect)
        self.placed = self.placed[: self.placed.index(one) + 1]
        if one.end is not None and one.instant(one.end) <= effect:
            return self.play(one.place + 1, effect, one.first + one.end)
        line = -one.count_in
        while one.instant(line) < effect:
            line += one.section.metre.beats
        one.end = line if one.end is None else min(line, one.end)
        self.play(one.place + 1, one.time(one.end), one.first + one.end)

    def beats(self, until):
        found = []
        for one in self.placed:
            for beat in one.beats(until):
                level = next((level for part, level in one.hits(beat, 0) if part == 0), "rest")
                place = beat % one.section.metre.beats
                found.append(Beat(one.instant(beat), one.first + beat, place, level, one.is_silent(beat)))
        return found

    def hits(self, until):
        found = []
        for one in self.placed:
            own = one.section.rhythm
            for beat in one.beats(until):
                for voice in range(own.voices):
                    for part, level in one.hits(beat, voice):
                        found.append(Hit(
                            one.instant(beat + part if part else beat), one.first + beat, part, voice, level,
                            rhythm.sound_of(own, voice), one.is_silent(beat), one.section.volume))  # fmt: skip
        found = [hit for hit in found if hit.instant < until]
        return sorted(found, key=lambda hit: (hit.instant, hit.voice, hit.index, hit.part))

    def pulses(self, shows, until):
        beats, hits = self.beats(until + AHEAD), self.hits(until + AHEAD)
        ends = [Beat(NEVER, beats[-1].index + 1, 0)] if beats else []
        found = [beat for beat in beats if beat.level != "rest"] + rhythm.shown(hits, beats + ends, shows)
        return sorted((pulse for pulse in found if pulse.instant < until), key=lambda pulse: pulse.instant)

    def following_pulses(self, shows, until):
        instants = [pulse.instant for pulse in self.pulses(shows, until)] + [until]
        return lambda pulse: {instants[bisect_right(instants, pulse.instant)]}

    def unsettled_hits(self, shows, until):
        """None: a section is left at a bar line, and a pause long after the last hit."""
        return set()


class ScorePlayer(player.Player):
    """Plays the songs of a score. Only the commands of the scenarios are known."""

    def __init__(self, songs, **others):
        super().__init__(**others)
        self.songs, self.song, self.place = songs, 0, 0

    def command(self, word, numbers, gesture):
        at, effect = gesture.instant, gesture.instant + self.rules.lead
        if self.playing and self.playing.end is not None and self.playing.end <= at:
            self.playing, self.song, self.place = None, (self.song + 1) % len(self.songs), 0
        if word == "play" and not self.playing:
            self.playing = ScoreSession(self.songs[self.song], self.place, effect)
            self.playing.asked = at
            self.sessions.append(self.playing)
        elif word == "play" and not self.playing.go_on(effect):
            self.place = self.playing.sounding(at).place
            self.playing.slack = 0
            self.stop(at)
        elif word in ("next_section", "next_numerator") and self.playing:
            self.playing.leave(effect)
        elif word in ("next_section", "next_numerator"):
            self.place = min(self.place + 1, len(self.songs[self.song].played) - 1)
        elif word != "play":
            raise ValueError(f"the judge has no rule for {word} in a score")
