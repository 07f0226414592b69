"""Compares what came out of a run on the real kernel with the simulation of what came in."""

import json
import re
import shutil
import subprocess
import tempfile
from bisect import bisect_right

import record
import sound
from played import CLOCK, CONTROL, REACTION, Difference, decimal

LINES = 2_000
"""How far the begin of a pulse may be from that of the simulation, in nanoseconds. Its end may be the reaction to a press: reading the
clock takes 256 ns on this kernel, and the program and the trace read it some twenty times on the way from one thread to the other."""
TIMER = 2 * CLOCK
"""So much more if a timer woke up the thread for the edge itself: the timer's interrupt reads the clock, too."""
CUT = 60_000
"""How late a pulse may end that a change of the state ends, unless it ends by itself before: from one thread to the other 37.5 µs were
seen."""
RELOADED = 20_000
"""So much more for every edge after a command of a scenario: the beats keep the phase of the instant at which the program read it."""
MIDI = 15_000
SPIN = 150_000
"""So much more in a life with two ports: the kernel's worker that passes on the bytes of a port waits while the thread spins until the next
message of the other one."""
WAITING = 250_000
"""The same for a MIDI message of a scenario with sound, or without a beat, and after a reload: it waits for the thread that works meanwhile
on the only core of this kernel, and clocks without a beat have the phase of the instant at which a port was opened."""
WAITS = {"MIDI messages": 100}
"""One in so many of these may always be as late, because another thread was busy: with a score the control thread is, for long."""
CLICKS = 200_000
"""The same for a click."""
FIRST_CLICKS = 1_500_000
SETTLING = 2 * 10**9
"""The same for the clicks in the first two seconds after a card was opened, while the program measures its rate and its position."""
GAIN = 0.012
"""The error of the gain of a recognized sound: 0.1 dB."""
RINGING = 40_000_000
"""How long a click sounds, at most."""
BOTH_CARDS = 300_000
"""How far a click of the second card may be from the same click of the first one, once both rates are measured."""
OPENING = 900_000
"""Before this time after the start the program may open its ports and its card, and sends nothing but clocks."""
TEXTS = 10_000_000
"""The same for a text of the display, which takes milliseconds to send."""
LATE = 1_000_000
"""How late the program may start by itself, and how much later than the simulation it may open its MIDI ports."""
BEGINNING = 10
"""How late it did so is measured with so many edges, because the first of them are late."""
RELOADING = 500_000
"""How long the ports of MIDI outputs take to be opened again."""


class Simulation:
    """What came out of the simulation, in the form of the run's own streams."""

    def __init__(self, metronome, run, options=()):
        trace = run.folder / f"{run.name}.jsonl"
        self.command = [
            metronome, "simulate", "--virtual", "--config", run.configuration, "--script", f"{run.name}.script", "--trace", trace.name,
            "--for", f"{decimal(run.end - run.start)}s"]  # fmt: skip
        (run.folder / f"{run.name}.script").write_text(run.script or "0s up play\n")
        self.run = run
        self.simulate(options)
        self.shown, self.changed, self.playing, self.rates, self.beats = [], [], [], [], []
        self.midi = {"MIDI 1": [], "MIDI 2": [], "MIDI 3": []}
        lines = {}
        for line in trace.open():
            event = json.loads(line)
            time = event["t"]
            match event["event"]:
                case "state":
                    self.changed.append(time)
                    self.playing.append((time, event["playing"]))
                    # The beats per minute.
                    self.rates.append((time, quarters(event["tempo"]) * int(event["signature"].rsplit("/", 1)[1]) / 4))
                case "midi":
                    self.midi[f"MIDI {event['port']}"] += [(time, byte) for byte in event["bytes"].split()]
                case "display":
                    # Seven segments show the same. The parts of a page are between bars.
                    text = event["text"]
                    self.shown.append((time, text if "|" in text else text.replace("S", "5")))
                case "hit" if event["slot"] == "0" and not (self.beats and self.beats[-1][1] == event["beat"]):
                    self.beats.append((time, event["beat"]))
                case "line":
                    lines.setdefault(event["name"], []).append((time, bool(event["value"])))
        trace.unlink()
        self.midi = {
            port: [(run.tick(time), message) for time, message in record.messages(stamps)] for port, stamps in self.midi.items()
        }
        self.edges = {output: [(run.tick(time), value) for time, value in run.changes(writes)] for output, writes in lines.items()}

    def simulate(self, options):
        run = self.run
        state = run.folder / f"{run.name}.state"
        with tempfile.TemporaryDirectory() as folder:
            if state.is_dir():
                # The simulation changes it.
                shutil.copytree(state, folder, dirs_exist_ok=True, ignore=lambda *_: ["control"])
                options = [*options, "--state", folder]
            done = subprocess.run([*self.command, *options], cwd=run.folder, capture_output=True, text=True)
        if done.returncode:
            raise Difference(f"the simulation ended with {done.returncode}: {done.stderr.strip()}")
        (run.folder / f"{run.name}.simulated").write_text(done.stderr)

    def sounds(self, ear, known):
        """{sound: [(time, value)]}; `known`: the file of the sounds to recognize, if any."""
        audio = self.run.folder / f"{self.run.name}.wav"
        self.simulate(["--audio", audio.name])
        with audio.open("rb") as wav:
            heard = subprocess.run([ear, "wav", *([known] if known else [])], stdin=wav, capture_output=True, text=True).stdout
        audio.unlink()
        (self.run.folder / f"{self.run.name}.jsonl").unlink()
        return sound.Recording(heard).streams(lambda frame: frame * 10**9 / sound.RATE)


