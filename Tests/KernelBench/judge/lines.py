"""Light, pendulum and buzzer against what the music says, by the kernel's record of every write to a line."""

from bisect import bisect_right
from dataclasses import dataclass

from runs import seconds

LIGHT, PENDULUM, BUZZER = 17, 27, 22
NAMES = {LIGHT: "light", PENDULUM: "pendulum", BUZZER: "buzzer"}

EARLY = 0
"""An edge may not come before its instant at all."""
ONE_CALL = 3_000
"""The lines of one call are traced within this many nanoseconds of each other."""
FAR = 2_000_000
"""An edge this far from a beat is not that beat's."""
DARK_AFTER = 1_000_000
"""How soon after a stop, or a signal, every line is off."""
BACK_AFTER = 1_000_000
"""How soon after a stall the lines show what they should."""
PULSES = {LIGHT: (100_000_000, 50_000_000), BUZZER: (40_000_000, 20_000_000)}
"""On the first beat of a bar, and on the others; never longer than half the way to the next beat."""


@dataclass(frozen=True)
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


class Findings:
    """What is wrong, and the figures of what is right."""

    def __init__(self):
        self.problems = []
        self.beats = 0
        self.latest = 0
        self.lit = []
        """(beat, instant) of every flash, for the sound to be compared with."""


def judge(run):
    findings = Findings()
    allowed = run.number("lateness_us", 5) * 1000
    all_edges = edges(run.writes)
    end = run.exit if run.exit is not None else run.mark.instant
    sessions = run.sessions
    for number, session in enumerate(sessions):
        until = session.end or run.signal or end
        following = sessions[number + 1].start if number + 1 < len(sessions) else end + 2 * FAR
        first = session.start if number else run.mark.instant
        found = [edge for edge in all_edges if first - FAR <= edge.instant < following - FAR]
        judge_session(session, until, found, allowed, run.stalls, findings)
    if not sessions:
        findings.problems += [f"{describe(edge)} though nothing was to be played" for edge in all_edges]
    judge_calls(run, all_edges, findings)
    judge_end(run, findings)
    if findings.beats < run.required_beats:
        wanted = f"{run.required_beats} are needed to have tested it"
        findings.problems.append(f"{findings.beats} beats judged, and {wanted}")
    return findings


def judge_session(session, until, found, allowed, stalls, findings):
    beats = session.beats(until)
    certain = [beat for beat in beats if beat.instant + allowed < until and not is_stalled(beat.instant, stalls)]
    light = [edge for edge in found if edge.line == LIGHT and edge.rises]
    pairs, extra = matched(certain, light, lambda beat: beat.instant)
    extra = without_late_flashes(extra, stalls)
    if len(beats) > len(certain):
        # A beat at the very instant of the stop may be shown or not.
        extra = [edge for edge in extra if not until <= edge.instant <= until + DARK_AFTER]
    findings.problems += [f"{describe(edge)} with no beat" for edge in extra]
    risen = {}
    for beat, edge in pairs:
        if edge is None:
            findings.problems.append(f"light missing on beat {beat.index} at {seconds(beat.instant)}")
            continue
        risen[beat] = edge
        findings.beats += 1
        findings.lit.append((beat, edge.instant))
        late = edge.instant - beat.instant
        findings.latest = max(findings.latest, late)
        if not EARLY <= late <= allowed:
            findings.problems.append(f"light {late / 1000:+.3f} µs off beat {beat.index} at {seconds(beat.instant)}")
    judge_buzzer(risen, found, findings)
    judge_pendulum(risen, found, until, stalls, findings)
    for line in PULSES:
        judge_falls(session, line, risen, found, until, allowed, stalls, findings)


def is_stalled(instant, stalls):
    return any(stalled <= instant <= resumed for stalled, resumed in stalls)


def is_back(instant, stalls):
    """Whether the program had just been let go on."""
    return any(resumed <= instant <= resumed + BACK_AFTER for _, resumed in stalls)


def without_late_flashes(extra, stalls):
    """The flashes that nothing explains: a beat whose time fell into a stall may be shown right after it, but only one."""
    left = list(extra)
    for stall in stalls:
        late = next((edge for edge in left if is_back(edge.instant, [stall])), None)
        if late:
            left.remove(late)
    return left


