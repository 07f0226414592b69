"""Decodes what a TM1637 display was sent, from the kernel's trace of its two lines, and compares it with what must be shown.

The rules of the serial interface are those of the data sheet (Titan Micro Electronics, TM1637): data changes while the clock is
low. Data that falls while the clock is high is a start, and data that rises is a stop. Each byte has eight bits, the lowest first,
and a ninth clock, for which data must be released so that the chip can acknowledge.
"""

from bisect import bisect_right
from dataclasses import dataclass, field

import replies
import screen
from edges import edges
from glyphs import CHARACTERS, Shown
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

PERIOD = 2_000
"""The shortest period of the clock: 500 kHz."""
WIDTH = 400
"""The shortest time for which the clock is high or low."""
SETTLED = 100
"""The shortest time between a change of data and an edge of the clock."""

NEAR = MS
"""Changes of the lines that are this close belong to one text."""
CALL = 1_150
"""The processor time of a call that sets a line, on a Raspberry Pi 4. In virtual time a call takes no time."""
SHARE = 0.01
"""The most processor time, as a part of one core, in the run and in each second of it."""

POINT = 0x80
"""The eighth segment: the colon at the second digit, nothing at the others."""


# --- From levels to frames ---


@dataclass
class Frame:
    """The bytes between a start and a stop."""

    start: int
    end: int = None
    data: list = field(default_factory=list)


class Wires:
    """Makes frames from the levels of the two lines."""

    def __init__(self):
        self.clock = self.data = True
        self.frame, self.bits = None, []
        self.frames, self.problems = [], []
        self.rise = self.edge = self.change = None
        """The instants of the last rising edge of the clock, of its last edge, and of the last change of data."""

    def problem(self, instant, text):
        self.problems.append(f"display: {text} at {seconds(instant)}")

    def set_clock(self, instant, level):
        if level == self.clock:
            return
        self.clock = level
        if self.edge is not None and instant - self.edge < WIDTH:
            self.problem(instant, f"the clock changed after {instant - self.edge} ns")
        if self.change is not None and instant - self.change < SETTLED:
            self.problem(instant, f"the clock changed {instant - self.change} ns after data")
        self.edge = instant
        if level:
            if self.rise is not None and instant - self.rise < PERIOD:
                self.problem(instant, f"a period of the clock of {instant - self.rise} ns")
            self.rise = instant
            self.clocked(instant)

    def clocked(self, instant):
        if self.frame is None:
            self.problem(instant, "a clock without a start")
            return
        self.bits.append(int(self.data))
        if len(self.bits) == 9:
            if not self.bits.pop():
                self.problem(instant, "data is not released for the acknowledge")
            self.frame.data.append(sum(bit << place for place, bit in enumerate(self.bits)))
            self.bits = []

    def set_data(self, instant, level):
        if level == self.data:
            return
        self.data, self.change = level, instant
        if self.edge is not None and instant - self.edge < SETTLED:
            self.problem(instant, f"data changed {instant - self.edge} ns after the clock")
        if not self.clock:
            return
        if not level:
            if self.frame is not None:
                self.problem(instant, "a start without a stop before it")
            self.frame, self.bits = Frame(instant), []
        elif self.frame is None:
            self.problem(instant, "a stop without a start")
        else:
            # The clock of the stop looked like the first bit of another byte.
            if len(self.bits) != 1:
                self.problem(instant, f"a stop after {len(self.bits)} bits of a byte" if self.bits else "a stop without a clock")
            self.frame.end = instant
            self.frames.append(self.frame)
            self.frame, self.bits = None, []


def frames(drives, clock, data):
    """All frames, and violations of the protocol."""
    wires = Wires()
    for drive in drives:
        if drive.line == clock:
            wires.set_clock(drive.instant, not drive.is_low)
        elif drive.line == data:
            wires.set_data(drive.instant, not drive.is_low)
    if wires.frame is not None:
        wires.problem(wires.frame.start, "no stop after the start")
    if not (wires.clock and wires.data):
        wires.problems.append("display: the last frame left a line low")
    return wires.frames, wires.problems


# --- From frames to texts ---


class Chip:
    """The registers of the chip."""

    def __init__(self):
        self.memory = [0] * 6
        self.level = 0
        self.has_news = False
        self.shown, self.problems = [], []

    def receive(self, frame):
        if not frame.data:
            self.problem(frame, "an empty frame")
            return
        command, *data = frame.data
        if command == 0x40:
            self.refuse_data(frame, data)
        elif command & 0xC0 == 0xC0:
            self.write(frame, command & 0x3F, data)
        elif command & 0xF0 == 0x80:
            self.refuse_data(frame, data)
            self.control(frame, command)
        else:
            self.problem(frame, f"unexpected command {command:#04x}")

    def write(self, frame, address, data):
        if not data or address + len(data) > len(self.memory):
            self.problem(frame, f"{len(data)} bytes for address {address}")
            return
        self.memory[address : address + len(data)] = data
        self.has_news = True
        if self.level:
            self.show(frame)

    def control(self, frame, command):
        was_on, self.level = bool(self.level), (command & 7) + 1 if command & 8 else 0
        if not self.level:
            self.shown.append(Shown(frame.end, None))
        elif not was_on:
            self.show(frame)
        elif self.shown and self.shown[-1].brightness != self.level:
            self.show(frame)

    def show(self, frame):
        text, faults = text_of(self.memory)
        for fault in faults:
            self.problem(frame, fault)
        self.shown.append(Shown(frame.end, text, self.level))

    def refuse_data(self, frame, data):
        if data:
            self.problem(frame, f"{len(data)} bytes after a command without data")

    def problem(self, frame, text):
        self.problems.append(f"display: {text} in the frame at {seconds(frame.start)}")


def text_of(memory):
    """The text of four digits and the colon, and what is wrong with it. A `5` may also be an `S`."""
    text, faults = "", []
    for place, segments in enumerate(memory[:4]):
        if segments & POINT and place != 1:
            faults.append(f"a point at digit {place}")
        sign = CHARACTERS.get(segments & ~POINT)
        if sign is None:
            faults.append(f"unknown segments {segments:#04x} at digit {place}")
        text += (sign or "?") + (":" if place == 1 and segments & POINT else "")
    return text, faults


def decode(drives, clock, data):
    """Everything that was shown, and the violations of the protocol."""
    chip = Chip()
    found, problems = frames(drives, clock, data)
    for frame in found:
        chip.receive(frame)
    return chip.shown, problems + chip.problems


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
        shown, findings.problems = decode(drives, clock, data)
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
