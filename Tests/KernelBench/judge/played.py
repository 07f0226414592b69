"""The runs of the program in a record: what came in, as events of a script, and what came out, as streams of events.

A stream is a list of tuples (time, value), in nanoseconds since the start of the run; its key is the name of the output.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

import record
import screen
import sound
import tm1637
from edges import calls
from wiring import Wiring

CLOCK = 256
"""The kernel's clock shows multiples of this many nanoseconds, and goes on by so much whenever it is read."""
READ, RECEIVED = 27 * CLOCK, 5 * CLOCK
"""How long after the signal the program reads the clock for a reload if the trace does not show it, and how long after it was sent for a
command."""
SOON = 200 * CLOCK
"""So long after the signal at most the trace shows it: the control thread sets a line or wakes up the thread that sets them, and no other
reading comes between."""
RELOAD = 1_000_000
"""How long a reload takes: the program releases and requests its lines, and the simulation does that at once."""
REACTION = 12_000
"""A level that lasts no longer is none: a stop and the end of a pulse may be on different threads."""
STALLED = 500_000_000
"""After the program was stopped one flash may be late."""
REOPENED = 1_100_000_000
"""A MIDI port that is back is open after this time."""
RETURNED = 1_000_000
"""After the lines were requested again they show the beat within this time."""
DARK = 1_000_000
"""After the signal to end, all lines are off within this time."""
KILLED = 128 + 9
"""The exit code after SIGKILL, which the program cannot handle: its lines keep their levels."""
CONTROL = re.compile(r"metronome-\d+$")
"""The name of the control thread in the trace."""
BLANK = " " * 4
BLINK = 300_000_000
"""The text of a display that is off, and how soon it is on again after its lines were requested."""
REFRESH = 5_300_000_000
"""A text is sent again after this time at the latest."""
SHOWN = 300_000_000
"""A display that is back shows its text within this time."""
BOUNCED = 20_000_000
"""After this time a contact does not bounce any more."""


class Difference(Exception):
    """The run is not as it must be."""


