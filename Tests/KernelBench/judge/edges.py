"""What the kernel's record of writes says of each line: its edges, and which of them were made in one call."""

from dataclasses import dataclass

from runs import BUZZER, LIGHT, PENDULUM

NAMES = {LIGHT: "light", PENDULUM: "pendulum", BUZZER: "buzzer"}

ONE_CALL = 3_000
"""The lines of one call are traced within this many nanoseconds of each other."""
FAR = 2_000_000
"""An edge this far from a beat is not that beat's."""


@dataclass(frozen=True, slots=True)
class Edge:
    instant: int
    line: int
    rises: bool
    call: int
    """Which call it was part of."""


def calls(writes):
    """Groups writes that were made in one call: one task, each line once, at once."""
    groups = []
    for write in writes:
        if write.line not in NAMES:
            continue
        group = groups[-1] if groups else None
        if (
            group
            and group[0].task == write.task
            and write.instant - group[0].instant <= ONE_CALL
            and all(write.line != other.line for other in group)
        ):
            group.append(write)
        else:
            groups.append([write])
    return groups


def edges(writes):
    """The changes among the writes. A call happens when its first line is written."""
    values, found = dict.fromkeys(NAMES, 0), []
    for number, group in enumerate(calls(writes)):
        for write in group:
            if write.value != values[write.line]:
                found.append(Edge(group[0].instant, write.line, bool(write.value), number))
                values[write.line] = write.value
    return found


def matched(expected, found, instant_of):
    """Pairs what is expected with what was found, both in order of time; the second list is of what is left over."""
    pairs, extra, place = [], [], 0
    for one in expected:
        while place < len(found) and found[place].instant < instant_of(one) - FAR:
            extra.append(found[place])
            place += 1
        if place < len(found) and found[place].instant <= instant_of(one) + FAR:
            pairs.append((one, found[place]))
            place += 1
        else:
            pairs.append((one, None))
    return pairs, extra + list(found[place:])
