"""Compares the beats of random scores that are played with presses with those of a model.

    playing.py PROGRAM FIRST COUNT

Plays the scores of COUNT seeds from FIRST on with the program `score-times`, with changes of the speed and jumps before
the start, during count-ins, in sections and in pauses. The model follows the page Documentation/Scores.md. Prints the number
of scores and beats. At the first difference it prints the score and the presses, and exits with 1.
"""

import subprocess
import sys
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from random import Random

from model import SECOND, Pause, Runs, Section, Writer, decimal, played

NEAR = Fraction(1, 2**32)
"""An instant that is this near before a whole nanosecond is this nanosecond."""
SPEEDS = [250, 500, 500, 900, 1100, 1500, 1500, 2000]
UNTIL = 3000 * SECOND
MOST_BEATS = 200


def plus(*times):
    """The sum: a fraction as long as all are fractions."""
    if all(isinstance(time, (int, Fraction)) for time in times):
        return sum(times)
    return sum(map(decimal, times))


def times(time, factor):
    return time * factor if isinstance(time, (int, Fraction)) else time * decimal(factor)


def below(time):
    """The instant of a time: rounded down to the nanosecond."""
    return floor(plus(time, NEAR))


class PlayedWriter(Writer):
    """Writes songs with count-ins and pauses that wait, of few bars."""

    def song(self):
        self.count = self.random.choice([0, 0, 1, 2, 3])
        text, parts = super().song()
        return text.replace("%\n", f"% count={self.count}\n", 1), list(played(parts))

    def entry(self, bars):
        section = super().entry(bars)
        section.count = self.random.choice([0, 0, 0, 1, 2])
        if section.count:
            section.text += f" count={section.count}"
        return section

    def pause(self):
        if self.random.random() < 0.2:
            pause = Pause("pause wait", 0)
            pause.waits = True
            return pause
        return super().pause()


@dataclass
class Placed:
    """A section that is played from a time on."""

    place: int
    section: Section
    origin: object
    """When its first beat falls, after the count-in."""
    count: int
    """The bars of the count-in."""
    end: int
    """The beat at which it ends or is left; None: without an end."""
    scale: int
    speed: int
    target: int = None
    """The place to which a press has led."""

    def __post_init__(self):
        self.following = -self.count * self.section.beats_in_bar
        """The next beat to be played."""

    @property
    def interval(self):
        curve = self.section.curve
        return curve.runs[0][1] if isinstance(curve, Runs) else curve.first

    def time(self, beat):
        own = beat * self.interval if beat < 0 else self.section.curve.time(beat)
        return plus(self.origin, times(own, Fraction(self.scale, self.speed)))

    def has_passed(self, instant):
        return self.end is not None and plus(self.time(self.end), -NEAR) <= instant


@dataclass
class Resting:
    """A pause from a time to a time; None: until the musician goes on."""

    place: int
    end: object

    def has_passed(self, instant):
        return self.end is not None and plus(self.end, -NEAR) <= instant


