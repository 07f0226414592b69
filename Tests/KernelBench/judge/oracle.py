"""Compares lives on a real kernel with the simulation: python3 judge/oracle.py METRONOME EAR LIVES RESULTS.

RESULTS are those of the kernel: the trace, and for each life NAME the record NAME.events of the player. LIVES has the files of each
life. What came in according to the record becomes a script; METRONOME simulates it; and what came out must be the same.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import ear
import record
import tm1637
from edges import calls
from life import BUTTONS, DISPLAY, OUTPUTS, line_of

LINES = 2_000
"""How far an edge of a line may be from that of the simulation, in nanoseconds."""
REACTION = 12_000
"""The same for the end of a pulse, which may be the reaction to a press: reading the clock takes 256 ns on this kernel, and the
program and the trace read it some twenty times on the way from one thread to the other."""
READ = 6_800
RECEIVED = 1_280
"""How long after the signal the program has read the instant of a reload, and how long after it was sent that of a command."""
TICK = 300
"""The instant at which a command is read is known to the next reading of the clock. At a change from a fast to a slow tempo the beat
keeps its phase, so this grows with the ratio of the tempi."""
RELOADED = 20_000
"""So much more for every edge after a reload: the beats keep the phase of the instant at which the program read it."""
MIDI = 15_000
WAITING = 250_000
"""The same for a MIDI message. With sound it waits for the thread that works meanwhile on the only core of this kernel, and after a
reload until its port is open again."""
CLICKS = 200_000
"""The same for a click."""
RINGING = 40_000_000
"""How long a click sounds, at most."""
OPENING = 900_000
"""Before this time after the start the program may open its ports and its card, and sends nothing but clocks."""
WAITS = {"MIDI bytes": 100}
"""One in so many of these may be as late without sound, because the control thread was busy: with a score it is, for long."""
BLANK = " " * 4
BLINK = 300_000_000
"""The text of a display that is off, and how soon it is on again after its lines were requested."""
TEXTS = 10_000_000
"""The same for a text of the display, which takes milliseconds to send."""
FIRST_CLICKS = 1_500_000
SETTLING = 2 * 10**9
"""The same for the clicks in the first two seconds after a card was opened, while the program measures its rate and its position."""
LATE = 1_000_000
"""How late the program may start by itself, and how much later than the simulation it may open its MIDI ports."""
BEGINNING = 10
"""How late it did so is measured with so many edges, because the first of them are late."""
RELOAD = 1_000_000
"""How long a reload takes: the program releases and requests its lines, and the simulation does that at once."""
RELOADING = 500_000
"""The same for MIDI outputs."""
BUTTON_OF = {line_of(line): button for button, line in BUTTONS.items()}
DISPLAY_LINES = [line_of(name) for name in DISPLAY]
OUTPUT_OF = {line_of(line): output for output, line in OUTPUTS.items()}


class Difference(Exception):
    """The kernel's outputs are not those of the simulation."""


