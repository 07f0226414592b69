"""Compares edges with a grid of equal periods."""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Fit:
    """How edges lie on their grid.

    The judge does not know how the clock of the emulated kernel relates to virtual time, except that it is a straight line. So the
    period is that of the edges themselves: the median of the slopes over half of their number. The constant path from timer to line is
    unknown, too: the grid goes through the median of the edges. A few late edges change neither.
    """

    period: float
    """In nanoseconds of virtual time."""
    late: list
    """The lateness of each edge, in nanoseconds; negative if it is early."""
    numbers: list
    """The number of each edge on the grid, from 0 on; consecutive unless an edge is missing or extra."""

    @property
    def is_complete(self):
        return self.numbers == list(range(len(self.numbers)))

    def share_within(self, limit):
        return sum(abs(late) <= limit for late in self.late) / len(self.late)

    def __str__(self):
        off = sorted(map(abs, self.late))
        nine = off[(len(off) * 9 - 1) // 10]
        return f"{len(off)} edges, nine of ten within {nine / 1e3:.2f} µs, the last {max(self.late) / 1e3:.2f} µs late"


def fit(times, nominal):
    """Fits a grid to at least four times. `nominal` is the period that they should have, in nanoseconds."""
    half = len(times) // 2
    numbers = [round((time - times[0]) / nominal) for time in times]
    slopes = [(b - a) / (m - n) for a, b, n, m in zip(times, times[half:], numbers, numbers[half:]) if m > n]
    period = median(slopes)
    offsets = [time - number * period for time, number in zip(times, numbers)]
    middle = median(offsets)
    return Fit(period, [offset - middle for offset in offsets], numbers)


TICK = 4_000_000
"""The period of the kernel's tick, in nanoseconds."""


def tick_phases(times):
    """Where in the kernel's tick these times are: the width of the range that contains their phases, if it is less than half a tick, and
    the largest gap between neighbouring phases."""
    # A phase just before the end of the tick is close to one after its beginning.
    offsets = sorted((time - times[0] + TICK / 2) % TICK - TICK / 2 for time in times) or [0]
    gaps = [b - a for a, b in zip(offsets, offsets[1:])] + [TICK + offsets[0] - offsets[-1]]
    return offsets[-1] - offsets[0], max(gaps)


def rises(record, line, after=0):
    """The times at which the processor switched a line on."""
    return [edge.time for edge in record.edges if edge.is_output and edge.line == line and edge.level and edge.time >= after]
