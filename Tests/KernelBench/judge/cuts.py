"""Judges a box whose power was cut again and again: python3 cuts.py FOLDER COUNT.

The folder has what the box said each time it was on, `cut-1.log` and so on. In each: the first tempo it plays is the one it
came back with; `pressed` before each press, upwards in odd numbers, downwards in even ones; `acknowledged` with the state
that is on the disk for certain. What it comes back with next time must be what was acknowledged, or something newer that
was pressed. Prints one line of figures, then what is wrong; the exit code is then 1.
"""

import re
import sys
from pathlib import Path

WHOLE_EVERY = 5
"""So often it is the whole system that is cut, as power-cuts.bash has it."""
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What systemd says to terminals among its words."""
PLAYS = re.compile(r"^metronome: (?:info: )?(\d+) BPM, \S+, playing", re.M)
ACTIVE = re.compile(r"^the service is active", re.M)
"""Said where systemd has started it."""
ACKNOWLEDGED = re.compile(r"acknowledged metronome state 1 save (\d+) tempo (\d+)\s")
WRONG = re.compile(r"^.*(?:EXT4-fs error|EXT4-fs warning|I/O error|damaged|cannot be saved|refused|Kernel panic).*$", re.M)


class Cut:
    """What one box said from being switched on to its end."""

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
        """The tempo that is on the disk at least."""
        return self.saved[-1] if self.saved else self.restored

    @property
    def latest(self):
        """The tempo after every press."""
        return self.restored + self.step * self.pressed


def judge(cuts, count):
    """Returns figures and problems."""
    problems = [f"cut {cut.number}: {line.strip()}" for cut in cuts for line in cut.wrong]
    problems += [f"cut {cut.number}: it did not start" for cut in cuts if cut.restored is None]
    if len(cuts) < count or not cuts:
        problems.append(f"{len(cuts)} boots of {count}")
    pending = 0
    for before, after in zip(cuts, cuts[1:]):
        if before.restored is None or after.restored is None:
            continue
        low, high = sorted((before.certain, before.latest))
        pending += before.certain != before.latest
        if not low <= after.restored <= high:
            problems.append(
                f"cut {before.number}: {after.restored} BPM afterwards; {before.certain} was on the disk, {before.latest} was set"
            )
    saves = sum(len(cut.saved) for cut in cuts)
    if not saves:
        problems.append("nothing was ever saved: this tested nothing")
    whole = sum(cut.is_whole for cut in cuts)
    if len(cuts) > WHOLE_EVERY and not whole:
        problems.append("never was it systemd that started it")
    journals = sum(cut.is_recovered for cut in cuts)
    figures = (
        f"{len(cuts) - 1} cuts, {whole} of them with systemd, {pending} with something unsaved, {saves} saves, "
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
