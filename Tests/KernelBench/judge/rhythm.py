"""The rhythms that a metronome must play: from the text of a rhythm to the hits of a bar, and which of them a line shows.

It is derived from the pages Rhythm and Configuration, not from the program. Positions are exact fractions: within a
voice they count notes, and everywhere else beats.
"""

from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import floor

LEVELS = {"X": "strong", "Y": "medium", "x": "weak", "o": "ghost", ".": "rest"}
LOUDNESS = {"rest": 0, "ghost": 1, "weak": 2, "medium": 3, "strong": 4}
LOUDER = {"strong": "strong", "medium": "strong", "weak": "medium", "ghost": "weak"}
CLAVES = {
    "son32": "X.|.x|..|x.|..|x.|x.|..", "son23": "..|x.|x.|..|X.|.x|..|x.",
    "rumba32": "X.|.x|..|.x|..|x.|x.|..", "rumba23": "..|x.|x.|..|X.|.x|..|.x",
}  # fmt: skip
STEPS = (1, 2, 3, 4, 6)
"""The subdivisions that a button steps through, before swing."""


@dataclass(frozen=True)
class Metre:
    """A signature, with groups or without, and the note that the tempo counts."""

    numerator: int = 4
    denominator: int = 4
    groups: tuple = ()
    unit: Fraction = Fraction(1, 4)

    @property
    def notes_in_beat(self):
        """More than one if the tempo counts dotted notes that fill the bar."""
        notes = self.unit * self.denominator
        is_filled = self.unit.numerator == 3 and notes.denominator == 1 and notes > 1 and self.numerator % notes == 0
        return int(notes) if is_filled else 1

    @property
    def beats(self):
        return self.numerator // self.notes_in_beat

    @property
    def beat(self):
        """The length of a beat, in notes that the tempo counts."""
        return Fraction(self.notes_in_beat, self.denominator) / self.unit

    def level(self, note):
        """The level of a note of the bar, without a pattern."""
        beats = (self.notes_in_beat,) * self.beats
        groups = self.groups or (beats if self.notes_in_beat > 1 else (self.numerator,))
        heads = {sum(groups[:number]) for number in range(len(groups))}
        return "strong" if note == 0 else "medium" if note in heads else "weak"

    def of(self, text):
        """The metre of a signature such as 4/4 or 2+2+3/8."""
        notes, denominator = text.split("/")
        groups = tuple(map(int, notes.split("+")))
        return replace(
            self, numerator=sum(groups), denominator=int(denominator), groups=groups if len(groups) > 1 else ())


@dataclass(frozen=True)
class Voice:
    """Cells of (notes, levels), in notes of its own denominator if it has one."""

    cells: tuple
    sound: str = "cowbell"
    denominator: int = None

    @property
    def notes(self):
        return sum(span for span, _ in self.cells)


@dataclass(frozen=True)
class Rhythm:
    pattern: Voice = None
    sub: int = 1
    swing: tuple = None
    """(share of the first note, 8 or 16)"""
    others: tuple = ()

    @property
    def voices(self):
        return 1 + len(self.others)


def parse(text):
    """The rhythm of a correct text."""
    words = text.split()
    rhythm, others, sounding = Rhythm(), [], None
    main = True
    while words:
        word = words.pop(0)
        if word == "&":
            main = False
            others.append(voice(words.pop(0), words))
        elif word.startswith("sub="):
            rhythm = replace(rhythm, sub=int(word[4:]))
        elif word.startswith("swing="):
            rhythm = replace(rhythm, swing=swing(word[6:]))
        elif word.startswith("sound="):
            others[-1] = replace(others[-1], sound=word[6:])
        elif main:
            rhythm = replace(rhythm, pattern=Voice(cells(word), "click"))
        else:
            raise ValueError(f"unknown word of a rhythm: {word}")
    return replace(rhythm, others=tuple(others))


def swing(text):
    share, _, level = text.partition("@")
    if share.endswith("%"):
        part = Fraction(share[:-1]) / 100
    else:
        long, short = map(int, share.split(":"))
        part = Fraction(long, long + short)
    return part, int(level or 8)


