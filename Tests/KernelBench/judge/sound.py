"""What the `ear` tool heard: the clicks or sounds in a stream, and the instants of its frames."""

from bisect import bisect_left

RATE = 48_000
HIGH_CROSSINGS = 15
"""In 5 ms, 1,000 Hz changes sign 10 times and 2,000 Hz 20 times."""
RATE_ERROR = 10
"""The tolerance in ppm of a card's measured rate: the Loopback card's rate wanders a little."""


class Unheard(Exception):
    """An ear lost frames, stopped early, or is inconsistent."""


class StreamMap:
    """The instant of each frame of a stream, from readings of the card's position, (frames, instant).

    A reading has whole frames and may be up to a millisecond old. Around each frame a line is fitted through the
    readings within about a second, without the stale ones; it follows a card of any rate, also a changing one.
    """

    REACH = 12
    """The number of readings on each side."""
    STALE = 250_000
    """A reading this far after the line is stale; none can be this far before it. Smaller deviations occur: a Loopback
    card with a shifted rate gains or loses a frame or two now and then, and compensates later."""

    def __init__(self, readings):
        if len(readings) < 2 * self.REACH:
            raise Unheard(f"the ear read the card's position {len(readings)} times, at least {2 * self.REACH} are needed")
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
                raise Unheard(f"the card's positions near frame {frame:.0f} are inconsistent")
        if min(late) < -self.STALE:
            raise Unheard(f"the card was ahead of its own clock near frame {frame:.0f}")
        return origin[1] + base + slope * (frame - origin[0])

    def rate(self, since, until):
        """The card's rate between two instants, as a deviation in ppm; None if there are too few readings."""
        within = [reading for reading in self.readings if since <= reading[1] <= until]
        if len(within) < 2 * self.REACH:
            return None
        origin = within[0]
        _, slope = line([(frames - origin[0], instant - origin[1]) for frames, instant in within])
        return (10**9 / RATE / slope - 1) * 1e6


def line(points):
    """Least squares: intercept and slope."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if spread == 0:
        raise Unheard("the card's position does not change")
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    return middle_y - slope * middle_x, slope


class Recording:
    """The recording of one ear."""

    def __init__(self, text):
        lines = [text_line.split() for text_line in text.splitlines()]
        if not lines or lines[0] != ["started"] or lines[-1][0] != "frames" or ["overrun"] in lines:
            raise Unheard("an ear lost frames, or stopped early")
        self.clicks = [
            (float(fields[1]), int(fields[3]) > HIGH_CROSSINGS, fields[5] == "sure") for fields in lines if fields[0] == "click"
        ]
        """(frame at the centre of its energy, whether it is high, whether it is found in every recording)"""
        self.sounds = [(float(fields[1]), fields[2], float(fields[3])) for fields in lines if fields[0] == "sound"]
        """(frame of the start, kind, gain)"""
        self.sounds += [(float(fields[1]), "noise", float(fields[2])) for fields in lines if fields[0] == "noise"]
        readings = [(int(fields[1]), int(fields[2])) for fields in lines if fields[0] == "at"]
        self.map = StreamMap(readings) if readings else None

    def streams(self, time):
        """{sound: [(time, gain or whether it is high, and for a click whether it is sure)]}, by the function `time` of a frame."""
        if not self.sounds:
            return {"clicks": [(time(frame), *of_click) for frame, *of_click in self.clicks]}
        found = {}
        for frame, kind, gain in sorted(self.sounds):
            found.setdefault(kind, []).append((time(frame), gain))
        return found


def dummy_map(positions):
    """The instant of each frame on the Dummy card. The card rounds its positions up to the next frame, so a reading
    means that the stream started at the computed time or up to a frame later. Half of the readings are taken at the end of a
    period and are exact. The few latest ones are readings that were traced late."""
    starts = sorted(position.instant * RATE - position.frames * 10**9 for position in positions if position.frames > 0)
    if not starts:
        raise Unheard("the trace has no position of the card")
    start = starts[len(starts) * 9 // 10]
    return lambda frame: (start + round(frame * 1000) * 10**6) / RATE
