"""An independent model of scores: exact fractions for constant tempi, and decimals of 60 digits for changes of tempo.

It follows the definitions of the tempi, not the formulas of the program: a tempo is an integral, steps are walked one by one,
and repetitions are played one after another.
"""

from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

getcontext().prec = 60
MINUTE = 60 * 10**9
SECOND = 10**9
HALF = Fraction(1, 2)
# Sums of their beats are often whole seconds.
NOTES = ["1/1", "1/2", "1/4", "1/8", "1/16", "1/32", "3/2", "3/4", "3/8", "3/16", "3/32"]
SIGNS = {"1/4": ["1/4", "\u2669"], "3/8": ["3/8", "\u2669."], "1/8": ["1/8", "\u266a"], "3/16": ["3/16", "\u266a."]}
ROUND = [45, 60, 72, 75, 90, 120, 135, 150, 180, 225, 240, 270]


def decimal(number):
    """A fraction or a decimal as a decimal."""
    if isinstance(number, Decimal):
        return number
    number = Fraction(number)
    return Decimal(number.numerator) / Decimal(number.denominator)


def six_places(micro):
    """Millionths as a decimal without trailing zeros."""
    whole, rest = divmod(micro, 10**6)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


class Runs:
    """Beats of constant tempi, one run after another: pairs of a number of beats and the nanoseconds of a beat."""

    def __init__(self, runs, repeats=False):
        self.runs, self.repeats = runs, repeats
        self.beats = sum(beats for beats, _ in runs)

    def time(self, position):
        time = Fraction(0)
        if self.repeats:
            turns, position = divmod(position, self.beats)
            time += turns * sum(beats * interval for beats, interval in self.runs)
        for beats, interval in self.runs:
            part = min(position, beats)
            time, position = time + part * interval, position - part
        # The last tempo goes on.
        return time + position * self.runs[-1][1]

    @property
    def last(self):
        """The beat at which the last run begins."""
        return self.beats - self.runs[-1][0]


class Change:
    """A tempo that changes in a number of beats, from one interval to another in nanoseconds."""

    def __init__(self, sign, beats, first, last):
        self.sign, self.beats, self.first, self.last = sign, beats, first, last

    def time(self, position):
        within = min(position, self.beats)
        after = (position - within) * self.last
        share = Fraction(within) / self.beats
        start, end = 1 / self.first, 1 / self.last
        if self.first == self.last:
            return position * self.first
        if self.sign == "~":
            # The interval is linear in beats: the mean of the intervals at both ends of the way.
            return within * (2 * self.first + share * (self.last - self.first)) / 2 + after
        if self.sign == ">":
            # A constant acceleration: p = v · t + a · t² / 2, and v² grows by 2 · a · p.
            acceleration = (end**2 - start**2) / (2 * self.beats)
            speed = decimal(start**2 + 2 * acceleration * within).sqrt()
            return (speed - decimal(start)) / decimal(acceleration) + decimal(after)
        # The integral of 1 / v(p), where v(p) is linear in beats.
        slope = (end - start) / self.beats
        return decimal(1 + slope * within / start).ln() / decimal(slope) + decimal(after)


class Section:
    """An entry: its text, its tempo as a function of the position, and its length."""

    def __init__(self, text, curve, bars, beats_in_bar):
        self.text, self.curve, self.beats_in_bar = text, curve, beats_in_bar
        self.bars = bars
        """None without an end."""

    def bar_at(self, time):
        """The number of the first bar line at or after a time, to the nearest nanosecond."""
        time -= HALF
        low, high = 0, 1
        while self.curve.time(high * self.beats_in_bar) < time:
            high *= 2
        while low < high:
            middle = (low + high) // 2
            if self.curve.time(middle * self.beats_in_bar) < time:
                low = middle + 1
            else:
                high = middle
        return low

    @property
    def beats(self):
        return None if self.bars is None else self.bars * self.beats_in_bar

    @cached_property
    def duration(self):
        return Decimal(0) if self.bars is None else decimal(self.curve.time(self.beats))

    @cached_property
    def points(self):
        """Four positions: the time, and the first beat at or after it."""
        positions = [Fraction(7 * (self.beats or 100) * k + k, 28) for k in range(4)]
        return [(decimal(self.curve.time(position)), ceil(position)) for position in positions]


class Pause:
    def __init__(self, text, duration):
        self.text, self.duration, self.bars, self.beats = text, decimal(duration), 0, 0


class Block:
    def __init__(self, count, parts):
        self.count, self.parts = count, parts

    @property
    def bars(self):
        return self.count * sum(part.bars for part in self.parts)