@dataclass
class Run:
    name: str
    mark: record.Mark
    folder: Path
    """Where the configurations are."""
    configuration: str
    start: int = None
    end: int = None
    exit: int = None
    code: int = None
    wanted_code: int = 0
    inputs: list = field(default_factory=list)
    """(instant, text): events in the language of scripts."""
    reloads: list = field(default_factory=list)
    """(instant, file)"""
    read: dict = field(default_factory=dict)
    """{instant of a reload: when the program read the clock for it}"""
    commands: list = field(default_factory=list)
    """The instants of commands of other programs that are known less exactly."""
    dark: list = field(default_factory=list)
    """(from, to): when the lines could not be set."""
    mute: list = field(default_factory=list)
    """(from, to): when the card could not be used."""
    deaf: list = field(default_factory=list)
    """(from, to): when the MIDI outputs could not be used."""
    blind: list = field(default_factory=list)
    """(from, to): when the display could not be used."""
    cards: list = field(default_factory=list)
    """(from, ppm): how much too fast the card is."""
    contacts: list = field(default_factory=list)
    """(instant, line, whether it is closed)"""
    bounces: list = field(default_factory=list)
    """(instant, how many edges a contact must make from then on)"""
    open: dict = field(default_factory=dict)
    """{mark: instant}: what cannot be used just now."""
    writes: list = field(default_factory=list)
    drives: list = field(default_factory=list)
    wakes: list = field(default_factory=list)
    transfers: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    wirings: list = None
    """(from, Wiring)"""

    def setting(self, key, default=None):
        return self.mark.setting(key, default)

    def wiring(self, instant):
        return [wiring for since, wiring in self.wirings if since <= instant][-1]

    def settle(self):
        """Called once, after the last event."""
        acts = sorted(one.instant for one in (*self.writes, *self.wakes) if CONTROL.match(one.task))
        for at, _ in self.reloads:
            place = bisect_right(acts, at)
            is_shown = place < len(acts) and acts[place] <= at + SOON
            self.read[at] = acts[place] if is_shown else at + READ
        for instant, line, is_closed in self.contacts:
            if button := self.button(instant, line):
                self.inputs.append((instant, f"{'down' if is_closed else 'up'} {button}"))
        for at, wanted in self.bounces:
            found = sum(at <= instant < at + BOUNCED for instant, *_ in self.contacts)
            if found != wanted:
                self.problems.append(f"invalid test: {found} edges at {record.seconds(at)}, not {wanted}")
        if self.setting("port") == "none" and self.deaf:
            self.deaf[0] = (self.start, self.deaf[0][1])
        if "display" in self.open:
            self.blind.append((self.open["display"], self.end))
        if self.setting("display") == "none":
            self.blind[0] = (self.start, self.blind[0][1])
        self.inputs.sort(key=lambda one: one[0])
        levels = {}
        for instant, text in self.inputs:
            word, *words = text.split()
            if word == "unplug":
                levels = {button: level for button, level in levels.items() if not button.endswith(f"@{words[0]}")}
            if word in ("down", "up"):
                if levels.get(words[0], "up") == word:
                    self.problems.append(f"invalid test: {text} twice at {record.seconds(instant)}")
                levels[words[0]] = word

    def button(self, instant, line):
        wirings = [self.wiring(instant), *(wiring for _, wiring in self.wirings)]
        return next((one.buttons[line] for one in wirings if line in one.buttons), None)

    @property
    def script(self):
        events = self.inputs + [(self.read[instant], f"reload {file}") for instant, file in self.reloads]
        kept = sorted((one for one in events if self.start <= one[0] < self.end), key=lambda one: one[0])
        return "".join(f"{decimal(instant - self.start)}s {text}\n" for instant, text in kept)

    def delay(self, port, since):
        """By how much later a reload at this time makes a MIDI port send."""
        latencies = []
        for instant in (since + self.start - 1, since + self.start):
            ports = (self.wiring(instant).settings.get("midi") or {}).get("out") or []
            number = int(port.split()[1]) - 1
            latencies.append(int(ports[number].get("latency_us", 0)) * 1_000 if number < len(ports) else 0)
        return max(0, latencies[0] - latencies[1])

    def tick(self, time):
        """When the kernel's clock shows this time for the first time."""
        return -(-(time + self.start) // CLOCK) * CLOCK - self.start

    # --- What came out -------------------------------------------------------------------------------------------------

    def edges(self):
        """{output: [(time, whether it is on)]}. The instant of a call is that of its first write."""
        found, known = {}, {line: name for _, wiring in self.wirings for line, (name, _) in wiring.outputs.items()}
        for call in calls([one for one in self.writes if one.line in known]):
            instant = call[0].instant
            outputs = self.wiring(instant).outputs
            for write in call:
                # A line that the configuration does not have any more is dark.
                name, is_low = outputs.get(write.line, (known[write.line], bool(write.value)))
                found.setdefault(name, []).append((instant - self.start, bool(write.value) != is_low))
        return {name: self.changes(writes) for name, writes in found.items()}

    def changes(self, writes):
        """The edges among writes before the end. All edges of a reload are at its instant, and those of the time when the lines could
        not be set are left out."""
        reloads = [(at - self.start, self.read[at] - self.start) for at, _ in self.reloads]
        end = self.end - self.start - (RELOAD if self.reloads else 0)
        dark = [(since - self.start, until - self.start) for since, until in self.dark]
        found, level = [], False
        for time, value in writes:
            time = next((read for since, read in reloads if since <= time <= since + RELOAD), time)
            if value == level or time >= end:
                continue
            if found and time - found[-1][0] <= REACTION and found[-1][1] == level:
                found.pop()
            else:
                found.append((time, value))
            level = value
        seen = False
        kept = []
        for time, value in found:
            if not any(since <= time < until for since, until in dark) and value != seen:
                kept.append((time, value))
                seen = value
            elif any(since <= time < until for since, until in dark):
                seen = value
        return kept

    def texts(self):
        """{"display": [(time, text)]}, without those that are sent again. Notes what is wrong with the signals."""
        wiring = next((wiring for _, wiring in self.wirings if wiring.display or wiring.has_screen), None)
        if not wiring:
            return None
        if wiring.has_screen:
            shown, problems = screen.decode(self.transfers, wiring.settings["display"].get("chip", "ssd1306"))
        else:
            lines = wiring.display
            shown, problems = tm1637.decode([one for one in self.drives if one.line in lines], *lines)
        self.problems += problems
        brightness = int((wiring.settings["display"]).get("brightness", 4))
        for one in shown:
            if one.text is not None and one.brightness not in (None, brightness):
                self.problems.append(f"display: brightness {one.brightness} at {record.seconds(one.instant)}, not {brightness}")
        instants = [one.instant for one in shown if one.instant < self.end] + [self.end]
        for before, after in zip(instants, instants[1:]):
            if after - before > REFRESH and not any(since < after and before < until for since, until in self.blind):
                self.problems.append(f"display: no text between {record.seconds(before)} and {record.seconds(after)}")
        shown = [(one.instant - self.start, one.text or BLANK) for one in shown]
        found = []
        for (time, text), following in zip(shown, [*shown[1:], None]):
            # A display whose lines are requested again is switched off and on.
            if text != BLANK or not following or following[0] - time >= BLINK:
                found.append((time, text))
        return {"display": self.seen(found)}

    def seen(self, texts):
        """The changes of the text; the text after a time when the display could not be used is one."""
        blind = [(since - self.start, until - self.start) for since, until in self.blind]
        found = []
        last = None
        for time, text in texts:
            if not any(since <= time < until for since, until in blind) and text != last:
                found.append((time, text))
            # Also of one that was shown meanwhile: a screen sends a page again after a second, which is no change.
            last = text
        for _, until in blind:
            before = [text for time, text in texts if time < until]
            if before and until < self.end - self.start:
                found.append((until, f"{before[-1]} again"))
        return sorted(found)

    def midi(self, file):
        """[(time, message)] of a record of the tool midi-ear."""
        lines = [line.split() for line in file.read_text().splitlines()]
        stamps = [(int(words[0]), words[1]) for words in lines if len(words) == 2 and words[0].isdigit()]
        return record.messages((at - self.start, byte) for at, byte in stamps if self.mark.instant <= at < self.end)

    def sounds(self, files, is_second=False):
        """{sound: [(time, value)]} of the records of ears; `is_second`: at the second card, whose rate the scenario checks."""
        found = {}
        for file in files:
            heard = sound.Recording(file.read_text())
            instant = heard.map.instant if heard.map else sound.dummy_map(self.positions)
            for name, events in heard.streams(lambda frame, instant=instant: instant(frame) - self.start).items():
                found.setdefault(name, []).extend(one for one in events if 0 <= one[0] < self.exit - self.start)
            if not is_second:
                self.check_rate(heard.map)
        return {name: sorted(events) for name, events in found.items()}

    def check_rate(self, frames):
        """The card must have the rate that the scenario gave it."""
        if not frames:
            return
        for (since, wanted), (until, _) in zip(self.cards, self.cards[1:] + [(self.exit, 0)]):
            rate = frames.rate(since + 10**9, until)
            if rate is not None and abs(rate - wanted) > sound.RATE_ERROR:
                self.problems.append(f"invalid test: the card ran at {rate:+.1f} ppm after {record.seconds(since)}, not at {wanted:+d}")

    def check_end(self):
        """After the signal to end every line is off, and stays off."""
        if self.exit is None:
            raise Difference("the run has no end: after start_metronome comes end_metronome")
        if self.code != self.wanted_code:
            self.problems.append(f"the program ended with {self.code}, not {self.wanted_code}")
        lit = self.setting("lit")
        edges = self.edges().get("light", [])
        if lit is not None and lit != str(int(bool(edges and edges[-1][1]))):
            self.problems.append("invalid test: the light was " + ("off" if lit == "1" else "on") + " at the signal")
        if self.code == KILLED:
            return
        for line, (name, is_low) in self.wiring(self.end).outputs.items():
            levels = [(one.instant, bool(one.value) != is_low) for one in self.writes if one.line == line]
            if any(is_on and instant > self.end + DARK for instant, is_on in levels) or levels and levels[-1][1]:
                self.problems.append(f"{name} is on after the end")

    # --- What came in --------------------------------------------------------------------------------------------------

    def read_events(self, text):
        """The record of the tool life-player."""
        for line in text.splitlines():
            instant, word, *words = line.split(" ", 3)
            instant = int(instant)
            if word == "end":
                self.end = instant
            elif word == "reload":
                self.reloads.append((instant, words[0]))
            elif word == "do":
                self.inputs.append((instant + RECEIVED, f"do {decimal(int(words[0]) + RECEIVED)}s ago {words[1]}"))

    def read_devices(self, text):
        """The record of the tool hand-device: lines `NANOSECONDS DEVICE key|rel CODE VALUE` or `NANOSECONDS DEVICE plug|unplug`. The
        program's times are whole microseconds."""
        devices = [(name, meanings) for name, meanings in self.wirings[0][1].devices]
        is_there = dict.fromkeys(range(len(devices)), False)
        begins = True
        for line in text.splitlines():
            stamp, device, kind, *operands = line.split()
            instant = int(stamp) // 1000 * 1000
            if begins and instant >= self.start:
                begins = False
                self.inputs += [(self.start, f"unplug {number + 1}") for number, there in is_there.items() if not there and devices[number][0]]
            for number, (name, meanings) in enumerate(devices):
                if name != device:
                    continue
                if kind in ("plug", "unplug"):
                    is_there[number] = kind == "plug"
                    text = f"{kind} {number + 1}"
                else:
                    code, value = map(int, operands)
                    meaning = meanings.get((kind, code))
                    if not meaning or kind == "key" and value > 1:
                        continue
                    text = f"turn {meaning}@{number + 1} {value}" if kind == "rel" else f"{'down' if value else 'up'} {meaning}@{number + 1}"
                if self.start <= instant < self.end:
                    self.inputs.append((instant, text))

    def read_source(self, messages):
        """The messages of a MIDI source, (time, message), as a receiver beside the program got them."""
        words = {"F8": "clock 1 for 1ms", "FA": "start", "FB": "continue", "FC": "stop"}
        for time, message in messages:
            status, *data = message.split()
            if status == "F2":
                self.inputs.append((self.start + time, f"midi position {int(data[0], 16) + 128 * int(data[1], 16)}"))
            elif status in words:
                self.inputs.append((self.start + time, f"midi {words[status]}"))


def decimal(nanoseconds):
    """In seconds."""
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


def split(events, folder, accepts, lives=None):
    """The runs in a record. `folder`: the results; `accepts`: whether a configuration is valid; `lives`: where those of lives are."""
    found, run, interrupts, cards = [], None, {}, []
    for event in events:
        word = event.word if isinstance(event, record.Mark) else None
        if word == "card":
            cards.append((event.instant, int(event.setting("ppm", 0))))
        if word == "run":
            name = event.operands[0]
            run = Run(name, event, *((lives / name, "configuration.yaml") if lives else (folder, f"{name}.yaml")))
            run.wirings = [(0, Wiring((run.folder / run.configuration).read_text()))]
            run.cards = [(event.instant, ppm) for _, ppm in cards[-1:]]
            # The service of a box has started before.
            run.start = event.instant if event.setting("started", None) else None
            interrupts = {}
            found.append(run)
        elif word == "exit" and run:
            run.exit, run.code, run = event.instant, int(event.operands[0]), None
        elif word and run:
            heed(run, event)
        elif run:
            add(run, event, interrupts)
    for run in found:
        run.start = run.start or run.mark.instant
        if lives:
            # A life is too short to measure the rate.
            run.cards = []
            run.read_events((folder / f"{run.name}.events").read_text())
        run.end = run.end or run.exit
        run.wirings += [(at, Wiring((run.folder / file).read_text())) for at, file in run.reloads if accepts(run.folder, file)]
        if (folder / "inputs").exists():
            run.read_devices((folder / "inputs").read_text())
        if run.setting("source"):
            run.read_source(run.midi(folder / run.setting("source")))
        if run.setting("card") == "none":
            run.inputs.append((run.start, "card unplug"))
        if run.setting("port") == "none":
            run.inputs.append((run.start, "midi out 1 unplug"))
        run.settle()
    return found


def add(run, event, interrupts):
    """An event of the kernel."""
    if isinstance(event, (record.Write, record.Drive)):
        run.start = run.start or event.instant
        if "back" in run.open:
            del run.open["back"]
            run.dark.append((run.open.pop("gone"), event.instant + RETURNED))
    if isinstance(event, record.Write):
        run.writes.append(event)
    elif isinstance(event, record.Wake):
        run.wakes.append(event)
    elif isinstance(event, record.Drive):
        run.drives.append(event)
    elif isinstance(event, record.Transfer):
        run.transfers.append(event)
    elif isinstance(event, record.Position):
        run.positions.append(event)
    elif isinstance(event, record.Interrupt):
        interrupts.setdefault(event.number, event.instant)
    elif isinstance(event, record.Level) and event.number in interrupts:
        run.contacts.append((interrupts.pop(event.number), event.line, event.value == 0))


def heed(run, mark):
    """A mark of the scenario."""
    at, kind = mark.instant, mark.operands[0] if mark.operands else None
    match mark.word:
        case "signal":
            run.end, run.wanted_code = at, int(mark.setting("code", 0))
        case "elsewhere":
            run.inputs.append((at, f"do {' '.join(mark.operands)}"))
            run.commands.append(at)
        case "reload":
            run.reloads.append((at, kind))
        case "card":
            run.cards.append((at, int(mark.setting("ppm", 0))))
        case "gone":
            run.start = run.start or at
            run.open[mark.word] = at
        case "back" if "gone" in run.open:
            run.open[mark.word] = at
        case "stall":
            run.open[mark.word] = at
        case "resume":
            run.dark.append((run.open["stall"], at + STALLED))
            run.mute.append(run.dark[-1])
            run.deaf.append(run.dark[-1])
            run.inputs.append((run.open["stall"], f"late midi {decimal(at - run.open['stall'])}s"))
        case "mute":
            run.open[mark.word] = at
            run.inputs.append((at, "card unplug"))
        case "sounding":
            run.mute.append((run.open["mute"], at + int(mark.setting("after_ms", 0)) * 1_000_000))
            run.inputs.append((at, "card plug"))
        case "display" if kind == "back":
            run.blind.append((run.open.pop("display"), at + int(mark.setting("after_ms", 0)) * 1_000_000 + SHOWN))
        case "display":
            run.open[mark.word] = at
        case "port" if kind == "back":
            run.deaf.append((run.open["port"], at + REOPENED))
            run.inputs.append((at, "midi out 1 plug"))
        case "source":
            run.inputs.append((at, f"midi {kind}"))
        case "port":
            run.open[mark.word] = at
            run.inputs.append((at, "midi out 1 unplug"))
        case "bounces":
            run.bounces.append((at, int(kind)))
