"""Compares what a display was sent with what must be shown. The modules tm1637 and screen decode it."""

from bisect import bisect_right
from dataclasses import dataclass

import replies
import screen
import tm1637
from edges import edges
from runs import LIGHT, seconds

MS = 1_000_000
ALLOWED = 300 * MS
"""The time within which a change must be shown."""
START = 1000 * MS
"""The same at the start of the program, which first requests its lines."""
HOLD = 2000 * MS
"""How long a change other than that of the tempo is shown."""
REFRESH = 5000 * MS
"""The text is sent again after this time at the latest."""

NEAR = MS
"""Changes of the lines that are this close belong to one text."""
CALL = 1_150
"""The processor time of a call that sets a line, on a Raspberry Pi 4. In virtual time a call takes no time."""
SHARE = 0.01
"""The most processor time, as a part of one core, in the run and in each second of it."""


# --- What must be shown ---


def tempo(settings):
    return f"{(settings.tempo + 500) // 1000:4}"


def signature(settings):
    return f"{settings.numerator:2}:{settings.denominator:<2}"


def volume(settings):
    return f"U{24 - settings.volume:3}"


def reply(pulses, settings):
    signs = {"donE": replies.STORED, "PAir": replies.PAIRING, "----": replies.REFUSED}
    for text, its in signs.items():
        if pulses == its:
            return text
    return tempo(settings) if pulses == replies.tempo(settings) else signature(settings)


def news(before, after):
    """The text of what a command changed, except the tempo, which is shown anyway."""
    one, other = before.settings, after.settings
    if after.reply is not None:
        return reply(after.reply, other)
    if after.recalled != before.recalled and after.recalled is not None:
        return f"P{after.recalled:3}"
    if (one.numerator, one.denominator) != (other.numerator, other.denominator):
        return signature(other)
    if one.volume != other.volume:
        return volume(other)
    return None


def wanted(history):
    """[(from, text)]: what must be shown, by the states of the player."""
    found, until = [(history[0].instant, tempo(history[0].settings))], None
    for before, after in zip(history, history[1:]):
        if until is not None and until <= after.instant:
            found.append((until, tempo(before.settings)))
            until = None
        text = news(before, after)
        if text:
            found.append((after.instant, text))
            until = after.instant + HOLD
        elif after.settings.tempo != before.settings.tempo:
            found.append((after.instant, tempo(after.settings)))
            until = None
    if until is not None:
        found.append((until, tempo(history[-1].settings)))
    return [one for place, one in enumerate(found) if not place or one[1] != found[place - 1][1]]


# --- The judgement ---


class Findings:
    def __init__(self):
        self.problems = []
        self.texts = 0
        """The changes that were shown in time."""
        self.slowest = 0
        """The longest time until a change was shown."""
        self.overlaps = 0
        """The edges of the light while a text was sent."""
        self.calls = 0
        """The largest number of calls for one text."""
        self.share = self.busiest = 0.0
        """The processor time as a part of one core: in the run, and in the busiest second."""

    def problem(self, text):
        self.problems.append(text)


@dataclass(frozen=True)
class Absence:
    """From when on there is no display, or one that cannot be used, until when it is back, and by when it must show the text."""

    since: int
    back: int
    due: int
    is_removed: bool


def judge(run):
    """`display=CLOCK,DATA` in the mark of the run are the lines of a TM1637, `display=i2c` is an SSD1306; `display_brightness` is 1 to 8."""
    findings = Findings()
    its = run.mark.setting("display", None)
    if its == "i2c":
        drives = []
        shown, findings.problems = screen.decode(run.transfers)
    else:
        clock, data = map(int, its.split(","))
        drives = [drive for drive in run.drives if drive.line in (clock, data)]
        shown, findings.problems = tm1637.decode(drives, clock, data)
    absences = absences_of(run)
    end = run.signal or run.end
    judge_texts(run, shown, absences, end, findings)
    judge_brightness(run, shown, findings)
    judge_refresh(run, shown, absences, end, findings)
    judge_darkness(run, shown, drives, absences, findings)
    judge_load(run, drives, end, findings)
    if findings.texts < run.required_texts:
        findings.problem(f"only {findings.texts} texts judged, {run.required_texts} are required")
    if findings.overlaps < run.required_overlaps:
        findings.problem(f"only {findings.overlaps} edges of the light while a text was sent, {run.required_overlaps} are required")
    return findings


def absences_of(run):
    """`mark display removed` or `mark display faulty` begins an absence, `mark display back after_ms=…` ends it."""
    found, began = [], None
    for mark in run.displays:
        if mark.operands[0] == "back":
            due = mark.instant + int(mark.setting("after_ms", 0)) * MS + ALLOWED
            found.append(Absence(began.instant, mark.instant, due, began.operands[0] == "removed"))
            began = None
        else:
            began = mark
    if began is not None:
        found.append(Absence(began.instant, run.end, 2 * run.end, began.operands[0] == "removed"))
    return found


