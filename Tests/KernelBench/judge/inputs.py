"""Where edges and turns come from: the box's lines by the kernel's record, and devices beside it by their tool's."""

from dataclasses import dataclass

import hands

BUTTONS = {
    5: "play", 6: "slower", 16: "faster", 26: "numerator", 25: "denominator", 24: "tap",
    12: "preset_next", 13: "preset_previous", 19: "preset_1", 20: "preset_2", 21: "preset_3", 23: "preset_4",
}  # fmt: skip
"""By line."""
EACH = 16
"""Edges that the kernel keeps for a line until somebody reads them."""


@dataclass(frozen=True)
class Queue:
    """How the kernel keeps edges that are not read: it depends on the interface by which its lines were asked for."""

    lines: int = 0
    """For how many together; 0 for each line by itself."""

    @property
    def capacity(self):
        """Of the second interface: a power of two that has room for 16 of each line. When full it loses the oldest one,
        that of the first interface the newest."""
        return 1 << (EACH * self.lines - 1).bit_length() if self.lines else EACH

    def kept(self, changes):
        """Which of the changes that nobody has read are still there."""
        if self.lines:
            return set(changes[-self.capacity :])
        found, counts = set(), {}
        for change in changes:
            counts[change[1]] = counts.get(change[1], 0) + 1
            if counts[change[1]] <= self.capacity:
                found.add(change)
        return found


def edges(changes, stalls, queue):
    """The changes of contacts with the time when each could be read."""
    found = []
    read_at = {change: change[0] for change in changes}
    for stalled, resumed in stalls:
        unread = [change for change in changes if stalled <= change[0] < resumed]
        of_box = [change for change in unread if change[1][0] == "box"]
        kept = queue.kept(of_box)
        for change in unread:
            read_at[change] = resumed if change in kept or change not in of_box else None
    for change in changes:
        instant, contact, is_down = change
        found.append(hands.Edge(instant, contact, is_down, read_at[change]))
    return found


class Bindings:
    """What the keys and dials of devices beside the box are for."""

    def __init__(self):
        self.meanings = {}

    def bind(self, device, kind, code, meaning):
        """`pedal key 109 play`, `knob rel 0 tempo`."""
        self.meanings[device, kind, int(code)] = meaning

    def read(self, text, since, until):
        """From lines `NANOSECONDS DEVICE key|rel CODE VALUE`, or `plug|unplug`: changes of contacts and turns, at the instants at which a
        device's events are stamped, in whole microseconds."""
        changes, turns, last = [], [], {}
        for line in text.splitlines():
            stamp, device, kind, *operands = line.split()
            instant = int(stamp) // 1000 * 1000
            if not since <= instant < until:
                continue
            if kind == "unplug":
                changes.append((instant, (device, None), None))
            if not operands:
                continue
            code, value = map(int, operands)
            meaning = self.meanings.get((device, kind, code))
            if kind == "key" and meaning and value in (0, 1):
                changes.append((instant, (device, meaning), value == 1))
            elif kind == "rel" and meaning and value:
                turns += turned(meaning, value, step_of(last, device, meaning, value, instant), instant)
        return changes, turns


COMMANDS = {
    "tempo": ("slower", "faster"),
    "numerator": ("numerator_previous", "numerator_next"),
    "denominator": ("denominator_previous", "denominator_next"),
    "preset": ("preset_previous", "preset_next"),
}


def step_of(last, device, dial, value, instant):
    """A fast turn of the tempo's dial takes bigger steps: 100 ms / the interval since the detent before, 1 to 5."""
    source, before, direction = last.get(dial, (None, None, None))
    last[dial] = (device, instant, value > 0)
    if dial != "tempo" or (source, direction) != (device, value > 0):
        return 1
    return min(max(100_000_000 // max(instant - before, 1), 1), 5)


def turned(dial, value, step, instant):
    """(instant, command, how often): tempo in one step, the others detent by detent."""
    command = COMMANDS[dial][value > 0]
    if dial == "tempo":
        return [(instant, command, abs(value) * step)]
    return [(instant, command, 1)] * abs(value)
