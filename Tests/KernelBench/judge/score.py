"""A score, read from its text: songs, their sections with changes of tempo, repeats and pauses. The module score_player plays it.

The tempi are those of Tests/ScoreModel: exact fractions, and decimals of 60 digits for changes of tempo. The text is read here,
with the forms that the scenarios use. Positions count beats, times are nanoseconds.
"""

import re
import sys
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from pathlib import Path

import rhythm
from rhythm import Metre, Rhythm

sys.path.append(str(Path(__file__).resolve().parents[2] / "ScoreModel"))
import model  # noqa: E402

MASK = 2**64 - 1


@dataclass(frozen=True)
class Section:
    metre: Metre
    rhythm: Rhythm
    curve: object
    bars: int = None
    """None: without an end."""
    count: int = 0
    volume: float = 1
    mute: tuple = None
    """(sounding, silent, whether it counts beats instead of bars)"""
    drop: tuple = (0, 0)
    """(per cent, the bars in which it grows)"""
    seed: int = 1

    @property
    def beats(self):
        return None if self.bars is None else self.bars * self.metre.beats

    @property
    def first_interval(self):
        return self.curve.runs[0][1] if isinstance(self.curve, model.Runs) else self.curve.first

    def silences(self, beat, number):
        """Whether a beat is silent. `number` counts from the beginning of the song."""
        if self.mute:
            sounding, silent, counts_beats = self.mute
            if (beat if counts_beats else beat // self.metre.beats) % (sounding + silent) >= sounding:
                return True
        percent, growth = self.drop
        grown = Fraction(min(beat // self.metre.beats, growth), growth) if growth else 1
        return Fraction(split_mix(self.seed, number) * 100, 2**64) < percent * grown


@dataclass(frozen=True)
class Pause:
    duration: object
    """None: until the musician goes on."""


@dataclass
class Song:
    count: int = 0
    scale: int = 1000
    parts: list = field(default_factory=list)
    """Sections, pauses, and blocks as pairs of a number and their parts."""

    @cached_property
    def played(self):
        """(part, the number of the beats before it in the song), with the repetitions one after another."""
        found, beats = [], 0
        for part in unrolled(self.parts):
            found.append((part, beats))
            beats += (part.beats or 0) if isinstance(part, Section) else 0
        return found


def unrolled(parts):
    for part in parts:
        if isinstance(part, tuple):
            for _ in range(part[0]):
                yield from unrolled(part[1])
        else:
            yield part


def split_mix(seed, index):
    """The number of SplitMix64 with this index."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


# --- The text ---------------------------------------------------------------------------------------------------------

NUMBER = r"\d+(?:\.\d+)?"
STEPS = re.compile(rf"({NUMBER})([+-])({NUMBER})/(\d+)(bar|beat|s)\.\.({NUMBER})(?:!(stay|stop|again|reverse))?")
CHANGE = re.compile(rf"({NUMBER}(?:us)?)([->~])({NUMBER}(?:us)?)")


class Reader:
    """Reads a correct score."""

    def __init__(self, text):
        self.songs, self.tempo, self.section, self.entry = [], None, None, None
        self.blocks = []
        for line in text.splitlines():
            words = line.split("#")[0].split()
            if words:
                self.read(words)
        self.finish()

    def read(self, words):
        if words[0] == "&":
            self.entry = self.entry[0], [*self.entry[1], *words]
            return
        self.finish()
        if words[0] == "song":
            self.songs.append(Song())
            self.blocks, self.tempo, self.section = [self.songs[-1].parts], None, None
            for key, value in options(words):
                setattr(self.songs[-1], key, int(value) if key == "count" else round(Fraction(value[:-1]) * 10))
            return
        if not self.songs:
            self.songs, self.blocks = [Song()], []
            self.blocks.append(self.songs[0].parts)
        if words[0][0] == "{":
            inner = []
            self.blocks[-1].append((int("".join(words)[1:]), inner))
            self.blocks.append(inner)
        elif words[0] == "}":
            self.blocks.pop()
        else:
            words = words[1:] if words[0].endswith(":") else words
            if words[0] == "pause":
                self.blocks[-1].append(Pause(self.pause(words[1])))
            else:
                self.read_entry(words)

    def pause(self, text):
        if text == "wait":
            return None
        if text.endswith("beat"):
            # As if the section before it went on.
            end, beats = self.section.beats, int(text[:-4])
            return plus(self.section.curve.time(end + beats), -self.section.curve.time(end))
        return Fraction(text[:-1]) * 10**9

    def read_entry(self, words):
        bars = None if words[0] == "*" else int(words[0])
        signature = words[1] if "/" in words[1] and words[1][-1].isdigit() and ".." not in words[1] else None
        metre = Metre().of(signature or "4/4")
        tempo, *rest = words[2 if signature else 1 :]
        scale = Fraction(4, metre.denominator) * Fraction(1000, self.songs[-1].scale)
        curve, bars = self.curve(tempo, bars, metre.beats, scale)
        section = Section(metre, Rhythm(), curve, bars)
        pattern = []
        for word in rest:
            if re.fullmatch(NUMBER, word):
                section = replace(section, volume=float(word))
            elif "=" not in word or word.startswith(("sub=", "swing=")):
                pattern.append(word)
        for key, value in options(rest):
            if key in ("count", "seed"):
                section = replace(section, **{key: int(value)})
            elif key == "vol":
                section = replace(section, volume=float(value))
            elif key == "mute":
                sounding, silent, unit = re.fullmatch(r"(\d+)/(\d+)(bar|beat)", value).groups()
                section = replace(section, mute=(int(sounding), int(silent), unit == "beat"))
            elif key == "drop":
                percent, growth = re.fullmatch(r"(\d+)%(?::(\d+)bar)?", value).groups()
                section = replace(section, drop=(int(percent), int(growth or 0)))
            elif key not in ("sub", "swing"):
                raise ValueError(f"unknown option of a score: {key}")
        self.entry = section, pattern

    def finish(self):
        """Ends the entry, to which no further voice belongs."""
        if self.entry is not None:
            section, words = self.entry
            self.section, self.entry = replace(section, rhythm=rhythm.parse(" ".join(words))), None
            self.blocks[-1].append(self.section)

    def curve(self, text, bars, beats_in_bar, scale):
        """(the curve of a tempo, the bars of its section)"""
        if found := STEPS.fullmatch(text):
            return self.steps(*found.groups(), bars, beats_in_bar, scale)
        if found := CHANGE.fullmatch(text):
            first, sign, last = found.groups()
            self.tempo = interval(last)
            return model.Change(sign, bars * beats_in_bar, interval(first) * scale, self.tempo * scale), bars
        tempi = [self.tempo] if text == "=" else [interval(word) for word in text.split(",")]
        self.tempo = tempi[-1]
        return model.Runs([(1, tempo * scale) for tempo in tempi]), bars

    def steps(self, first, sign, step, length, unit, last, end, bars, beats_in_bar, scale):
        tempo, step, last, length = Fraction(first), Fraction(sign + step), Fraction(last), int(length)
        tempi = []
        while (tempo - last) * step < 0:
            tempi.append(tempo)
            tempo += step
        tempi.append(last)
        self.tempo = model.MINUTE / last
        if end == "reverse":
            tempi += tempi[-2:0:-1]
        runs, beat, time = [], 0, Fraction(0)
        for number, tempo in enumerate(tempi, 1):
            own = model.MINUTE / tempo * scale
            beats = length * beats_in_bar if unit == "bar" else length
            if unit == "s":
                # To the first bar line at or after the time, to the nearest nanosecond; at least one bar.
                at = beat + max(0, ceil((number * length * 10**9 - model.HALF - time) / own))
                beats = max(-(-at // beats_in_bar) * beats_in_bar - beat, beats_in_bar)
            runs.append((beats, own))
            beat, time = beat + beats, time + beats * own
        if end == "stop":
            ends = -(-beat // beats_in_bar)
            bars = ends if bars is None else min(bars, ends)
        return model.Runs(runs, end in ("again", "reverse")), bars


def options(words):
    return [word.split("=", 1) for word in words if "=" in word and word != "="]


def interval(text):
    """The duration of a quarter."""
    return Fraction(text[:-2]) * 1000 if text.endswith("us") else model.MINUTE / Fraction(text)


def plus(*times):
    """The sum: a fraction as long as all are fractions."""
    if all(isinstance(time, (int, Fraction)) for time in times):
        return sum(times)
    return sum(map(model.decimal, times))
