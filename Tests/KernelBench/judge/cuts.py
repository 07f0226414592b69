"""Judges a box after repeated power cuts: python3 cuts.py FOLDER COUNT.

The folder has the box's console output of each boot, `cut-1.log` and so on:

- `metronome: … playing`: the restored tempo, signature, rhythm and volume, in the program's own words.
- `restored preset LINE`, then `restored presets: all`: the list that `metronome presets list` printed before any press.
- `pressed WHAT` precedes each press.
- `acknowledged STATE`: the state file that is certainly on the disk, with `;` for the ends of its lines.

The judge computes from the first state, press by press, which states were set. Each acknowledged state must be one of them,
and the next boot must restore the acknowledged state or a later one. Prints one line of statistics, then the problems, with
exit code 1.
"""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

WHOLE_EVERY = 5
"""Every fifth cut happens with the whole system, as in power-cuts.bash."""
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Terminal escape sequences in systemd's output."""
PLAYS = re.compile(
    r"^metronome: (?:info: )?(?:(?P<beat>\S+) = )?(?P<tempo>\d+) BPM, (?P<signature>[^\s,]+)(?: (?P<rhythm>[^,]+))?,"
    r" (?:volume -(?P<volume>[\d.]+) dB, )?playing",
    re.M,
)
ACTIVE = re.compile(r"^the service is active", re.M)
"""Printed if systemd started it."""
ACKNOWLEDGED = re.compile(r"^acknowledged (metronome state \d+;.*;checksum [0-9a-f]{8};)$", re.M)
LISTED = re.compile(
    r"^restored preset +(?P<place>\d+)(?P<star>[* ]) +(?P<tempo>\d+) BPM  (?P<signature>\S+) +(?P<name>\S.*?)"
    r"(?:  \((?P<remark>.*)\))?$",
    re.M,
)
LIST_ENDS = re.compile(r"^restored presets: all", re.M)
WRONG = re.compile(r"^.*(?:EXT4-fs error|EXT4-fs warning|I/O error|damaged|cannot be saved|refused|Kernel panic).*$", re.M)

SUBDIVISIONS = ("", "sub=2", "sub=3", "sub=4", "sub=6", "sub=2 swing=2:1@16")
"""In the order of a button, in a signature over 8."""
ACCENTS = (("6/8", "1/4", ""), ("6/8", "3/8", ""), ("2+2+2/8", "1/4", ""), ("3+3/8", "1/4", ""), ("6/8", "1/4", "xxxxxx"))
"""Signature, beat and pattern in 6/8, in the order of a button."""
SOFTEST = 24
"""The number of steps of 1.5 dB from full volume to the softest."""


@dataclass(frozen=True)
class Music:
    """What a preset keeps."""

    tempo: int = 120
    signature: str = "6/8"
    beat: str = "1/4"
    pattern: str = ""
    subdivision: str = ""

    @property
    def rhythm(self):
        return " ".join(filter(None, (self.pattern, self.subdivision)))

    @property
    def is_new(self):
        """Whether version 1 of the state file cannot contain it."""
        return bool(self.rhythm) or self.beat != "1/4" or "+" in self.signature

    @staticmethod
    def of(tempo, signature, beat, rhythm):
        pattern, _, rest = rhythm.partition(" ")
        if "=" in pattern:
            pattern, rest = "", rhythm
        return Music(int(tempo), signature, beat, pattern, rest)

    def with_next_accents(self):
        place = ACCENTS.index((self.signature, self.beat, self.pattern))
        signature, beat, pattern = ACCENTS[(place + 1) % len(ACCENTS)]
        return replace(self, signature=signature, beat=beat, pattern=pattern)

    def with_next_subdivision(self):
        place = SUBDIVISIONS.index(self.subdivision)
        return replace(self, subdivision=SUBDIVISIONS[(place + 1) % len(SUBDIVISIONS)])


