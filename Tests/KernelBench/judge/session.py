"""The beats and hits from a start to a stop: the stretches of a session, and the changes while it plays."""

from bisect import bisect_right
from math import ceil, floor

import rhythm
from music import Hit, Stretch
from rhythm import Rhythm

FRESH = 1_000_000
"""The time after its request by which all outputs know a change."""


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
        for stretch in stretches:
            self.stretches.append(stretch.after(self.stretches[-1]))

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

    @property
    def has_hits(self):
        """Whether there may be hits within beats, or beats that rest."""
        settings = [stretch.settings for stretch in self.stretches]
        return any(one.metre.notes_in_beat > 1 or one.rhythm != Rhythm() for one in settings)

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

    def hits(self, until):
        """The hits of all voices before an instant, also the beats, in order of time."""
        return sorted(
            (hit for hit in hits_of(self.stretches, until) if hit.instant < until),
            key=lambda hit: (hit.instant, hit.voice, hit.index, hit.part))

    def pulses(self, shows, until):
        """The beats and hits that a line shows before an instant, in order of time."""
        return shown_pulses(self.stretches, shows, until)

    def unsettled_hits(self, shows, until):
        """The hits that a line may show or not, because a change was requested while it depended on the following ones."""
        found = set()
        for asked, before in self.changes:
            since = asked - max(shows.widths.values()) * 2
            for stretches in (before, self.stretches):
                hits = [hit for hit in hits_of(stretches, min(until, asked + FRESH)) if not hit.is_beat]
                found.update(hit for hit in hits if since <= hit.instant <= asked + FRESH and hit.level in shows.levels)
        return found

    def following_pulses(self, shows, until):
        """A function for the same as `following`, for the pulses of a line that shows hits, too."""
        versions = [(0, self.stretches)] + self.changes
        instants = [[pulse.instant for pulse in shown_pulses(stretches, shows, until)] for _, stretches in versions]

        def after(instant, number):
            place = bisect_right(instants[number], instant)
            return instants[number][place] if place < len(instants[number]) else until

        def following(pulse):
            found = {after(pulse.instant, 0)}
            for number, (asked, _) in enumerate(self.changes):
                if pulse.instant <= asked <= max(found):
                    found.add(after(pulse.instant, number + 1))
            return found

        return following

    def following(self, beat):
        """The instants at which the next beat was due during this beat: several if the settings changed meanwhile."""
        instants = {self.beat(beat.index + 1).instant}
        for asked, before in self.changes:
            if beat.instant <= asked <= max(instants):
                instants.add(beat_of(before, beat.index + 1).instant)
        return instants


def beat_of(stretches, index):
    return next(stretch for stretch in reversed(stretches) if stretch.first <= index).beat(index)


def shown_pulses(stretches, shows, until):
    # The thinning looks ahead to the next beat.
    ahead = until + floor(2 * max(stretch.settings.interval for stretch in stretches))
    session = Session(0, stretches[0].settings)
    session.stretches = stretches
    beats = session.beats(ahead)
    hits = session.hits(beats[-1].instant) if beats else []
    found = [beat for beat in beats if beat.level != "rest"] + rhythm.shown(hits, beats, shows)
    return sorted((pulse for pulse in found if pulse.instant < until), key=lambda pulse: pulse.instant)


def hits_of(stretches, until):
    for place, stretch in enumerate(stretches):
        later = stretches[place + 1 :]
        index = stretch.first
        while not later or index < later[0].first:
            beat = stretch.beat(index)
            if beat.instant >= until:
                break
            ends = [one for one in later if one.first == index + 1] if later and later[0].first == index + 1 else []
            for voice in range(stretch.settings.rhythm.voices):
                sound = rhythm.sound_of(stretch.settings.rhythm, voice)
                for part, level in stretch.settings.hits(voice, index - stretch.origin):
                    instant = instant_within(stretch, ends, index + part) if part else beat.instant
                    yield Hit(instant, index, part, voice, level, sound)
            index += 1


def instant_within(stretch, ends, position):
    """The instant of a position within a beat. Changes within the beat keep the phase; a position that a change moves into the
    past is at the change."""
    latest = None
    for end in reversed(ends):
        instant = end.instant(position)
        if instant >= end.since:
            break
        latest = end.since
    else:
        instant = stretch.instant(position)
    return instant if latest is None else min(instant, latest)