class Life:
    """What came in and what came out, in nanoseconds since the program requested its first line."""

    def __init__(self, name, folder, marked):
        self.name, self.folder, self.marked = name, folder, marked
        self.start, self.end, self.code = None, None, None
        self.inputs = []
        """(instant, text): events in the language of scripts."""
        self.reloads = []
        self.writes = []
        """Of the outputs."""
        self.drives = []
        """Of the lines of a display."""
        self.interrupts = {}

    def add(self, event):
        if isinstance(event, (record.Write, record.Drive)) and self.start is None:
            self.start = event.instant
        if isinstance(event, record.Drive) and event.line in DISPLAY_LINES:
            self.drives.append(event)
        if isinstance(event, record.Interrupt):
            self.interrupts.setdefault(event.number, event.instant)
        elif isinstance(event, record.Level) and event.line in BUTTON_OF and event.number in self.interrupts:
            word = "down" if event.value == 0 else "up"
            self.inputs.append((self.interrupts.pop(event.number), f"{word} {BUTTON_OF[event.line]}"))
        elif isinstance(event, record.Write) and event.line in OUTPUT_OF:
            self.writes.append(event)

    def read_events(self, text):
        """The record of the player."""
        for line in text.splitlines():
            instant, word, *words = line.split(" ", 3)
            instant = int(instant)
            if word == "end":
                self.end = instant
            elif word == "reload":
                self.reloads.append((instant, words[0]))
            elif word == "do":
                self.inputs.append((instant + RECEIVED, f"do {seconds(int(words[0]) + RECEIVED)}s ago {words[1]}"))

    @property
    def script(self):
        reloads = [(instant + READ, f"reload {file}") for instant, file in self.reloads]
        kept = sorted((one for one in self.inputs + reloads if self.start <= one[0] < self.end), key=lambda one: one[0])
        drift = f"0s card drifts {self.ppm:+d}ppm\n" if self.ppm else ""
        return drift + "".join(f"{seconds(instant - self.start)}s {text}\n" for instant, text in kept)

    def check_contacts(self):
        """Two changes within one tick of the kernel are one edge, which the simulation cannot say."""
        levels = {}
        for instant, text in sorted(self.inputs):
            word, *words = text.split()
            if word in ("down", "up"):
                if levels.get(words[0], "up") == word:
                    raise Difference(f"invalid test: {text} twice at {seconds(instant - self.start)} s")
                levels[words[0]] = word

    @property
    def ppm(self):
        """How much too fast the card is."""
        file = self.folder / "ppm"
        return int(file.read_text()) if file.exists() else 0

    def edges(self):
        """{output: [(time, whether it is on)]}"""
        found, wirings = {}, [(0, *wiring(self.folder / "configuration.yaml"))]
        wirings += [(instant, *wiring(self.folder / file)) for instant, file in self.reloads]
        for call in calls(self.writes, of=OUTPUT_OF):
            instant = call[0].instant
            low, absent = [of for since, *of in wirings if since <= instant and of[0] is not None][-1]
            for write in call:
                output = OUTPUT_OF[write.line]
                found.setdefault(output, []).append(
                    (instant - self.start, output not in absent and bool(write.value) != (output in low)))
        return {output: self.changes(writes) for output, writes in found.items()}

    def midi(self, results):
        """{port: [(time, byte)]}"""
        found = {}
        for port in (1, 2):
            stamps = [line.split() for line in (results / f"midi.{port - 1}").read_text().splitlines()[1:]]
            found[f"MIDI {port}"] = [
                (int(instant) - self.start, byte) for instant, byte in stamps if self.marked <= int(instant) < self.end]
        return found

    def texts(self):
        """{"display": [(time, text)]}, without those that are sent again."""
        shown = [(one.instant - self.start, one.text or BLANK) for one in tm1637.decode(self.drives, *DISPLAY_LINES)[0]]
        found = []
        for (time, text), following in zip(shown, [*shown[1:], None]):
            # A display whose lines are requested again is switched off and on.
            is_again = text == BLANK and following and following[0] - time < BLINK
            if not is_again and text != (found[-1][1] if found else None):
                found.append((time, text))
        return {"display": found}

    def clicks(self, results):
        """{"sound": [(time, whether it is high)]}"""
        file = results / f"{self.name}.ear"
        if not file.exists():
            return {}
        heard = ear.Recording(file.read_text())
        return {"sound": [(heard.map.instant(one.frame) - self.start, one.is_high) for one in heard.clicks]}

    def simulated_clicks(self, metronome, tool):
        self.simulate(metronome, ["--audio", "oracle.wav"])
        with (self.folder / "oracle.wav").open("rb") as wav:
            heard = ear.Recording(subprocess.run([tool, "wav"], stdin=wav, capture_output=True, text=True).stdout)
        (self.folder / "oracle.wav").unlink()
        nanoseconds = 10**9 / ear.RATE / (1 + self.ppm / 10**6)
        return {"sound": [(one.frame * nanoseconds, one.is_high) for one in heard.clicks]}

    def simulate(self, metronome, options=()):
        """The edges of the simulation, like `edges`."""
        (self.folder / "oracle.script").write_text(self.script or "0s up play\n")
        trace = self.folder / "oracle.jsonl"
        length = self.end - self.start
        run = subprocess.run(
            [metronome, "simulate", "--virtual", "--config", "configuration.yaml", "--script", "oracle.script", "--for",
             f"{seconds(length)}s", "--trace", "oracle.jsonl", *options],
            cwd=self.folder, capture_output=True, text=True)  # fmt: skip
        if run.returncode:
            raise Difference(f"the simulation ended with {run.returncode}: {run.stderr.strip()}")
        (self.folder / "oracle.err").write_text(run.stderr)
        self.shown, self.changed, self.playing, self.tempi = [], [], [], []
        found, self.sent = {}, {"MIDI 1": [], "MIDI 2": []}
        for line in trace.open():
            event = json.loads(line)
            if event["event"] == "state":
                self.changed.append(event["t"])
                self.playing.append((event["t"], event["playing"]))
                self.tempi.append((event["t"], quarters(event["tempo"])))
            elif event["event"] == "midi":
                self.sent[f"MIDI {event['port']}"] += [(event["t"], byte) for byte in event["bytes"].split()]
            elif event["event"] == "display":
                # Seven segments show the same.
                self.shown.append((event["t"], event["text"].replace("S", "5")))
            elif event["event"] == "line":
                found.setdefault(event["name"], []).append((event["t"], bool(event["value"])))
        return {output: self.changes(writes) for output, writes in found.items()}

    def lateness(self, metronome, since, until, most):
        """How much later than in the simulation the pulses of this time begin."""
        played, simulated = self.edges(), self.simulate(metronome)
        pairs = sorted((other[0], one[0] - other[0]) for output, edges in simulated.items()
                       for one, other in zip(played.get(output, []), edges)
                       if one[1] and other[1] and since <= other[0] + self.start < until)[:BEGINNING]  # fmt: skip
        return min((late for _, late in pairs if -REACTION < late - pairs[0][1] and 0 < late < most), default=0)

    def changes(self, writes):
        """The edges among writes before the end. All edges of a reload are at its instant, and a level that lasts no longer than a
        reaction is none."""
        reloads = [instant - self.start for instant, _ in self.reloads]
        found, level, end = [], False, self.end - self.start - RELOAD
        for time, value in writes:
            time = next((reload + READ for reload in reloads if reload <= time <= reload + RELOAD), time)
            if value == level or time >= end:
                continue
            if found and time - found[-1][0] <= REACTION:
                found.pop()
            else:
                found.append((time, value))
            level = value
        return found


