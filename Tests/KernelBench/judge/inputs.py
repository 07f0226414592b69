"""The sources of edges and turns: the box's lines in the kernel's trace, and the log of the external input devices."""

from dataclasses import dataclass

import hands

BUTTONS = {
    5: "play", 6: "slower", 16: "faster", 26: "numerator", 25: "denominator", 24: "tap",
    12: "preset_next", 13: "preset_previous", 19: "preset_1", 20: "preset_2", 21: "preset_3", 23: "preset_4",
    4: "boost",
}  # fmt: skip
"""The buttons by line number. `boost` is one that a configuration adds."""
EACH = 16
"""The number of unread edges that the kernel keeps per line."""


@dataclass(frozen=True)
class Queue:
    """The kernel's buffer of unread edges, which depends on the version of the line-request interface."""

    lines: int = 0
    """The number of lines that share a buffer; 0 if each line has its own."""

    @property
    def capacity(self):
        """A shared buffer (second interface): 16 edges per line, rounded up to a power of two; when full, it drops the
        oldest. A line's own buffer (first interface): 16 edges; when full, it drops the newest."""
        return 1 << (EACH * self.lines - 1).bit_length() if self.lines else EACH

    def kept(self, changes):
        """The unread changes that are still in the buffer."""
        if self.lines:
            return set(changes[-self.capacity :])
        found, counts = set(), {}
        for change in changes:
            counts[change[1]] = counts.get(change[1], 0) + 1
            if counts[change[1]] <= self.capacity:
                found.add(change)
        return found


def edges(changes, stalls, queue):
    """The changes of contacts, with the time at which each could be read."""
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
    """The bindings of the keys and dials of external input devices."""

    def __init__(self):
        self.meanings = {}

    def bind(self, device, kind, code, meaning):
        """Binds a key or an axis, for example `pedal key 109 play` or `knob rel 0 tempo`."""
        self.meanings[device, kind, int(code)] = meaning

    def read(self, text, since, until):
        """Reads lines `NANOSECONDS DEVICE key|rel CODE VALUE` or `NANOSECONDS DEVICE plug|unplug`. Returns the changes
        of contacts, and the turns. Times are rounded down to microseconds."""
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
    "numerator": ("previous_numerator", "next_numerator"),
    "denominator": ("previous_denominator", "next_denominator"),
    "preset": ("previous_preset", "next_preset"),
    "volume": ("volume_down", "volume_up"),
    "subdivision": ("previous_subdivision", "next_subdivision"),
}


def step_of(last, device, dial, value, instant):
    """The steps per detent. A fast turn of the tempo dial has more: 100 ms / the time since the last turn, 1 to 5."""
    source, before, direction = last.get(dial, (None, None, None))
    last[dial] = (device, instant, value > 0)
    if dial != "tempo" or (source, direction) != (device, value > 0):
        return 1
    return min(max(100_000_000 // max(instant - before, 1), 1), 5)


def turned(dial, value, step, instant):
    """Tuples (instant, command, count): one for the whole turn of the tempo dial, one per detent of the other dials."""
    command = COMMANDS[dial][value > 0]
    if dial == "tempo":
        return [(instant, command, abs(value) * step)]
    return [(instant, command, 1)] * abs(value)