def judge_texts(run, shown, absences, end, findings):
    texts = [(max(since, run.mark.instant), text) for since, text in wanted(run.played.history)]
    for place, (since, text) in enumerate(texts):
        until = texts[place + 1][0] if place + 1 < len(texts) else end
        for start, due, stop, is_change in stretches(run, since, until, absences, START if not place else ALLOWED):
            if due > stop:
                # The text changed again before it had to be shown.
                continue
            judge_stretch(shown, text, start, due, is_change, findings)
    for one in shown:
        current = current_at(texts, one.instant)
        if one.text is not None and one.text not in current:
            findings.problem(f"display: '{one.text}' at {seconds(one.instant)}, not {' or '.join(map(repr, sorted(current)))}")


def current_at(texts, instant):
    """The texts that may be shown at an instant: the current one, and those that it replaced just before."""
    ends = [since + ALLOWED for since, _ in texts[1:]] + [instant]
    return {text for (since, text), end in zip(texts, ends) if since <= instant <= end}


def stretches(run, since, until, absences, allowed):
    """(start, due, stop, whether it is a change): when a text must be shown from, without the absences."""
    start, due, is_change = since, since + allowed, since > run.mark.instant
    for absence in absences:
        if absence.due <= start or absence.since >= until:
            continue
        if absence.since > start:
            yield start, due, absence.since, is_change
        start, due, is_change = absence.back, absence.due, False
    yield start, due, until, is_change


def judge_stretch(shown, text, start, due, is_change, findings):
    """The text must be the last one that was sent by the time it is due. After an absence it must be sent again."""
    place = bisect_right(shown, due, key=lambda one: one.instant) - 1
    last = shown[place] if place >= 0 else None
    if last is None or last.text != text or not is_change and last.instant < start:
        what = "nothing" if last is None or last.text is None else f"'{last.text}'"
        findings.problem(f"display: {what} at {seconds(due)}, not '{text}', due since {seconds(start)}")
        return
    if not is_change:
        return
    while place > 0 and shown[place - 1].text == text and shown[place - 1].instant >= start:
        place -= 1
    findings.texts += 1
    findings.slowest = max(findings.slowest, shown[place].instant - start)


def judge_brightness(run, shown, findings):
    wrong = [one for one in shown if one.text is not None and one.brightness != run.number("display_brightness", 4)]
    findings.problems += [f"display: brightness {one.brightness} at {seconds(one.instant)}" for one in wrong]


def judge_refresh(run, shown, absences, end, findings):
    instants = [one.instant for one in shown if one.instant <= end] + [end]
    for before, after in zip(instants, instants[1:]):
        is_absent = any(absence.since < after and before < absence.due for absence in absences)
        if after - before > REFRESH + ALLOWED and not is_absent:
            findings.problem(f"display: no text between {seconds(before)} and {seconds(after)}")


def judge_darkness(run, shown, drives, absences, findings):
    """A display is switched off before it is removed and at the end, and its lines are left alone afterwards."""
    gone = [(absence.since, absence.back) for absence in absences if absence.is_removed]
    is_faulty = any(not absence.is_removed and absence.back >= run.end for absence in absences)
    if run.signal is not None and not is_faulty and not any(since <= run.signal <= back for since, back in gone):
        gone.append((run.signal, run.exit or run.signal + ALLOWED))
    for since, back in gone:
        until = min(since + ALLOWED, back)
        before = [one for one in shown if one.instant <= until]
        if not before or before[-1].text is not None:
            findings.problem(f"display: not switched off at {seconds(until)}")
        late = [drive for drive in drives if since + ALLOWED < drive.instant < back]
        findings.problems += [f"display: its lines are used at {seconds(drive.instant)}" for drive in late[:1]]


def judge_load(run, drives, end, findings):
    """The thread is busy from the first to the last change of a text: it also waits actively."""
    bursts = []
    for drive in drives:
        if drive.instant > end:
            break
        if bursts and drive.instant - bursts[-1][1] < NEAR:
            bursts[-1][1] = drive.instant
            bursts[-1][2] += 1
        else:
            bursts.append([drive.instant, drive.instant, 1])
    costs = [(start, stop - start + calls * CALL) for start, stop, calls in bursts]
    findings.calls = max((calls for _, _, calls in bursts), default=0)
    findings.share = sum(cost for _, cost in costs) / (end - run.mark.instant)
    for start, _ in costs:
        within = sum(cost for other, cost in costs if start <= other < start + 10**9)
        findings.busiest = max(findings.busiest, within / 1e9)
    for what, share in (("in the run", findings.share), ("in a second", findings.busiest)):
        if share > SHARE:
            findings.problem(f"display: {share:.2%} of a core {what}")
    light = [edge.instant for edge in edges(run.writes) if edge.line == LIGHT]
    findings.overlaps = sum(start <= at <= stop for start, stop, _ in bursts for at in light)
