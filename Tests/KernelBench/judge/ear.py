"""What an ear wrote down: where in a stream the clicks lie, and which instants its frames have."""

from bisect import bisect_left
from dataclasses import dataclass

RATE = 48_000
HIGH_CROSSINGS = 15
"""In 5 ms, 1,000 Hz changes sign 10 times and 2,000 Hz 20 times."""
LATEST_AUDIBLE = 8
"""Frames after its beginning, at which a click that sets in softly is heard at the latest: it is where it was meant to be."""


@dataclass(frozen=True)
class Click:
    instant: float
    """When it began, in nanoseconds of CLOCK_MONOTONIC; 0 while that is not known."""
    frame: float
    """Where its energy is centred."""
    crossings: int
    first: int = 0
    """The frame by which it was noticed."""

    @property
    def is_high(self):
        return self.crossings > HIGH_CROSSINGS


class Unheard(Exception):
    """An ear lost frames, did not listen to the end, or cannot be trusted."""


class StreamMap:
    """Which instant each frame of a stream has, from readings of the card's position, (frames, instant).

    A reading tells whole frames, and may tell what was true up to a millisecond before. Around each frame a line is laid
    through the readings of a second around it, without those that came too late: that follows a card of any rate, and a rate
    that changes.
    """

    REACH = 12
    """Readings on each side."""
    STALE = 250_000
    """A reading this far after the line tells an old position; one so far before it there cannot be. Nearer ones there are:
    a Loopback card whose rate is shifted gains or loses a frame or two now and then, and makes up for it later."""

    def __init__(self, readings):
        if len(readings) < 2 * self.REACH:
            raise Unheard(f"the ear read the card's position {len(readings)} times: too few to tell when anything was")
        self.readings = readings
        self.frames = [frames for frames, _ in readings]

    def instant(self, frame):
        place = bisect_left(self.frames, frame)
        first = max(0, min(place - self.REACH, len(self.readings) - 2 * self.REACH))
        used = list(self.readings[first : first + 2 * self.REACH])
        origin = used[0]
        while True:
            base, slope = line([(frames - origin[0], instant - origin[1]) for frames, instant in used])
            late = [instant - origin[1] - base - slope * (frames - origin[0]) for frames, instant in used]
            if max(late) <= self.STALE:
                break
            used.pop(late.index(max(late)))
            if len(used) < self.REACH:
                raise Unheard(f"the card's positions near frame {frame:.0f} do not go together")
        if min(late) < -self.STALE:
            raise Unheard(f"the card was ahead of its own clock near frame {frame:.0f}")
        return origin[1] + base + slope * (frame - origin[0])

    def rate(self, since, until):
        """The card's rate between two instants, in ppm of what it should be; None if too little was heard of it."""
        within = [reading for reading in self.readings if since <= reading[1] <= until]
        if len(within) < 2 * self.REACH:
            return None
        origin = within[0]
        _, slope = line([(frames - origin[0], instant - origin[1]) for frames, instant in within])
        return (10**9 / RATE / slope - 1) * 1e6


def line(points):
    """Least squares: where it begins, and how steep it is."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if spread == 0:
        raise Unheard("the card stood still")
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    return middle_y - slope * middle_x, slope


class Recording:
    """One ear's."""

    def __init__(self, text):
        lines = [text_line.split() for text_line in text.splitlines()]
        if not lines or lines[0] != ["started"] or lines[-1][0] != "frames" or ["overrun"] in lines:
            raise Unheard("an ear lost frames, or did not listen to the end")
        self.frames = int(lines[-1][1])
        self.clicks = [
            Click(0, float(frame), int(crossings), int(first))
            for word, frame, first, crossings, _ in (fields for fields in lines if fields[0] == "click")
        ]
        readings = [(int(fields[1]), int(fields[2])) for fields in lines if fields[0] == "at"]
        self.map = StreamMap(readings) if readings else None

    def timed(self, voices, positions):
        """The clicks with the instants at which they began; by the kernel's record of the Dummy card, if the ear saw none."""
        instant = self.map.instant if self.map else dummy_map(positions)
        began = [(click, click.frame - voices[click.is_high]) for click in self.clicks]
        return [Click(instant(frame), frame, click.crossings, click.first) for click, frame in began]


def dummy_map(positions):
    """Which instant each frame had on the Dummy card. It rounds its positions up to the next frame, so a reading says that
    the stream began then or up to a frame later. Half of them are taken at the end of a period, and right; the latest few are
    those whose tracing took long.
    """
    starts = sorted(position.instant * RATE - position.frames * 10**9 for position in positions if position.frames > 0)
    if not starts:
        raise Unheard("the kernel recorded no position of the card")
    start = starts[len(starts) * 9 // 10]
    return lambda frame: (start + round(frame * 1000) * 10**6) / RATE


def voices(recording, lead):
    """How many frames after its beginning the energy of a click is centred: {is_high: frames}.

    From clicks that the program rendered, the first a second and the lead after frame 0, in 4/4 at 120 BPM.
    """
    if len(recording.clicks) != 4:
        raise Unheard(f"{len(recording.clicks)} clicks in what the program rendered, not 4")
    lags = {True: [], False: []}
    for beat, click in enumerate(recording.clicks):
        begins = RATE + lead * RATE / 1e9 + beat * RATE / 2
        lags[click.is_high].append(click.frame - begins)
        if click.is_high != (beat == 0):
            raise Unheard(f"click {beat} of those rendered has the wrong pitch")
        if not -1 <= click.first - begins <= LATEST_AUDIBLE:
            raise Unheard(f"click {beat} of those rendered begins {click.first - begins:+.0f} frames off its beat")
    if max(lags[False]) - min(lags[False]) > 0.05:
        raise Unheard(f"the clicks rendered lie unevenly: their centres {lags[False]} frames after their beats")
    return {is_high: sum(found) / len(found) for is_high, found in lags.items()}