class Play:
    """A song from its start on. `parts`: its sections and pauses in the order in which they are played."""

    def __init__(self, parts, count, scale, speed, place, start):
        self.parts, self.count, self.scale, self.speed = parts, count, scale, speed
        self.bars = [0]
        for part in parts:
            self.bars.append(self.bars[-1] + (part.bars or 0))
        self.beats, self.last, self.now = [], None, None
        """The beats so far: the instant, the bar and the position. The place of the section that has sounded last."""
        self.end = None
        self.begin(place, start)

    def begin(self, place, at):
        if place >= len(self.parts):
            self.now, self.end = None, at
            return
        part = self.parts[place]
        if isinstance(part, Section):
            # The count-in of the song is before the section of the start, and before the beginning of the song.
            own = self.count if self.last is None or place == 0 else 0
            count = max(part.count, own)
            placed = Placed(place, part, at, count, part.beats, self.scale, self.speed)
            placed.origin = plus(at, at, -placed.time(placed.following))
            self.now, self.last = placed, place
        elif getattr(part, "waits", False):
            # A wait before the first section is skipped.
            self.now = Resting(place, at if self.last is None else None)
        else:
            seconds = part.text.endswith("s")
            length = part.duration if seconds else times(part.duration, Fraction(self.scale, self.speed))
            self.now = Resting(place, plus(at, length))

    def advance(self, until):
        """Plays the beats before an instant."""
        while self.now is not None and len(self.beats) < MOST_BEATS:
            now = self.now
            if isinstance(now, Placed):
                bars, beats = self.bars[now.place], now.section.beats_in_bar
                while now.end is None or now.following < now.end:
                    instant = below(now.time(now.following))
                    if instant >= until or len(self.beats) >= MOST_BEATS:
                        break
                    bar, position = divmod(now.following, beats)
                    self.beats.append((instant, bar if bar < 0 else bars + bar, position))
                    now.following += 1
            if not now.has_passed(until):
                return
            if isinstance(now, Placed):
                self.begin(now.place + 1 if now.target is None else now.target, now.time(now.end))
            else:
                self.begin(now.place + 1, now.end)

    def change(self, speed, instant):
        if isinstance(self.now, Placed):
            moved = times(plus(self.now.origin, -instant), Fraction(self.now.speed, speed))
            self.now.origin, self.now.speed = plus(instant, moved), speed
        # A pause that has begun keeps its length.
        self.speed = speed

    def go_on(self, instant):
        """Ends a pause that waits."""
        if isinstance(self.now, Resting) and self.now.end is None:
            self.begin(self.now.place + 1, instant)

    def sections(self):
        return [place for place, part in enumerate(self.parts) if isinstance(part, Section)]

    def jump(self, word, instant):
        """Goes to the next section, the one before, or the same again."""
        now, sections = self.now, self.sections()
        rests = isinstance(now, Resting)
        if rests and now.end is None and word == "next":
            return self.go_on(instant)
        # In a pause, the section before it counts.
        current = now.place if self.last is None else self.last
        pending = None if rests or word == "again" else now.target
        if pending is not None and pending >= len(self.parts):
            pending = None
        base = current if pending is None else pending
        if word == "again":
            target = base
        elif word == "previous":
            before = bisect_left(sections, base)
            target = sections[before - 1] if before > 0 else 0
        elif rests or pending is not None:
            target = next((place for place in sections if place > base), len(self.parts))
        else:
            target = base + 1
        if rests:
            return self.begin(target, instant)
        beats = now.section.beats_in_bar
        line = -(-now.following // beats) * beats
        now.end = line if now.end is None else min(line, now.end)
        now.target = target


class Trial:
    """A random song with random presses."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        writer = PlayedWriter(random, random.choice([2, 6, 20, 60]))
        writer.longest = random.choice([1, 3, 12])
        self.text, self.parts = writer.song()
        self.presses = []
        speed, place = writer.scale, 0
        if random.random() < 0.6:
            speed = random.choice([*SPEEDS, random.randint(100, 4000)])
            self.presses.append((0, "speed", speed))
        sections = [place for place, part in enumerate(self.parts) if isinstance(part, Section)]
        for _ in range(random.choice([0, 0, 1, 3])):
            following = [later for later in sections if later > place]
            if following:
                place = following[0]
                self.presses.append((0, "next", 0))
        self.presses.append((0, "start", 0))
        self.play = Play(self.parts, writer.count, writer.scale, speed, place, 0)
        for _ in range(random.choice([0, 1, 3, 8])):
            self.press()
        self.play.advance(UNTIL)

    @property
    def is_dense(self):
        """Whether the tempo may change faster than the program can plan: then its last tempo goes on for a moment."""
        instants = [instant for instant, _, _ in self.play.beats]
        return any(later - earlier < SECOND // 4 for earlier, later in zip(instants, instants[14:]))

    def press(self):
        """One press, often near a beat or the end of a pause."""
        play, random = self.play, self.random
        now, last = play.now, self.presses[-1][0]
        if now is None or len(play.beats) >= MOST_BEATS:
            return
        if isinstance(now, Placed):
            ahead = now.following + random.choice([0, 0, 1, 2, random.randint(0, 12)])
            near = below(now.time(ahead if now.end is None else min(ahead, now.end)))
        else:
            near = below(now.end) if now.end is not None and random.random() < 0.5 else last
        instant = near + random.choice([-1, 0, 1, random.randint(0, 2 * SECOND), -random.randint(0, SECOND)])
        instant = max(last, instant)
        if instant >= UNTIL:
            return
        play.advance(instant)
        if play.now is None or len(play.beats) >= MOST_BEATS:
            return
        word = random.choice(["speed", "speed", "next", "next", "previous", "again", "play"])
        speed = random.choice([*SPEEDS, random.randint(100, 4000)])
        if word == "play" and not (isinstance(play.now, Resting) and play.now.end is None):
            word = "speed"
        self.presses.append((instant, word, speed))
        if word == "speed":
            play.change(speed, instant)
        elif word == "play":
            play.go_on(instant)
        else:
            play.jump(word, instant)

    def difference(self, program):
        """How the beats of the program differ; None: they do not."""
        presses = ",".join(f"{instant}:{word}:{speed}" for instant, word, speed in self.presses)
        result = subprocess.run(
            [program, "play", presses, str(UNTIL), str(MOST_BEATS)],
            input=self.text, capture_output=True, text=True, check=False)  # fmt: skip
        if result.returncode:
            return f"exits with {result.returncode}: {result.stdout}{result.stderr}"
        lines = result.stdout.splitlines()
        wanted = [" ".join(map(str, beat)) for beat in self.play.beats]
        if len(wanted) < MOST_BEATS and self.play.end is not None:
            end = ceil(plus(self.play.end, -NEAR))
            wanted.append(f"end {end}")
            words = lines[-1].split() if lines else []
            # The program looks at the end at most 1 ms after a press or another step.
            if words[:1] == ["end"] and end <= int(words[1]) <= end + 10**6:
                lines[-1] = wanted[-1]
        for number, (got, own) in enumerate(zip(lines, wanted)):
            if got != own:
                return f"beat {number}: {got}, and by the model {own}"
        if len(lines) != len(wanted):
            first = (lines if len(lines) > len(wanted) else wanted)[min(len(lines), len(wanted))]
            return f"{len(lines)} lines, and by the model {len(wanted)}: {first}"
        return None


def main():
    program, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    beats = presses = dense = 0
    for seed in range(first, first + count):
        trial = Trial(seed)
        if trial.is_dense:
            dense += 1
            continue
        if (difference := trial.difference(program)) is not None:
            print(f"{trial.text}\nseed {seed}: {difference}\nafter {trial.presses}")
            sys.exit(1)
        beats, presses = beats + len(trial.play.beats), presses + len(trial.presses)
    print(
        f"{count - dense} scores played with {presses} presses: {beats} beats are those of the model;"
        f" {dense} scores are too dense"
    )


if __name__ == "__main__":
    main()
