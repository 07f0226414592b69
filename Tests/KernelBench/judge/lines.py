"""Compares light, pendulum and buzzer with what must be shown, by the kernel's trace of every write to a line.

The module pulses compares the beats, showing says which of them are shown.
"""

import named
from edges import FAR, NAMES, calls, describe, edges, merged
from pulses import judge_session
from runs import BUZZER, KILLED, LIGHT, seconds
from showing import DARK_AFTER, allowed_after


class Findings:
    """The problems found, and statistics of the correct edges."""

    def __init__(self):
        self.problems = []
        self.beats = 0
        self.hits = 0
        """Of both lines, within beats."""
        self.latest = 0
        self.reaction = 0
        """The time from the press that starts playback to the first flash."""
        self.lit = []
        """(beat, instant) of every flash that must click, and of beats that must click during a reply instead."""
        self.chords = []
        """The same with all hits: ([hits], instant), where the instant is that of the flash if the light shows a hit."""
        self.replies = 0
        self.colors = {}
        """{instant: the lines of an RGB light that are on from then on}"""

    def problem(self, text):
        self.problems.append(text)


def judge(run):
    findings = Findings()
    if run.colors:
        changes = merged(run.writes)[1]
        findings.colors = {change.instant: change.lines for change in changes}
        findings.problems += [
            f"the color changes at {seconds(change.instant)} while the light is on"
            for change in changes if change.was_lit and change.lines
        ]  # fmt: skip
    found = edges(writes_of(run))
    sessions = run.sessions
    found = judge_replies(run, found, findings)
    end = run.exit if run.exit is not None else run.mark.instant
    for number, session in enumerate(sessions):
        following = sessions[number + 1].start if number + 1 < len(sessions) else end + 2 * FAR
        first = session.start if number else run.mark.instant
        judge_session(run, session, [edge for edge in found if first - FAR <= edge.instant < following - FAR], findings)
    if not sessions:
        findings.problems += [f"{describe(edge)} although nothing was playing" for edge in found]
    findings.lit.sort(key=lambda one: one[1])
    findings.chords.sort(key=lambda one: one[1])
    named.judge(run, findings)
    judge_calls(run, edges(writes_of(run)), findings)
    judge_end(run, findings)
    if findings.beats < run.required_beats:
        findings.problem(f"only {findings.beats} beats judged, {run.required_beats} are required")
    if findings.hits < run.required_hits:
        findings.problem(f"only {findings.hits} hits judged, {run.required_hits} are required")
    if len(run.presses) < run.required_presses:
        findings.problem(f"only {len(run.presses)} presses counted, {run.required_presses} are required")
    if findings.replies < run.required_replies:
        findings.problem(f"only {findings.replies} replies judged, {run.required_replies} are required")
    return findings


def writes_of(run):
    """The writes to light, pendulum and buzzer. An RGB light is one line."""
    return merged(run.writes)[0] if run.colors else run.writes


# --- Replies ---


def judge_replies(run, found, findings):
    """Checks the flashes of the replies. Returns the edges that do not belong to a reply."""
    for reply in run.played.replies:
        for on, off in reply.flashes:
            if on < run.end:
                found = judge_flash(run, reply, on, min(off, run.end), found, findings)
        findings.replies += reply.is_whole and reply.end < run.end
    return found


def judge_flash(run, reply, on, off, found, findings):
    is_cut = off in (reply.end, run.end)
    wanted = [LIGHT, BUZZER] if reply.sounds else [LIGHT]
    rises = [e for e in found if e.line in wanted and e.rises and on <= e.instant <= on + run.lateness]
    falls = [e for e in found if e.line in wanted and not e.rises and off <= e.instant <= off + allowed_after(run, is_cut)]
    for what, those in (("on", rises), ("off", falls)):
        if sorted(edge.line for edge in those) != sorted(wanted) or len({edge.call for edge in those}) != 1:
            lines = " and ".join(NAMES[line] for line in wanted)
            findings.problem(f"{lines} not {what} together at {seconds(on if what == 'on' else off)}, in a reply")
    return [edge for edge in found if edge not in rises and edge not in falls]


# --- Calls, and the end ---


def judge_calls(run, all_edges, findings):
    """Each call must write every line. Otherwise the trace could not distinguish one call from two in quick succession."""
    groups = calls(run.writes)
    for number in sorted({edge.call for edge in all_edges}):
        if len(groups[number]) != len(NAMES):
            written = ", ".join(NAMES[write.line] for write in groups[number])
            findings.problems.append(f"a call wrote only {written} at {seconds(groups[number][0].instant)}")


def judge_end(run, findings):
    """After the signal to end, every line is off, the exit code is correct, and no line is set again."""
    if run.signal is None or run.exit is None:
        findings.problems.append("the run has no signal or no exit")
        return
    if run.exit_code != run.wanted_code:
        findings.problems.append(f"exit code {run.exit_code}, not {run.wanted_code}")
    if run.wanted_code == KILLED:
        return
    lit = [edge for edge in edges([w for w in writes_of(run) if w.instant < run.signal]) if edge.line == LIGHT]
    is_lit = bool(lit) and lit[-1].rises
    if run.mark.setting("lit", None) not in (None, str(int(is_lit))):
        moment = "on" if is_lit else "off"
        findings.problems.append(f"invalid test: the light was {moment} at the signal")
    for line, name in NAMES.items():
        written = [write for write in run.writes if write.line == line]
        if not written:
            findings.problems.append(f"{name} was never written")
        elif written[-1].value != 0:
            findings.problems.append(f"{name} left on")
        elif (on := [w for w in written if w.value and w.instant > run.signal + DARK_AFTER]):
            findings.problems.append(f"{name} set at {seconds(on[0].instant)}, after the signal")
