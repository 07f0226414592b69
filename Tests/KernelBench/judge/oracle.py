"""Compares lives on a real kernel with the simulation: python3 judge/oracle.py METRONOME LIVES RESULTS.

RESULTS are those of the kernel: the trace, and for each life NAME the record NAME.events of the player. LIVES has the files of each
life. What came in according to the record becomes a script; METRONOME simulates it; and what came out must be the same.
"""

import json
import subprocess
import sys
from pathlib import Path

import record
from edges import calls
from life import BUTTONS, OUTPUTS, line_of

LINES = 5_000
"""How far an edge of a line may be from that of the simulation, in nanoseconds."""
BUTTON_OF = {line_of(line): button for button, line in BUTTONS.items()}
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
        self.interrupts = {}

    def add(self, event):
        if isinstance(event, (record.Write, record.Drive)) and self.start is None and event.line in OUTPUT_OF:
            self.start = event.instant
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
                self.inputs.append((instant, f"reload {words[0]}"))
                self.reloads.append((instant, words[0]))
            elif word == "do":
                ago = f"{seconds(int(words[0]))}s ago " if int(words[0]) else ""
                self.inputs.append((instant, f"do {ago}{words[1]}"))

    @property
    def script(self):
        kept = sorted((one for one in self.inputs if self.start <= one[0] < self.end), key=lambda one: one[0])
        return "".join(f"{seconds(instant - self.start)}s {text}\n" for instant, text in kept)

    def check_contacts(self):
        """Two changes within one tick of the kernel are one edge, which the simulation cannot say."""
        levels = {}
        for instant, text in sorted(self.inputs):
            word, *words = text.split()
            if word in ("down", "up"):
                if levels.get(words[0], "up") == word:
                    raise Difference(f"invalid test: {text} twice at {seconds(instant - self.start)} s")
                levels[words[0]] = word

    def edges(self):
        """{output: [(time, whether it is on)]}"""
        found, polarities = {}, [(0, inverted(self.folder / "configuration.yaml"))]
        polarities += [(instant, inverted(self.folder / file)) for instant, file in self.reloads]
        for call in calls(self.writes, of=OUTPUT_OF):
            instant = call[0].instant
            low = [outputs for since, outputs in polarities if since <= instant and outputs is not None][-1]
            for write in call:
                output = OUTPUT_OF[write.line]
                found.setdefault(output, []).append((instant - self.start, bool(write.value) != (output in low)))
        return {output: changes(writes, self.end - self.start) for output, writes in found.items()}

    def simulate(self, metronome):
        """The edges of the simulation, like `edges`."""
        (self.folder / "oracle.script").write_text(self.script or "0s up play\n")
        trace = self.folder / "oracle.jsonl"
        length = self.end - self.start
        run = subprocess.run(
            [metronome, "simulate", "--virtual", "--config", "configuration.yaml", "--script", "oracle.script", "--for",
             f"{seconds(length)}s", "--trace", "oracle.jsonl"],
            cwd=self.folder, capture_output=True, text=True)  # fmt: skip
        if run.returncode:
            raise Difference(f"the simulation ended with {run.returncode}: {run.stderr.strip()}")
        (self.folder / "oracle.err").write_text(run.stderr)
        found = {}
        for line in trace.open():
            event = json.loads(line)
            if event["event"] == "line":
                found.setdefault(event["name"], []).append((event["t"], bool(event["value"])))
        return {output: changes(writes, length) for output, writes in found.items()}


def inverted(file):
    """The outputs of a configuration of the fault finder that are active when low; None if it is refused."""
    lines = file.read_text().splitlines()
    if lines in (["tempo: 0"], ["tempo: ["], ["buttons: {play: {line: 7, line: 8}}"], ["x: 1"]):
        return None
    found, output = set(), None
    for line in lines:
        if not line.startswith("    ") and line.startswith("  "):
            output = line.strip().rstrip(":")
        elif line == "    active: low":
            found.add(output)
    if "light" in found:
        found |= {"green", "blue"}
    return found


def changes(writes, end):
    """The edges among writes before the end; a level that does not last as long as an edge may be off is none."""
    found, level = [], False
    for time, value in writes:
        if value == level or time >= end - LINES:
            continue
        if found and time - found[-1][0] <= LINES:
            found.pop()
        else:
            found.append((time, value))
        level = value
    return found


def seconds(nanoseconds):
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


def shown(edge):
    return f"{'on' if edge[1] else 'off'} at {seconds(edge[0])} s" if edge else "nothing"


def compare(kernel, simulation):
    """The largest distance of two edges, and how many there are. Raises the earliest difference."""
    worst, count, found = 0, 0, []
    for output in sorted({*kernel, *simulation}):
        here, there = kernel.get(output, []), simulation.get(output, [])
        for number in range(max(len(here), len(there))):
            one = here[number] if number < len(here) else None
            other = there[number] if number < len(there) else None
            if one and other and one[1] == other[1] and abs(one[0] - other[0]) <= LINES:
                worst, count = max(worst, abs(one[0] - other[0])), count + 1
                continue
            time = min(edge[0] for edge in (one, other) if edge)
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


def judge(metronome, life):
    if life.code != 0 or life.end is None or life.start is None:
        raise Difference(f"the program ended with {life.code}")
    life.check_contacts()
    simulated = life.simulate(metronome)
    if plays_by_itself(life.folder / "configuration.yaml"):
        first = min((edges[0][0] for edges in simulated.values() if edges), default=0)
        life.start += min((edges[0][0] for edges in life.edges().values() if edges), default=first) - first
        simulated = life.simulate(metronome)
    return compare(life.edges(), simulated)


def plays_by_itself(file):
    return "autoplay: true" in file.read_text().splitlines()


def main(metronome, folder, results):
    failed, worst, count, played = 0, 0, 0, 0
    for life in lives(folder, results):
        played += 1
        try:
            distance, edges = judge(metronome, life)
            worst, count = max(worst, distance), count + edges
        except Difference as difference:
            failed += 1
            print(f"FAILED {life.name}: {difference}")
    print(f"{played} lives, {failed} different; {count} edges, at most {worst / 1000:.3f} µs apart")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python3 judge/oracle.py METRONOME LIVES RESULTS")
    sys.exit(main(*sys.argv[1:]))