def wiring(file):
    """The outputs of a configuration of the fault finder that are active when low, and those without a line; None if it is
    refused."""
    lines = file.read_text().splitlines()
    if lines in (["tempo: 0"], ["tempo: ["], ["buttons: {play: {line: 7, line: 8}}"], ["x: 1"]):
        return None, None
    low, output = set(), None
    absent = {output for output in OUTPUTS if output.startswith("added") and f"  {output}:" not in lines}
    absent |= set() if "rgb:" in lines else {"green", "blue"}
    for line in lines:
        if not line.startswith("    ") and line.startswith("  "):
            output = line.strip().rstrip(":")
        elif line == "    active: low":
            low |= {"light", "green", "blue"} if output == "light" else {output}
        elif line == "    line: none":
            absent.add(output)
    return low, absent


def seconds(nanoseconds):
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


def shown(event):
    if not event:
        return "nothing"
    words = {True: "on", False: "off"}
    return f"{words.get(event[1], event[1])} at {seconds(round(event[0]))} s"


def compare(kernel, simulation, bound, waits=0):
    """The largest distance of two events, and how many there are. Raises the earliest difference. One in so many events may wait
    for another thread; 0: none may."""
    worst, count, found = 0, 0, []
    for output in sorted({*kernel, *simulation}):
        here, there = kernel.get(output, []), simulation.get(output, [])
        waiting = -(-len(here) // waits) if waits else 0
        for number in range(max(len(here), len(there))):
            one = here[number] if number < len(here) else None
            other = there[number] if number < len(there) else None
            if one and other and one[1] == other[1] and abs(one[0] - other[0]) <= bound(one):
                worst, count = max(worst, abs(one[0] - other[0])), count + 1
                continue
            if one and other and waiting and one[1] == other[1] and 0 <= one[0] - other[0] <= WAITING:
                waiting -= 1
                count += 1
                continue
            time = min(event[0] for event in (one, other) if event)
            found.append((time, f"{output}: on the kernel {shown(one)}, in the simulation {shown(other)}"))
            break
    if found:
        raise Difference(min(found)[1])
    return worst, count


def lives(folder, results):
    """The lives in the results of a kernel."""
    found, life = [], None
    for event in record.read(results):
        if isinstance(event, record.Mark):
            if event.word == "run":
                life = Life(event.operands[0], Path(folder) / event.operands[0], event.instant)
                found.append(life)
            elif event.word == "exit" and life:
                life.code, life = int(event.operands[0]), None
        elif life:
            life.add(event)
    for life in found:
        life.read_events((Path(results) / f"{life.name}.events").read_text())
    return found


def streams(metronome, tool, results, life):
    """Tuples (kind, streams of the kernel, streams of the simulation, bound): all that is compared."""
    if life.code != 0 or life.end is None or life.start is None:
        raise Difference(f"the program ended with {life.code}")
    life.check_contacts()
    if plays_by_itself(life.folder / "configuration.yaml"):
        life.start += life.lateness(metronome, life.start, life.reloads[0][0] if life.reloads else life.end, LATE)
    elif first := [time for events in life.midi(results).values() for time, _ in events[:1]]:
        # The clocks of an output begin when it is opened.
        life.start += min(first) if min(first) < LATE else 0
    has_sound = any("Loopback" in file.read_text() for file in life.folder.glob("*.yaml"))
    reloads = [instant - life.start for instant, _ in life.reloads]
    end = life.end - life.start - LATE

    def of_edge(edge):
        bound = (LINES if edge[1] else REACTION) + (RELOADED if reloads and edge[0] >= reloads[0] else 0)
        tempi = [tempo for since, tempo in life.tempi if since <= edge[0]]
        return bound + (round(TICK * (max(tempi) / tempi[-1] - 1)) if tempi else 0)

    def of_byte(message):
        # Clocks without a beat have the phase of the instant at which it was stopped, or the port opened.
        plays = [is_playing for since, is_playing in life.playing if since <= message[0]]
        return MIDI if plays and plays[-1] and not has_sound and not reloads else WAITING

    def of_click(click):
        return FIRST_CLICKS if any(0 <= click[0] - opened <= SETTLING for opened in [0, *reloads]) else CLICKS

    def until(streams):
        return {name: [event for event in events if OPENING <= event[0] < end] for name, events in streams.items()}

    def sent(streams):
        """All messages of a reload are at its instant, and its clocks are left out: a port may be closed meanwhile."""
        found = {}
        for name, events in until(streams).items():
            during = [next((since for since in reloads if since <= time <= since + RELOADING), None) for time, _ in events]
            found[name] = [
                (time if since is None else since, byte)
                for since, (time, byte) in zip(during, events) if since is None or byte != "F8"]  # fmt: skip
        return found

    found = [("edges", life.edges(), life.simulate(metronome), of_edge)]
    found.append(("MIDI bytes", sent(life.midi(results)), sent(life.sent), of_byte))
    if life.drives:
        found.append(("texts", until(life.texts()), {"display": [one for one in life.shown if one[0] < end]}, lambda _: TEXTS))
    if clicks := life.clicks(results):
        heard = [settled(life, clicks) for clicks in (clicks, life.simulated_clicks(metronome, tool))]
        found.append(("clicks", *heard, of_click))
    return found


def settled(life, clicks):
    """The clicks without those after a change of the state, for which what the card already has by then may still sound or be cut
    off, and without those at the end, which the recordings may lack."""
    text = "".join(file.read_text() for file in life.folder.glob("*.yaml"))
    frames = max(map(int, re.findall(r"^  period: (\d+)", text, re.M)), default=1_024)
    frames *= max(map(int, re.findall(r"^  periods: (\d+)", text, re.M)), default=4)
    pause = frames * 10**9 // ear.RATE + RINGING

    def is_settled(click):
        return click[0] < life.end - life.start - pause and not any(
            -RINGING <= click[0] - changed <= pause for changed in life.changed)

    return {name: [click for click in events if is_settled(click)] for name, events in clicks.items()}


def plant(kernel, simulation, bound):
    """The kernel's streams with one difference each: an event one and a half times as far away as it may be, and one that is
    missing."""
    for output, events in kernel.items():
        # The end of a pulse may be late, and the last click may be left out.
        places = [place for place, event in enumerate(events[:-1]) if event[1] is not False]
        if places:
            place = places[len(places) // 2]
            moved = (simulation[output][place][0] + bound(events[place]) * 3 // 2, events[place][1])
            yield {**kernel, output: [*events[:place], moved, *events[place + 1 :]]}
            yield {**kernel, output: [*events[:place], *events[place + 1 :]]}


def is_different(kernel, simulation, bound):
    try:
        compare(kernel, simulation, bound)
    except Difference:
        return True
    return False


def quarters(text):
    """The quarters per minute of `92.5 BPM` or `3/8 = 92.5 BPM`."""
    unit, number = re.fullmatch(r"(?:(\S+) = )?(\S+) BPM", text).groups()
    numerator, denominator = map(int, (unit or "1/4").split("/"))
    return float(number) * 4 * numerator / denominator


def plays_by_itself(file):
    return "autoplay: true" in file.read_text().splitlines()


def main(metronome, tool, folder, results):
    failed, worst, count, planted, results = 0, {}, {}, 0, Path(results)
    played = lives(folder, results)
    for life in played:
        try:
            for kind, *streams_and_bound in streams(metronome, tool, results, life):
                distance, events = compare(*streams_and_bound, WAITS.get(kind, 0))
                worst[kind], count[kind] = max(worst.get(kind, 0), distance), count.get(kind, 0) + events
                for forged in plant(*streams_and_bound):
                    planted += 1
                    if not is_different(forged, *streams_and_bound[1:]):
                        raise Difference(f"a difference of the {kind} that was planted in the record is not found")
        except (Difference, ear.Unheard) as difference:
            failed += 1
            print(f"FAILED {life.name}: {difference}")
    compared = ", ".join(f"{count[kind]} {kind} at most {worst[kind] / 1000:.3f} µs apart" for kind in count)
    print(f"{len(played)} lives, {failed} different; {compared}; {planted} planted differences found")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: python3 judge/oracle.py METRONOME EAR LIVES RESULTS")
    sys.exit(main(*sys.argv[1:]))
