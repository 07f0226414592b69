"""Edges of the output lines, from the kernel's trace of writes, and which of them were made in one call."""

from dataclasses import dataclass

from runs import BUZZER, LIGHT, PENDULUM

NAMES = {LIGHT: "light", PENDULUM: "pendulum", BUZZER: "buzzer"}

ONE_CALL = 3_000
"""The lines of one call are traced within this many nanoseconds of each other."""
FAR = 2_000_000
"""An edge further than this from a beat does not belong to that beat."""


@dataclass(frozen=True, slots=True)
class Edge:
    instant: int
    line: int
    rises: bool
    call: int
    """The number of the call that made it."""


def calls(writes):
    """Groups writes made in one call: the same task, each line at most once, at almost the same time."""
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
    """The level changes among the writes. The instant of a call is that of its first write."""
    values, found = dict.fromkeys(NAMES, 0), []
    for number, group in enumerate(calls(writes)):
        for write in group:
            if write.value != values[write.line]:
                found.append(Edge(group[0].instant, write.line, bool(write.value), number))
                values[write.line] = write.value
    return found


def matched(expected, found, instant_of):
    """Pairs the expected with the found items, both in order of time; the second list holds the unmatched ones."""
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
