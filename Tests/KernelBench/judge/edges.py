"""Edges of the output lines, from the kernel's trace of writes, and which of them were made in one call."""

from dataclasses import dataclass, replace

from runs import BLUE, BUZZER, GREEN, LIGHT, PENDULUM, RED, seconds

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


def calls(writes, of=NAMES):
    """Groups writes made in one call: the same task, each line at most once, at almost the same time."""
    groups = []
    for write in writes:
        if write.line not in of:
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


@dataclass(frozen=True, slots=True)
class Color:
    """A change of the lines of an RGB light in one call."""

    instant: int
    lines: frozenset
    """The lines that are on from then on."""
    was_lit: bool


def merged(writes):
    """The writes with an RGB light as one line, which is on with any of its lines; and the changes of its color."""
    on, plain, colors = frozenset(), [], []
    for group in calls(writes, of={*NAMES, GREEN, BLUE}):
        own = [write for write in group if write.line in (RED, GREEN, BLUE)]
        now = (on | {write.line for write in own if write.value}) - {write.line for write in own if not write.value}
        lit = [replace(write, line=LIGHT, value=int(bool(now))) for write in own[:1]]
        plain += sorted([write for write in group if write not in own] + lit, key=lambda write: write.instant)
        if now != on:
            colors.append(Color(group[0].instant, now, bool(on)))
        on = now
    return plain, colors


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


def describe(edge):
    return f"{NAMES[edge.line]} {'on' if edge.rises else 'off'} at {seconds(edge.instant)}"