@dataclass(frozen=True)
class State:
    """What the box remembers."""

    music: Music = Music()
    volume: int = 0
    """Steps of 1.5 dB below 0 dB."""
    presets: tuple = ()
    """(name, Music)"""
    recalled: int = None
    """The place of the preset that was stored last."""

    def after(self, press):
        word, *operands = press.split()
        music, volume = self.music, self.volume
        if word in ("faster", "slower"):
            return replace(self, music=replace(music, tempo=music.tempo + (1 if word == "faster" else -1)))
        if word in ("volume_up", "volume_down"):
            step = 1 if word == "volume_down" else -1
            return replace(self, volume=min(max(volume + step, 0), SOFTEST))
        if word == "next_subdivision":
            return replace(self, music=music.with_next_subdivision())
        if word == "next_accents":
            return replace(self, music=music.with_next_accents())
        if word == "store":
            place = int(operands[0])
            return replace(self, presets=self.stored(place), recalled=place)
        raise ValueError(f"unknown press: {press}")

    def stored(self, place):
        presets = list(self.presets)
        while len(presets) < place:
            presets.append((f"{len(presets) + 1}", self.music))
        presets[place - 1] = (presets[place - 1][0], self.music)
        return tuple(presets)

    @property
    def played(self):
        return self.music, self.volume

    @property
    def listed(self):
        return self.presets, self.recalled

    def __str__(self):
        music = self.music
        text = f"{music.beat} = {music.tempo} BPM, {music.signature} {music.rhythm} at {-1.5 * self.volume:g} dB"
        return f"{text} with {len(self.presets)} presets"


def parse(text):
    """A state file with `;` for the ends of its lines."""
    lines = text.rstrip(";").split(";")
    values = dict(line.split(" ", 1) for line in lines[1:] if not line.startswith("preset"))
    presets = []
    for line in lines:
        if line.startswith("preset+ "):
            head, rhythm, name = line.split('"', 2)
            _, tempo, signature, beat = head.split()
            presets.append((name[1:], Music.of(tempo, signature, beat, rhythm)))
        elif line.startswith("preset "):
            _, tempo, signature, name = line.split(" ", 3)
            presets.append((name, Music.of(tempo, signature, "1/4", "")))
    music = Music.of(values["tempo"], values["signature"], values.get("beat", "1/4"), values.get("rhythm", ""))
    recalled = None if values["recalled"] == "none" else int(values["recalled"])
    return State(music, steps(values.get("volume", "-0").lstrip("-")), tuple(presets), recalled)


def steps(decibels):
    return round(float(decibels) / 1.5)


class Cut:
    """The console output of one boot."""

    def __init__(self, number, text):
        text = CONTROL.sub("", text.replace("\r", ""))
        self.number = number
        played = PLAYS.search(text)
        self.restored = None
        """(Music, volume) as the program reported them."""
        if played:
            music = Music.of(played["tempo"], played["signature"], played["beat"] or "1/4", played["rhythm"] or "")
            self.restored = music, steps(played["volume"] or 0)
        self.listed = presets_of(text) if LIST_ENDS.search(text) else None
        """The restored presets and the place of the recalled one; None if the cut came before the whole list was printed."""
        self.pressed = re.findall(r"^pressed (\S.*?)\s*$", text, re.M)
        self.saved = [parse(found) for found in ACKNOWLEDGED.findall(text)]
        self.is_recovered = "recovery complete" in text
        self.is_whole = bool(ACTIVE.search(text))
        self.wrong = WRONG.findall(text)

    def restores(self, state):
        """Whether this boot began with the state, as far as it was reported."""
        return state.played == self.restored and self.listed in (None, state.listed)

    def states(self, first):
        """The states that were set from the first one on."""
        states = [first]
        for press in self.pressed:
            states.append(states[-1].after(press))
        return states

    def possible(self, first):
        """The states that may be on the disk after the cut; None if an acknowledged state was never set."""
        states = self.states(first)
        oldest = 0
        for saved in self.saved:
            found = [place for place in range(oldest, len(states)) if states[place] == saved]
            if not found:
                return None
            oldest = found[0]
        return states[oldest:]


