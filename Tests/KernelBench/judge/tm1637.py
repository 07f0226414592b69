"""Decodes what a TM1637 display was sent, from the kernel's trace of its two lines.

The rules of the serial interface are those of the data sheet (Titan Micro Electronics, TM1637): data changes while the clock is
low. Data that falls while the clock is high is a start, and data that rises is a stop. Each byte has eight bits, the lowest first,
and a ninth clock, for which data must be released so that the chip can acknowledge.
"""

from dataclasses import dataclass, field

from glyphs import CHARACTERS, Shown
from record import seconds

PERIOD = 2_000
"""The shortest period of the clock: 500 kHz."""
WIDTH = 400
"""The shortest time for which the clock is high or low."""
SETTLED = 100
"""The shortest time between a change of data and an edge of the clock."""

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