def text(parts):
    lines = []
    for part in parts:
        lines += [f"{{{part.count}", *text(part.parts), "}"] if isinstance(part, Block) else [part.text]
    return lines


def played(parts):
    """The sections and pauses, repeated."""
    for part in parts:
        if isinstance(part, Block):
            for _ in range(part.count):
                yield from played(part.parts)
        else:
            yield part


class Writer:
    """Writes random songs of up to `room` bars."""

    def __init__(self, random, room):
        self.random, self.room = random, room
        self.longest = random.choice([1, 3, 12, 60, 400])
        # In thousandths.
        self.scale = random.choice([1000, 1000, 850, random.randint(10, 4000)])
        self.song_note = self.note = random.choice(["1/4", "1/4", random.choice(NOTES)])
        """What a tempo counts where the entry does not say it, and in the present entry."""
        self.is_round = False
        """Whether the next entry has only round tempi."""
        self.section = None
        self.tempo = None
        """The text and the interval of the quarter at the end of the entry before."""

    def song(self):
        parts = []
        while self.room > 0:
            parts += self.parts(self.room, 0)
            self.room -= sum(part.bars for part in parts[-1:])
        if self.random.random() < 0.1:
            parts.append(self.entry(None))
        share = six_places(self.scale * 10**5)
        beat = "" if self.song_note == "1/4" else f" beat={self.song_note}"
        return "\n".join([f'song "x"{beat} scale={share}%', *text(parts), ""]), parts

    def parts(self, room, depth):
        """One part, with pauses before it."""
        parts = [self.pause()] if self.random.random() < 0.08 else []
        if depth < 8 and self.random.random() < 0.25:
            count = min(room, self.random.choice([1, 2, 3, 8, self.random.randint(1, 2000)]))
            inner = []
            while not inner or self.random.random() < 0.6:
                left = room // count - sum(part.bars for part in inner)
                if left <= 0:
                    break
                inner += self.parts(left, depth + 1)
            return [*parts, Block(count, inner)]
        return [*parts, self.entry(self.random.randint(1, min(room, self.longest)))]

    def pause(self):
        if self.random.random() < 0.5:
            milliseconds = self.random.randint(1, 99999)
            return Pause(f"pause {milliseconds // 1000}.{milliseconds % 1000:03}s", milliseconds * 10**6)
        beats = self.random.randint(1, 12)
        if self.section is None:
            return Pause(f"pause {beats}beat", beats * Fraction(MINUTE, 120) * 1000 / self.scale)
        curve, end = self.section.curve, self.section.beats
        # As if the section went on; a section without an end is the song's last.
        return Pause(f"pause {beats}beat", curve.time(end + beats) - curve.time(end))

    def micro(self):
        """Millionths of a BPM: round, whole, with three or with six decimals."""
        kind = self.random.random()
        if self.is_round or kind < 0.1:
            return self.random.choice(ROUND) * 10**6
        if kind < 0.5:
            return self.random.randint(30, 300) * 10**6
        return self.random.randint(30_000, 300_000) * 1000 if kind < 0.8 else self.random.randint(10**6, 999 * 10**6)

    def single(self, microseconds=False):
        """A tempo's text and the interval of a quarter."""
        if microseconds:
            length = self.random.randint(60_061, 3_000_000)
            return f"{length}us", Fraction(length * 1000)
        micro = self.micro()
        if self.note != "1/4":
            # Between 1 and 999 quarters per minute, with at most three decimals.
            least, most = ceil(1000 / self.quarters), floor(999_000 / self.quarters)
            micro = min(max(micro // 1000, least), min(most, 999_000)) * 1000
            micro = max(micro, 10**6)
        return six_places(micro), MINUTE * 10**6 / (micro * self.quarters)

    @property
    def quarters(self):
        """The note that a tempo counts, in quarters."""
        return 4 * Fraction(self.note)

    def entry(self, bars):
        """An entry of this number of bars; None: without an end."""
        random = self.random
        self.is_round = random.random() < 0.25
        numerator, denominator = random.randint(1, 13), random.choice([1, 2, 4, 8, 16, 32])
        prefix = ""
        self.note = self.song_note
        if random.random() < 0.25:
            self.note = random.choice(NOTES)
            prefix = f"{random.choice(SIGNS.get(self.note, [self.note]))}="
        # A dotted note that fills the bar is the beat.
        dotted, notes = self.note.startswith("3/"), 1
        thirds = Fraction(self.note) * denominator
        if dotted and thirds > 1 and (numerator / thirds).denominator == 1 and thirds.denominator == 1:
            notes = int(thirds)
        in_bar = numerator // notes
        scale = Fraction(4, denominator) * notes * Fraction(1000, self.scale)
        beats = None if bars is None else bars * in_bar
        kinds = "nu=s" if bars is None else "nu=s>-~>-~" + ("," if beats <= 60 else "")
        kind = random.choice(kinds)
        unit = end = None
        if kind == "=" and self.tempo is None:
            kind = "n"
        if kind == "s":
            word, runs, unit, end = self.steps(in_bar, scale)
            curve = Runs(runs, end in ("again", "reverse"))
        elif kind == ",":
            tempi = [self.single() for _ in range(beats)]
            word, self.tempo = ",".join(word for word, _ in tempi), tempi[-1]
            curve = Runs([(1, interval * scale) for _, interval in tempi])
        elif kind in ">-~":
            microseconds = random.random() < 0.2
            first, last = self.single(microseconds), self.single(microseconds)
            word, self.tempo = first[0] + kind + last[0], last
            curve = Change(kind, beats, first[1] * scale, last[1] * scale)
        else:
            tempo = self.tempo if kind == "=" else self.single(kind == "u")
            word, self.tempo = "=" if kind == "=" else tempo[0], tempo
            curve = Runs([(1, tempo[1] * scale)])
        signature = f"{numerator}/{denominator} "
        if (numerator, denominator) == (4, 4) and random.random() < 0.5:
            signature = ""
        section = Section(f"{'*' if bars is None else bars} {signature}{prefix}{word}", curve, bars, in_bar)
        if end == "stop":
            section.bars = min(bars or 10**12, -(-curve.beats // in_bar))
        if bars and random.random() < (0.5 if self.is_round else 0.1):
            self.limit(section)
        self.section = section
        return section

    def limit(self, section):
        if self.random.random() < 0.5:
            bars = self.random.randint(1, 10)
            section.text += f" limit={bars}bar"
        else:
            # Near a bar line, and exactly at it if its time has only three decimals.
            bar = self.random.randint(1, section.bars)
            milliseconds = max(1, round(section.curve.time(bar * section.beats_in_bar) / 10**6))
            section.text += f" limit={milliseconds // 1000}.{milliseconds % 1000:03}s"
            bars = section.bar_at(milliseconds * 10**6)
        section.bars = min(section.bars, bars)

    def steps(self, beats_in_bar, scale):
        """The text, runs, unit and end of steps."""
        random = self.random
        first, step, count = random.randint(40, 160) * 10**6, random.randint(1, 20) * 10**6, random.randint(1, 12)
        if random.random() < 0.3:
            step += random.randint(0, 999_999)
        if self.is_round:
            first, step, count = random.choice([45, 60, 90]) * 10**6, random.choice([15, 30, 45, 90]) * 10**6, 3
        last = first + step * count - random.choice([0, step // 3])
        if self.note != "1/4":
            # Slow notes count fewer beats in a minute. At most three decimals.
            shrink = max(1, ceil(self.quarters / 2))
            first, step, last = ((number // shrink // 1000 * 1000) for number in (first, step, last))
        if random.random() < 0.3:
            first, last, step = last, first, -step
        length, unit = random.randint(1, 4), random.choice(["bar", "beat", "s"])
        end = random.choice(["stay", "stop", "again", "reverse"])
        tempi = [*range(first, last, step), last]
        if end == "reverse":
            tempi += tempi[-2:0:-1]
        runs, beat, time = [], 0, Fraction(0)
        for number, tempo in enumerate(tempi, 1):
            interval = MINUTE * 10**6 / (tempo * self.quarters) * scale
            if unit == "s":
                # To the first bar line at or after the time, and at least one bar.
                at = beat + max(0, ceil((number * length * SECOND - HALF - time) / interval))
                beats = max(-(-at // beats_in_bar) * beats_in_bar - beat, beats_in_bar)
            else:
                beats = length * (beats_in_bar if unit == "bar" else 1)
            runs.append((beats, interval))
            beat, time = beat + beats, time + beats * interval
        # The last tempo that is written.
        self.tempo = (six_places(last), MINUTE * 10**6 / (last * self.quarters))
        sign = "+" if step > 0 else "-"
        word = f"{six_places(first)}{sign}{six_places(abs(step))}/{length}{unit}..{six_places(last)}"
        return word + ("" if end == "stay" and random.random() < 0.5 else f"!{end}"), runs, unit, end