def voice(word, following):
    if word.startswith("clave="):
        return Voice(cells(CLAVES[word[6:]]), denominator=4)
    hits, colon, notes = word.partition(":")
    if colon and hits.isdigit() and notes.isdigit():
        return Voice(((int(notes), ("strong",) + ("weak",) * (int(hits) - 1)),))
    slots, at, signature = word.partition("@")
    if not at and following and following[0].startswith("@"):
        signature = following.pop(0)[1:]
    return Voice(cells(slots), denominator=int(signature.split("/")[1]) if signature else None)


def cells(text):
    if not any(mark in text for mark in "|:*"):
        return tuple((1, (LEVELS[slot],)) for slot in text)
    found = []
    for cell in text.removesuffix("|").split("|"):
        span, _, slots = cell.rpartition(":")
        slots, _, count = slots.partition("*")
        found += [(int(span or 1), tuple(LEVELS[slot] for slot in slots))] * int(count or 1)
    return tuple(found)


# --- Hits -------------------------------------------------------------------------------------------------------------


@cache
def cycle(metre, rhythm, number):
    """One cycle of a voice: (its length, [(position, level)]), both in beats."""
    if number:
        one = rhythm.others[number - 1]
    else:
        fits = rhythm.pattern and rhythm.pattern.notes % metre.numerator == 0
        rule = Voice(tuple((1, (metre.level(note),)) for note in range(metre.numerator)), "click")
        one = rhythm.pattern if fits else rule
    own = one.denominator or metre.denominator
    # Beats in a note of the voice.
    scale = Fraction(metre.denominator, own * metre.notes_in_beat)
    found, note = [], 0
    for span, levels in one.cells:
        if number == 0 and span == 1 and len(levels) == 1 and levels[0] != "rest":
            levels = levels + ("ghost",) * (rhythm.sub - 1)
        for slot, level in enumerate(levels):
            place = swung(rhythm.swing, Fraction(slot * span, len(levels)), Fraction(span, len(levels)), own)
            if level != "rest":
                found.append(((note + place) * scale, level))
        note += span
    return note * scale, tuple(found)


def swung(rule, place, slot, denominator):
    """The place of a slot after swing. Slots that divide a pair into two, four or eight move, and keep equal distances
    within each half."""
    if rule is None:
        return place
    share, level = rule
    pair = Fraction(2 * denominator, level)
    if pair > 1 or pair / slot not in (2, 4, 8):
        return place
    whole, part = divmod(place / pair, 1)
    moved = part * 2 * share if part < Fraction(1, 2) else share + (part - Fraction(1, 2)) * 2 * (1 - share)
    return (whole + moved) * pair


def hits_in_beat(metre, rhythm, number, beat):
    """The hits of a voice within the beat with this number since the cycles began: ((part of the beat, level), …)."""
    length, _ = cycle(metre, rhythm, number)
    return hits_of_cycle(metre, rhythm, number, beat % length.numerator)


@cache
def hits_of_cycle(metre, rhythm, number, beat):
    length, slots = cycle(metre, rhythm, number)
    found, turn = [], floor(beat / length)
    while turn * length < beat + 1:
        found += [(turn * length + at - beat, level) for at, level in slots if 0 <= turn * length + at - beat < 1]
        turn += 1
    return tuple(sorted(found))


def sound_of(rhythm, number):
    return rhythm.others[number - 1].sound if number else "click"


# --- The steps of the buttons -----------------------------------------------------------------------------------------