def judge_buzzer(risen, found, findings):
    """The buzzer rises with every flash, in the same call, and at no other time."""
    buzzer = {edge.call: edge for edge in found if edge.line == BUZZER and edge.rises}
    for beat, edge in risen.items():
        if buzzer.pop(edge.call, None) is None:
            findings.problems.append(f"buzzer not in the light's call on beat {beat.index} at {seconds(beat.instant)}")
    flashes = {edge.call for edge in found if edge.line == LIGHT and edge.rises}
    findings.problems += [f"{describe(edge)} without the light" for edge in buzzer.values() if edge.call not in flashes]


def judge_pendulum(risen, found, until, stalls, findings):
    """On from each odd beat to the next, changing in the light's call."""
    changes = [edge for edge in found if edge.line == PENDULUM]
    for beat, edge in risen.items():
        place = bisect_right(changes, edge.call, key=lambda change: change.call)
        if beat.is_odd != (place > 0 and changes[place - 1].rises):
            at = f"beat {beat.index} at {seconds(beat.instant)}"
            findings.problems.append(f"pendulum not in the light's call on {at}")
    of_beats = {edge.call for edge in risen.values()}
    for edge in changes:
        if edge.call in of_beats or is_back(edge.instant, stalls):
            continue
        if edge.rises or not until <= edge.instant <= until + DARK_AFTER:
            findings.problems.append(f"{describe(edge)} with no beat")


def judge_falls(session, line, risen, found, until, allowed, stalls, findings):
    """Each pulse is as long as it should be, cut only by half a beat and by the end."""
    mine = [edge for edge in found if edge.line == line]
    fall_after = {edge.call: mine[place + 1] if place + 1 < len(mine) else None for place, edge in enumerate(mine)}
    for beat, edge in risen.items():
        fall = fall_after.get(edge.call)
        width = PULSES[line][0 if beat.is_first else 1]
        ends = [beat.instant + min(width, (next_one - beat.instant) // 2) for next_one in session.following(beat)]
        earliest, latest = min(ends), max(ends) + allowed
        if earliest >= until:
            earliest, latest = until, until + DARK_AFTER
        elif latest >= until:
            latest = until + DARK_AFTER
        for stalled, resumed in stalls:
            if earliest <= resumed and latest >= stalled:
                latest = max(latest, resumed + BACK_AFTER)
        if fall is None or not earliest <= fall.instant <= latest:
            at = "never" if fall is None else f"after {(fall.instant - beat.instant) / 1e6:.4f} ms"
            findings.problems.append(
                f"{NAMES[line]} off {at} on beat {beat.index} at {seconds(beat.instant)}, "
                f"not after {(ends[0] - beat.instant) / 1e6:.4f} ms"
            )


def judge_calls(run, all_edges, findings):
    """A call writes every line: from that the record tells one call from two that follow at once."""
    groups = calls(run.writes)
    for number in sorted({edge.call for edge in all_edges}):
        if len(groups[number]) != len(NAMES):
            written = ", ".join(NAMES[write.line] for write in groups[number])
            findings.problems.append(f"a call that wrote {written} only, at {seconds(groups[number][0].instant)}")


def judge_end(run, findings):
    """Told to end, the program leaves every line off, says so with its exit code, and touches nothing again."""
    if run.signal is None or run.exit is None:
        findings.problems.append("the run was not ended")
        return
    if run.exit_code != run.wanted_code:
        findings.problems.append(f"exit code {run.exit_code}")
    lit = [edge for edge in edges([w for w in run.writes if w.instant < run.signal]) if edge.line == LIGHT]
    is_lit = bool(lit) and lit[-1].rises
    if run.mark.setting("lit", None) not in (None, str(int(is_lit))):
        moment = "on" if is_lit else "off"
        findings.problems.append(f"the signal came with the light {moment}: not the moment to be tested")
    for line, name in NAMES.items():
        written = [write for write in run.writes if write.line == line]
        if not written:
            findings.problems.append(f"{name} was never written")
        elif written[-1].value != 0:
            findings.problems.append(f"{name} left on")
        elif (on := [w for w in written if w.value and w.instant > run.signal + DARK_AFTER]):
            findings.problems.append(f"{name} set at {seconds(on[0].instant)}, after the signal")


def describe(edge):
    return f"{NAMES[edge.line]} {'on' if edge.rises else 'off'} at {seconds(edge.instant)}"