def accepts(metronome):
    """Whether the program accepts a configuration."""
    known = {}

    def ask(folder, file):
        text = (folder / file).read_text()
        if text not in known:
            command = [metronome, "simulate", "--virtual", "--config", file, "--for", "1ms"]
            known[text] = not subprocess.run(command, cwd=folder, capture_output=True).returncode
        return known[text]

    return ask


def quarters(text):
    """The quarters per minute of `92.5 BPM` or `3/8 = 92.5 BPM`."""
    unit, number = re.fullmatch(r"(?:(\S+) = )?(\S+) BPM", text).groups()
    numerator, denominator = map(int, (unit or "1/4").split("/"))
    return float(number) * 4 * numerator / denominator


# --- What is compared --------------------------------------------------------------------------------------------------


def streams(metronome, ear, results, run, lives=False):
    """Tuples (kind, streams of the kernel, streams of the simulation, bound): all that is compared."""
    settings = run.wirings[0][1].settings
    simulation = Simulation(metronome, run)
    plays = settings.get("autoplay") and any(is_playing for time, is_playing in simulation.playing if time == 0)
    if plays:
        late = lateness(run, simulation)
        if late:
            run.start += late
            simulation = Simulation(metronome, run)
    ports = ports_of(run, results)
    if first := [time for events in ports.values() for time, _ in events[:1]]:
        # The clocks of an output begin when it is opened.
        late = min(first) if 0 < min(first) < LATE and not plays else 0
        if late:
            run.start += late
            ports, simulation = ports_of(run, results), Simulation(metronome, run)
    has_sound = any(wiring.frames for _, wiring in run.wirings)
    commands = [at - run.start for at in sorted(run.commands)]
    since = sorted([at - run.start for at, _ in run.reloads] + commands)
    timers = [one.instant - run.start for one in run.wakes if not CONTROL.match(one.task)]
    reloads = [at - run.start for at, _ in run.reloads]
    end = run.end - run.start - LATE
    late = int(run.setting("lateness_us", 20 if run.setting("source") else 0 if lives else 5)) * 1000

    beats, longest = simulation.beats, [0]
    for (before, beat), (after, following) in zip(beats, beats[1:]):
        # Without the pauses between two starts.
        counts = since and after >= since[0] and following == beat + 1
        longest.append(max(longest[-1], after - before if counts else 0))

    def growth(time):
        """What one reading of the clock for a reload may cost later: the beat keeps its phase, so a time at a fast tempo is longer at a
        slow one, and then remains."""
        if not since or time < since[0]:
            return 0
        rates = [rate for _, rate in simulation.rates[: bisect_right(simulation.rates, time, key=lambda one: one[0])]]
        place = bisect_right(beats, time, key=lambda one: one[0])
        # A beat may have several tempi. At the end, one of the last ones may still be due at the next bar.
        length = max(longest[min(place, len(longest) - 1)], 60e9 / min(rates[-1 if place < len(longest) else -8 :], default=1))
        return max(0, round(CLOCK * (max(rates, default=1) * length / 60e9 - 1)))

    def of_edge(edge):
        place = bisect_right(simulation.changed, edge[0])
        is_cut = not edge[1] and place and edge[0] - simulation.changed[place - 1] <= CUT
        bound = max(late, LINES if edge[1] else CUT if is_cut else REACTION)
        woken = bisect_right(timers, edge[0])
        if woken and edge[0] - timers[woken - 1] <= LINES:
            bound += TIMER
        return bound + growth(edge[0]) + (RELOADED if commands and edge[0] >= commands[0] else 0)

    def of_byte(message):
        # Clocks without a beat have the phase of the instant at which it was stopped, or the port opened.
        past = [plays for _, plays in simulation.playing[: bisect_right(simulation.playing, message[0], key=lambda one: one[0])]]
        is_playing = past and past[-1]
        is_exact = not since and (is_playing or not any(past) if lives else is_playing and not has_sound)
        return (MIDI + (SPIN if lives and len(ports) > 1 else 0) if is_exact else WAITING) + growth(message[0])

    def until(streams):
        return {name: [event for event in events if OPENING <= event[0] < end] for name, events in streams.items()}

    def sent(streams):
        """All messages of a reload are at its instant, and its clocks are left out: a port may be closed meanwhile. With a lower latency
        the same messages come later if the port has it already."""
        found = {}
        deaf = [(since - run.start, back - run.start) for since, back in run.deaf]
        for name, events in until(streams).items():
            events = [one for one in events if not any(since <= one[0] < back for since, back in deaf)]
            begins = [(begin, since) for since in reloads for begin in (since, since + run.delay(name, since))]
            during = [next((since for begin, since in begins if begin <= time <= begin + RELOADING), None) for time, _ in events]
            found[name] = [
                (time if since is None else since, byte)
                for since, (time, byte) in zip(during, events) if since is None or byte != "F8"]  # fmt: skip
        return found

    yield "edges", run.edges(), simulation.edges, of_edge
    if ports:
        yield "MIDI messages", sent(ports), sent({port: simulation.midi[port] for port in ports}), of_byte
    if (shown := run.texts()) is not None:
        texts = (shown["display"], run.seen(simulation.shown))
        yield "texts", *({"display": [one for one in of if one[0] < end]} for of in texts), lambda _: TEXTS
    yield from clicks(simulation, ear, results, run)


