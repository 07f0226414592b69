"""Judges a box after repeated power cuts: python3 cuts.py FOLDER COUNT.

The folder has the box's console output of each boot, `cut-1.log` and so on. In each file the first tempo played is the
restored one. `pressed` precedes each press: faster in odd boots, slower in even ones. `acknowledged` gives the state
that is certainly on the disk. The next boot must restore the acknowledged state or a newer one that was pressed. Prints
one line of statistics, then the problems, with exit code 1.
"""

import re
import sys
from pathlib import Path

WHOLE_EVERY = 5
"""Every fifth cut happens with the whole system, as in power-cuts.bash."""
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Terminal escape sequences in systemd's output."""
PLAYS = re.compile(r"^metronome: (?:info: )?(\d+) BPM, \S+, playing", re.M)
ACTIVE = re.compile(r"^the service is active", re.M)
"""Printed if systemd started it."""
ACKNOWLEDGED = re.compile(r"acknowledged metronome state 1 save (\d+) tempo (\d+)\s")
WRONG = re.compile(r"^.*(?:EXT4-fs error|EXT4-fs warning|I/O error|damaged|cannot be saved|refused|Kernel panic).*$", re.M)


class Cut:
    """The console output of one boot."""

    def __init__(self, number, text):
        text = CONTROL.sub("", text.replace("\r", ""))
        self.number = number
        played = PLAYS.search(text)
        self.restored = int(played[1]) if played else None
        self.pressed = len(re.findall(r"^pressed", text, re.M))
        self.saved = [int(tempo) for _, tempo in ACKNOWLEDGED.findall(text)]
        self.is_recovered = "recovery complete" in text
        self.is_whole = bool(ACTIVE.search(text))
        self.wrong = WRONG.findall(text)

    @property
    def step(self):
        return 1 if self.number % 2 else -1

    @property
    def certain(self):
        """The oldest tempo that may be on the disk."""
        return self.saved[-1] if self.saved else self.restored

    @property
    def latest(self):
        """The tempo after all presses."""
        return self.restored + self.step * self.pressed


def judge(cuts, count):
    """Returns statistics and problems."""
    problems = [f"cut {cut.number}: {line.strip()}" for cut in cuts for line in cut.wrong]
    problems += [f"cut {cut.number}: the metronome did not start" for cut in cuts if cut.restored is None]
    if len(cuts) < count or not cuts:
        problems.append(f"only {len(cuts)} of {count} boots")
    pending = 0
    for before, after in zip(cuts, cuts[1:]):
        if before.restored is None or after.restored is None:
            continue
        low, high = sorted((before.certain, before.latest))
        pending += before.certain != before.latest
        if not low <= after.restored <= high:
            problems.append(
                f"cut {before.number}: {after.restored} BPM restored; {before.certain} BPM was on the disk, {before.latest} was set"
            )
    saves = sum(len(cut.saved) for cut in cuts)
    if not saves:
        problems.append("no state was saved, so nothing was tested")
    whole = sum(cut.is_whole for cut in cuts)
    if len(cuts) > WHOLE_EVERY and not whole:
        problems.append("systemd never started the metronome")
    journals = sum(cut.is_recovered for cut in cuts)
    figures = (
        f"{len(cuts) - 1} cuts, {whole} of them with systemd, {pending} with unsaved changes, {saves} saves, "
        f"{journals} journals replayed"
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
