"""The kernel's trace of one scenario, read from the files that the bench's init wrote, and the messages of a MIDI port."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Event:
    """An event at an instant, in nanoseconds of CLOCK_MONOTONIC."""

    instant: int


@dataclass(frozen=True, slots=True)
class Mark(Event):
    """A mark written by the scenario: `run`, `press`, `signal` ..., with operands and KEY=VALUE settings."""

    word: str
    operands: tuple
    settings: tuple

    def setting(self, key, default):
        return dict(self.settings).get(key, default)


@dataclass(frozen=True, slots=True)
class Interrupt(Event):
    """An interrupt for an edge on a watched line, as the kernel timestamped it."""

    number: int


@dataclass(frozen=True, slots=True)
class Level(Event):
    """The level that the kernel read after an interrupt of this number; it gives the direction of the edge."""

    number: int
    line: int
    value: int


@dataclass(frozen=True, slots=True)
class Write(Event):
    """A line was set to a value, possibly the value that it already had."""

    task: str
    line: int
    value: int


@dataclass(frozen=True, slots=True)
class Wake(Event):
    """A task woke up the thread that sets the lines."""

    task: str


@dataclass(frozen=True, slots=True)
class Drive(Event):
    """An open-drain line was pulled low, or released. The kernel makes an open drain of the direction of the line: a released
    line is an input."""

    task: str
    line: int
    is_low: bool


@dataclass(frozen=True, slots=True)
class Transfer(Event):
    """A byte and a block of data were written to the device on the I2C bus."""

    first: int
    data: tuple


@dataclass(frozen=True, slots=True)
class Position(Event):
    """The Dummy card had played this many frames since its start."""

    frames: int


LINE = re.compile(
    r"^\s*(?P<task>.+-\d+)\s+\[\d+\]\s+\S+\s+(?P<seconds>\d+)\.(?P<micros>\d+): (?P<event>\w+): (?P<rest>.*)$"
)
RAW = re.compile(r"^\d+ \d+ (?P<instant>\d+) ")
INTERRUPT_THREAD = re.compile(r"irq/(\d+)-")
SMBUS = re.compile(r"i2c-\d+ a=\w+ f=\w+ c=(?P<first>\w+) I2C_BLOCK_DATA l=\d+ \[(?P<data>[0-9a-f-]+)\]")
HWPTR = re.compile(r"pcmC0D0p/sub0: (?:IRQ|POS): pos=(\d+), old=(\d+), base=(\d+), period=\d+, buf=(\d+)")


class Unreadable(Exception):
    """The trace is incomplete, so the scenario cannot be judged."""


def seconds(instant):
    return f"{instant / 1e9:.6f} s"


def messages(stamps):
    """[(time of the first byte, bytes)] of (time, byte). A status that is left out is that of the message before; messages of the system
    may come within others."""
    found, begin, message = [], None, []
    for time, byte in stamps:
        if byte >= "F8":
            found.append((time, byte))
            continue
        if byte >= "80":
            begin, message = time, [byte]
        elif begin is None:
            begin = time
            message.append(byte)
        else:
            message.append(byte)
        status = message[0] if message and message[0] >= "80" else ""
        wanted = {"C": 2, "D": 2}.get(status[:1], 3) if status[:1] != "F" else {"F2": 3, "F1": 2, "F3": 2}.get(status, 1)
        if status and len(message) == wanted:
            found.append((begin, " ".join(message)))
            begin, message = None, [status] if status[0] != "F" else []
    return found


def lines_of(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def read(folder):
    """All events of a results folder, in order of time."""
    folder = Path(folder)
    stats = (folder / "trace.stats").read_text()
    lost = re.findall(r"^(overrun|commit overrun|dropped events): (\d+)$", stats, re.M)
    if len(lost) != 3 or any(int(count) for _, count in lost):
        raise Unreadable(f"the kernel's trace lost events: {lost}")
    return parse((folder / "trace").read_text(), (folder / "trace.raw").read_text())


def parse(text, raw):
    """Joins the trace's two forms: one has fields and microseconds, the other nanoseconds but no fields."""
    fields, instants = lines_of(text), lines_of(raw)
    if len(fields) != len(instants):
        raise Unreadable(f"the trace has {len(fields)} events in text and {len(instants)} in raw form")
    events, base = [], 0
    for line, raw_line in zip(fields, instants):
        match, instant = LINE.match(line), int(RAW.match(raw_line)["instant"])
        if not match:
            raise Unreadable(f"invalid line in the trace: {line!r}")
        if abs((instant + 500) // 1000 - int(match["seconds"]) * 1_000_000 - int(match["micros"])) > 1:
            raise Unreadable(f"the trace's two forms differ at: {line!r}")
        rest = match["rest"]
        if match["event"] == "tracing_mark_write" and rest.startswith("bench "):
            mark = parse_mark(instant, rest)
            if mark.word == "chip":
                base = int(mark.setting("base", 0))
            events.append(mark)
        elif match["event"] == "irq_handler_entry":
            events.append(Interrupt(instant, int(re.match(r"irq=(\d+)", rest)[1])))
        elif match["event"] == "gpio_value":
            number, direction, value = rest.split()
            if direction == "set":
                events.append(Write(instant, match["task"], int(number) - base, int(value)))
            elif (thread := INTERRUPT_THREAD.match(match["task"])):
                events.append(Level(instant, int(thread[1]), int(number) - base, int(value)))
        elif match["event"] == "sched_wakeup" and rest.startswith("comm=beats "):
            events.append(Wake(instant, match["task"]))
        elif match["event"] == "gpio_direction":
            number, direction, error = rest.split()
            if error == "(0)":
                events.append(Drive(instant, match["task"], int(number) - base, direction == "out"))
        elif match["event"] == "smbus_write" and (found := SMBUS.match(rest)):
            # The first byte is the number of the others.
            data = bytes.fromhex(found["data"].replace("-", ""))
            events.append(Transfer(instant, int(found["first"], 16), tuple(data[1:])))
        elif match["event"] == "hwptr" and (found := HWPTR.match(rest)):
            events.append(Position(instant, frames_played(*map(int, found.groups()))))
    return events


def parse_mark(instant, text):
    word, *others = text.split()[1:]
    return Mark(
        instant,
        word,
        tuple(other for other in others if "=" not in other),
        tuple(tuple(other.split("=", 1)) for other in others if "=" in other),
    )


def frames_played(position, old, base, buffer):
    """Frames since the start of the stream, from a position in the buffer and the last known one."""
    frames = base + position
    return frames + buffer if frames < old else frames