def ports_of(run, results):
    """{port: [(time, message)]} of the recorded MIDI outputs."""
    if (results / "midi.0").exists():
        return {f"MIDI {port + 1}": run.midi(results / f"midi.{port}") for port in (0, 1)}
    file = results / run.setting("midi", "midi")
    has_output = (run.wirings[0][1].settings.get("midi") or {}).get("out")
    return {"MIDI 1": run.midi(file)} if has_output and file.exists() else {}


def clicks(simulation, ear, results, run):
    own = results / f"{run.name}.ear"
    files = [own] if own.exists() else sorted(one for one in results.glob("ear.*") if one.suffix[1:].isdigit())
    if not files or not any(wiring.frames for _, wiring in run.wirings):
        return
    known = results / "sounds.wav"
    heard = run.sounds(files)
    simulated = simulation.sounds(ear, known if known.exists() else None)
    opened = [0] + [at - run.start for at, _ in run.reloads] + [until - run.start for _, until in run.mute]
    settling = int(run.setting("settle_s", SETTLING // 10**9)) * 10**9
    frames = max(wiring.frames or 0 for _, wiring in run.wirings)
    # After a change of the state, what the card already has may still sound or be cut off.
    pause = frames * 10**9 // sound.RATE + RINGING
    mute = [(since - run.start, until - run.start) for since, until in run.mute]

    def of_click(click):
        return FIRST_CLICKS if any(0 <= click[0] - at <= settling for at in opened) else CLICKS

    def settled(streams):
        """Without those at the end, which the recordings may lack."""
        return {name: [
            one for one in events
            if one[0] < run.end - run.start - pause
            and not any(-RINGING <= one[0] - changed <= pause for changed in simulation.changed)
            and not any(since - pause <= one[0] < until for since, until in mute)] for name, events in streams.items()}  # fmt: skip

    heard, simulated = settled(heard), settled(simulated)
    yield "clicks", without_unsure(heard, simulated), without_unsure(simulated, heard), of_click
    if (second := results / f"{run.name}.second").exists():
        others = settled(run.sounds([second], is_second=True))
        yield "clicks of both cards", without_unsure(heard, others), without_unsure(others, heard), lambda click: max(
            BOTH_CARDS, of_click(click) if of_click(click) == FIRST_CLICKS else 0)


def without_unsure(streams, others):
    """Without the clicks that the ear is not sure of, unless it has found them in both recordings."""
    def is_kept(name, event):
        return len(event) == 2 or event[2] or any(abs(event[0] - other[0]) <= CLICKS for other in others.get(name, []))

    return {name: [event[:2] for event in events if is_kept(name, event)] for name, events in streams.items()}


def lateness(run, simulation):
    """How much later than in the simulation the pulses begin until the first reload."""
    played = run.edges()
    until = run.reloads[0][0] - run.start if run.reloads else run.end
    pairs = sorted((other[0], one[0] - other[0]) for output, edges in simulation.edges.items()
                   for one, other in zip(played.get(output, []), edges) if one[1] and other[1] and other[0] < until)[:BEGINNING]  # fmt: skip
    return min((late for _, late in pairs if -REACTION < late - pairs[0][1] and 0 < late < LATE), default=0)


# --- Comparing ---------------------------------------------------------------------------------------------------------


def is_same(one, other):
    """Whether two values are the same; gains may be a little different."""
    return abs(one - other) <= GAIN * max(0.1, abs(other)) if isinstance(other, float) else one == other


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
            if one and other and is_same(one[1], other[1]) and abs(one[0] - other[0]) <= bound(one):
                worst, count = max(worst, abs(one[0] - other[0])), count + 1
                continue
            if one and other and waiting and one[1] == other[1] and 0 <= one[0] - other[0] <= WAITING:
                waiting -= 1
                count += 1
                continue
            time = min(event[0] for event in (one, other) if event)
            found.append((time, f"{output}: {difference(here, there, number, bound)}"))
            break
    if found:
        raise Difference(min(found)[1])
    return worst, count


def difference(here, there, number, bound):
    """What is different at this place of two streams."""
    one, other, following, next_other = ((events[number:] + [None, None])[place] for place in (0, 1) for events in (here, there))

    def match(event, wanted):
        return event and wanted and is_same(event[1], wanted[1]) and abs(event[0] - wanted[0]) <= bound(event)

    if other and (not one or match(one, next_other)):
        return f"{shown(other)} is missing on the kernel"
    if one and (not other or match(following, other)):
        return f"{shown(one)} is only on the kernel"
    return f"on the kernel {shown(one)}, in the simulation {shown(other)}"


def check_calls(kernel, simulation):
    """Lines that change at one instant in the simulation change in one call on the kernel. The streams are already the same."""
    found = {}
    for output, events in simulation.items():
        for one, other in zip(kernel.get(output, []), events):
            found.setdefault(other[0], set()).add(one[0])
    for time, instants in found.items():
        if len(instants) > 1:
            raise Difference(f"the lines that change at {decimal(time)} s do not change in one call")


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


def shown(event):
    if not event:
        return "nothing"
    words = {True: "on", False: "off"}
    value = event[1]
    return f"{words.get(value, value) if isinstance(value, bool) else repr(value)} at {decimal(round(event[0]))} s"
