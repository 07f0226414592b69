"""Compares the outputs that a configuration adds with the beats that they show, by the kernel's trace of their lines."""

from dataclasses import dataclass

from edges import NAMES, calls
from runs import seconds
from showing import DARK_AFTER, EITHER, SHOWN, earliness, showing


@dataclass(frozen=True)
class Added:
    """An output of the setting `added`: LINE:SHOWS:MILLISECONDS, or LINE:SHOWS:beat."""

    line: int
    shows: str
    width: int
    """In nanoseconds; None: the whole beat."""

    def contains(self, session, beat):
        match self.shows:
            case "every":
                return True
            case "first":
                return beat.is_first
            case "last":
                return session.beat(beat.index + 1).is_first
            case "left":
                return not beat.is_odd
            case "right":
                return beat.is_odd
        raise ValueError(f"unknown beats: {self.shows}")


def added(text):
    found = []
    for part in filter(None, text.split(",")):
        line, shows, width = part.split(":")
        found.append(Added(int(line), shows, None if width == "beat" else int(float(width) * 1_000_000)))
    return found


def judge(run, findings):
    outputs = added(run.mark.setting("added", ""))
    groups = calls(run.writes, of={*NAMES, *(one.line for one in outputs)})
    for output in outputs:
        judge_output(run, output, pulses(groups, output.line), findings)


def pulses(groups, line):
    """(on, off) of a line; off is None if it is left on. The instant of a call is that of its first write."""
    found, on = [], None
    for group in groups:
        for write in group:
            if write.line == line and bool(write.value) != (on is not None):
                if write.value:
                    on = group[0].instant
                else:
                    found.append((on, group[0].instant))
                    on = None
    return found + ([(on, None)] if on is not None else [])


def judge_output(run, output, found, findings):
    either = []
    for session in run.sessions:
        until = session.end or run.end
        for beat in session.beats(until + session.slack):
            if not output.contains(session, beat):
                continue
            how = showing(run, session, beat)
            if how == EITHER:
                either.append(beat.instant)
            if how != SHOWN:
                continue
            on = [one for one in found if earliness(run, session) <= one[0] - beat.instant <= run.lateness]
            if not on:
                findings.problem(f"GPIO{output.line} missing on beat {beat.index} at {seconds(beat.instant)}")
                continue
            found.remove(on[0])
            findings.beats += 1
            judge_end(run, session, output, beat, on[0][1], until, findings)
    for on, _ in found:
        if not any(0 <= on - instant <= DARK_AFTER for instant in either):
            findings.problem(f"GPIO{output.line} on at {seconds(on)} with no beat")


def judge_end(run, session, output, beat, off, until, findings):
    following = session.beat(beat.index + 1).instant
    due = following if output.width is None else beat.instant + min(output.width, (following - beat.instant) // 2)
    earliest, latest = (due, due + run.lateness) if due < until else (min(due, until), until + DARK_AFTER)
    if off is None or not earliest + earliness(run, session) <= off <= latest:
        at = "never" if off is None else f"after {(off - beat.instant) / 1e6:.4f} ms"
        findings.problem(f"GPIO{output.line} off {at} on beat {beat.index} at {seconds(beat.instant)}")