def presets_of(text):
    found, recalled = [], None
    for line in LISTED.finditer(text):
        remarks = (line["remark"] or "").split(", ")
        beat = next((remark.removeprefix("beat ") for remark in remarks if remark.startswith("beat ")), "1/4")
        rhythm = next((remark for remark in remarks if not remark.startswith("beat ")), "")
        found.append((line["name"], Music.of(line["tempo"], line["signature"], beat, rhythm)))
        if line["star"] == "*":
            recalled = int(line["place"])
    return tuple(found), recalled


class Statistics:
    def __init__(self):
        self.pending = self.lists = self.rhythms = self.volumes = self.presets = 0

    def add(self, cut):
        music, volume = cut.restored
        self.rhythms += music.is_new
        self.volumes += volume > 0
        self.lists += cut.listed is not None
        presets, _ = cut.listed or ((), None)
        self.presets += any(music.is_new for _, music in presets)


def compare(cuts, problems):
    """Follows the states from boot to boot."""
    statistics = Statistics()
    # Several states are possible if the list of presets was not printed.
    firsts = [State()]
    for before, after in zip(cuts, cuts[1:]):
        if before.restored is None or after.restored is None:
            continue
        chains = [chain for first in firsts if (chain := before.possible(first)) is not None]
        statistics.pending += any(len(chain) > 1 for chain in chains)
        statistics.add(after)
        firsts = list(dict.fromkeys(state for chain in chains for state in chain if after.restores(state)))
        if not chains:
            problems.append(f"cut {before.number}: a state was saved that was never set: {before.saved[-1]}")
        elif not firsts:
            restored = State(*after.restored, *(after.listed or ()))
            oldest, latest = chains[0][0], chains[0][-1]
            problems.append(f"cut {before.number}: restored {restored}; on the disk was {oldest}; the latest was {latest}")
        if not firsts:
            firsts = [State(*after.restored, *(after.listed or ()))]
    return statistics


def judge(cuts, count):
    """Returns statistics and problems."""
    problems = [f"cut {cut.number}: {line.strip()}" for cut in cuts for line in cut.wrong]
    problems += [f"cut {cut.number}: the metronome did not start" for cut in cuts if cut.restored is None]
    if len(cuts) < count or not cuts:
        problems.append(f"only {len(cuts)} of {count} boots")
    found = compare(cuts, problems)
    saves = sum(len(cut.saved) for cut in cuts)
    if not saves:
        problems.append("no state was saved, so nothing was tested")
    whole = sum(cut.is_whole for cut in cuts)
    if len(cuts) > WHOLE_EVERY and not whole:
        problems.append("systemd never started the metronome")
    if len(cuts) > 3 * WHOLE_EVERY and not all((found.rhythms, found.volumes, found.presets)):
        problems.append("no rhythm, no volume, or no preset with a rhythm was ever restored")
    journals = sum(cut.is_recovered for cut in cuts)
    figures = (
        f"{len(cuts) - 1} cuts, {whole} of them with systemd, {found.pending} with unsaved changes, {saves} saves, "
        f"{journals} journals replayed, restored: {found.rhythms} rhythms, {found.volumes} volumes below 0 dB, "
        f"{found.lists} lists of presets, {found.presets} of them with rhythms"
    )
    return figures, problems


def main(folder, count):
    files = {int(file.stem.split("-")[1]): file for file in Path(folder).glob("cut-*.log")}
    figures, problems = judge([Cut(number, files[number].read_text(errors="replace")) for number in sorted(files)], count)
    print(figures)
    for problem in problems[:12]:
        print(f"  FAILED {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 cuts.py FOLDER COUNT")
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