def stepped(rhythm, denominator, forward):
    """The rhythm with the next or previous subdivision: off, 2, 3, 4, 6, swing."""
    level = next((level for level in (8, 16) if level >= 2 * denominator), None)
    swings = replace(rhythm, sub=level // denominator, swing=(Fraction(2, 3), level)) if level else None
    if rhythm.swing is not None:
        return replace(rhythm, sub=1 if forward else STEPS[-1], swing=None)
    if forward:
        following = next((sub for sub in STEPS if sub > rhythm.sub), None)
        if following is None:
            return swings or replace(rhythm, sub=1)
        return replace(rhythm, sub=following)
    before = [sub for sub in STEPS if sub < rhythm.sub]
    if before:
        return replace(rhythm, sub=before[-1])
    return swings or replace(rhythm, sub=STEPS[-1])


def next_accents(metre, rhythm):
    """(metre, rhythm) with the next accents: plain, dotted, groups of two, groups of three, none."""
    notes = metre.numerator
    plain = replace(metre, groups=(), unit=Fraction(1, 4) if metre.unit.numerator == 3 else metre.unit)
    choices = [(plain, None)]
    if notes > 3 and notes % 3 == 0:
        choices.append((replace(plain, unit=Fraction(3, plain.denominator)), None))
    choices += [(replace(plain, groups=groups), None) for groups in orders(notes)]
    choices.append((plain, Voice(((1, ("weak",)),) * notes, "click")))
    place = choices.index((metre, rhythm.pattern)) if (metre, rhythm.pattern) in choices else -1
    metre, pattern = choices[(place + 1) % len(choices)]
    return metre, replace(rhythm, pattern=pattern)


def orders(notes):
    """The groups of twos and threes of a bar, in every order of rotation."""
    if notes < 4:
        return []
    few = (2,) * (notes // 2 - notes % 2) + (3,) * (notes % 2)
    twos = -notes % 3
    many = (3,) * ((notes - 2 * twos) // 3) + (2,) * twos
    found = []
    for first in (few, many):
        for moved in range(len(first)):
            order = first[len(first) - moved :] + first[: len(first) - moved]
            if order not in found:
                found.append(order)
    return found


# --- Lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shows:
    """What a line shows: the length of the pulse of each level, and the levels of the hits within beats."""

    widths: dict
    levels: frozenset

    def gap(self, level):
        """How close a hit may be to a beat, to a louder hit, or to a following hit that is equally loud: two pulses of the
        next louder level."""
        return 2 * self.widths[LOUDER[level]]


def shows(milliseconds, levels):
    """`100,70,50,20` and `strong,medium`."""
    widths = [round(float(width) * 1_000_000) for width in milliseconds.split(",")]
    return Shows(dict(zip(("strong", "medium", "weak", "ghost"), widths)), frozenset(levels.split(",")))


def shown(hits, beats, shows):
    """Which of the hits within beats a line shows. `hits`: all hits, also beats, in order of time; `beats`: all beats
    around them, also rests."""
    found, starts = [], [beat.instant for beat in beats]
    for place, hit in enumerate(hits):
        if hit.level not in shows.levels or hit.is_beat:
            continue
        own = bisect_right(starts, hit.instant) - 1
        is_rest, gap = beats[own].level == "rest", shows.gap(hit.level)
        if hit.instant == starts[own]:
            # Another voice is shown at a rest of the main one.
            if is_rest:
                found.append(hit)
            continue
        if not is_rest and hit.instant - starts[own] < gap or starts[own + 1] - hit.instant < gap:
            continue
        same = [other for other in at_once(hits, place) if other.level in shows.levels]
        if any(LOUDNESS[other.level] > LOUDNESS[hit.level] for other in same):
            continue
        near = [other for other in around(hits, place, gap) if other.level in shows.levels]
        louder = [LOUDNESS[other.level] - LOUDNESS[hit.level] for other in near]
        if not any(more > 0 or more == 0 and other.instant > hit.instant for more, other in zip(louder, near)):
            found.append(hit)
    return loudest(found)


def loudest(hits):
    """One hit of those at the same instant: the loudest."""
    found = {}
    for hit in hits:
        if hit.instant not in found or LOUDNESS[hit.level] > LOUDNESS[found[hit.instant].level]:
            found[hit.instant] = hit
    return list(found.values())


def at_once(hits, place):
    """The hits at the instant of one."""
    first = last = place
    while first > 0 and hits[first - 1].instant == hits[place].instant:
        first -= 1
    while last + 1 < len(hits) and hits[last + 1].instant == hits[place].instant:
        last += 1
    return hits[first : last + 1]


def around(hits, place, gap):
    """The hits less than `gap` before or after one, without those at its own instant."""
    instant = hits[place].instant
    for numbers in range(place - 1, -1, -1), range(place + 1, len(hits)):
        for number in numbers:
            if abs(hits[number].instant - instant) >= gap:
                break
            if hits[number].instant != instant:
                yield hits[number]
