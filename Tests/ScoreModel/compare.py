"""Compares the instants of random scores with those of the model.

    compare.py PROGRAM FIRST COUNT

Writes the scores of COUNT seeds from FIRST on, and has the program `score-times` compute where their parts begin, and four
positions in each section. Prints the number of scores and the largest difference. At the first one that is too large it prints
the score, and exits with 1.
"""

import subprocess
import sys
from decimal import Decimal
from math import floor
from random import Random

from model import Pause, Writer, played

UNIT = 2**56
NEAR = 2**24
"""An instant that is this near before a whole nanosecond is this nanosecond, in units."""
LARGEST = Decimal(NEAR) / UNIT
"""The largest difference, in nanoseconds."""


class Difference(Exception):
    pass


class Comparison:
    def __init__(self, program):
        self.program = program
        self.scores = self.parts = self.points = self.bars = self.longest = 0
        self.worst = Decimal(0)

    def compare_time(self, what, got, exact):
        """A time in units, and in nanoseconds."""
        difference = abs(Decimal(got) / UNIT - exact)
        self.points += 1
        self.worst = max(self.worst, difference)
        if difference > LARGEST or (got + NEAR) // UNIT != floor(exact + LARGEST):
            raise Difference(f"{what}: {Decimal(got) / UNIT} ns, and by the model {exact} ns")

    def compare_part(self, line, part, bars, beats, start):
        words = line.split()
        if words[-1] == "lost":
            raise Difference(f"a part is not found where it begins: {line}")
        if [int(word) for word in words[:2]] != [bars, beats]:
            raise Difference(f"bar and beat {words[:2]}, and by the model {[bars, beats]}")
        self.compare_time("begins at", int(words[2]), start)
        if isinstance(part, Pause):
            return
        for number, (time, beat) in enumerate(part.points):
            got, first = (int(word) for word in words[3 + 2 * number : 5 + 2 * number])
            self.compare_time(f"position {number}", got, start + time)
            if first != beat:
                raise Difference(f"the first beat at or after position {number} is {first}, and by the model {beat}")

    def compare(self, seed):
        random = Random(seed)
        # As many short scores as long ones.
        room = random.choice([random.randint(1, 10_000), round(10 ** random.uniform(0, 4))])
        text, parts = Writer(random, room).song()
        result = subprocess.run([self.program, "parts"], input=text, capture_output=True, text=True, check=False)
        lines = result.stdout.splitlines()
        bars, beats, start = 0, 0, Decimal(0)
        where = text
        try:
            if result.returncode:
                raise Difference(f"exits with {result.returncode}: {result.stdout}{result.stderr}")
            for number, part in enumerate(played(parts)):
                where = f"{text}\npart {number}: {part.text}"
                self.compare_part(lines[number], part, bars, beats, start)
                bars, beats, start = bars + (part.bars or 0), beats + (part.beats or 0), start + part.duration
                self.parts += 1
            end = lines[-1].split()
            if len(lines) != number + 2 or end[:3] != ["end", str(bars), str(beats)]:
                raise Difference(f"ends after {len(lines)} lines with {end}, and by the model with {[bars, beats]}")
            self.compare_time("ends at", int(end[3]), start)
        except Difference as difference:
            print(f"{where}\nseed {seed}: {difference}")
            sys.exit(1)
        self.scores, self.bars, self.longest = self.scores + 1, self.bars + bars, max(self.longest, bars)

    def __str__(self):
        return (
            f"{self.scores} scores of up to {self.longest} bars, {self.bars} bars in {self.parts} parts,"
            f" {self.points} instants: the nanosecond of the model, and at most {self.worst:.3g} ns from it"
        )


def main():
    program, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    comparison = Comparison(program)
    for seed in range(first, first + count):
        comparison.compare(seed)
    print(comparison)


if __name__ == "__main__":
    main()
