"""Judges the results of one scenario: python3 judge FOLDER.

Prints one line of statistics, then the problems, if any, with exit code 1.
"""

import sys
from pathlib import Path

import display
import ear
import figures
import lines
import midi
import record
import runs
import sound
import volume
from edges import edges

SHOWN = 12
"""The number of problems shown per run; the rest are counted."""


class Summary:
    """The statistics of a scenario."""

    def __init__(self):
        self.runs = self.checks = self.beats = self.presses = self.replies = self.reaction = self.clicks = self.latest = 0
        self.figures = self.hits = self.sounds = self.right = 0
        self.clocks = self.starts = self.latest_clock = 0
        self.followed = self.furthest = self.notes = self.latest_note = 0
        self.note_hits = self.latest_hit = 0
        self.texts = self.slowest_text = self.overlaps = self.calls = 0
        self.share = self.busiest = 0.0
        self.deviations = []
        self.first_lights, self.first_clicks = [], []
        self.rates = []
        self.problems = []
        self.volumes = None

    def add_checks(self, text):
        self.checks = len(text.splitlines())
        self.problems += [line for line in text.splitlines() if not line.startswith("ok ")]

    def add(self, run, folder):
        if run.number("source", 0):
            self.follow_source(run, folder)
            return
        pair = run.number("pair", 0)
        if pair or run.number("follows", 0):
            self.runs += 1
            rises = [edge for edge in edges(run.writes) if edge.rises]
            lights = [edge.instant for edge in rises if edge.line == runs.LIGHT]
            if pair:
                found = midi.judge_pair(run, lights, [edge.instant for edge in rises if edge.line == pair])
            else:
                found = midi.judge_following(run, midi.read((folder / "midi").read_text()), lights)
            self.followed += found.clocks
            self.furthest = max(self.furthest, found.latest)
            self.problems += [f"FAILED {run.name}: {problem}" for problem in found.problems[:SHOWN]]
            return
        found = lines.judge(run)
        self.runs += 1
        self.beats += found.beats
        self.hits += found.hits
        self.presses += len(run.presses)
        self.replies += found.replies
        self.reaction = max(self.reaction, found.reaction)
        self.latest = max(self.latest, found.latest)
        statistics = figures.judge(run, log_of(run, folder))
        self.figures += statistics.count
        problems = run.problems + found.problems + statistics.problems
        if run.number("midi_clocks", 0):
            problems += self.receive(run, folder)
        if run.mark.setting("display", None):
            problems += self.read_display(run)
        if run.is_heard:
            problems += self.listen(run, found, folder)
        self.problems += [f"FAILED {run.name}: {problem}" for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            self.problems.append(f"FAILED {run.name}: … and {len(problems) - SHOWN} more problems")

    def follow_source(self, run, folder):
        self.runs += 1
        light = [edge for edge in edges(run.writes) if edge.line == runs.LIGHT]
        lights = [(on.instant, off.instant - on.instant) for on, off in zip(light[::2], light[1::2])]
        clicks = None
        if run.is_heard:
            clicks = [one for one in sound.hear(folder, run)[0] if run.mark.instant <= one.instant <= run.exit]
        received, sent = ((folder / name).read_text() for name in ("midi", "source"))
        found = midi.judge_source(run, midi.read(received), midi.read_source(sent), lights, clicks)
        self.followed += found.clocks
        self.furthest = max(self.furthest, found.latest)
        self.first_lights += found.first_lights
        self.first_clicks += found.first_clicks
        self.clicks += len(found.clicks)
        self.deviations += found.clicks
        self.problems += [f"FAILED {run.name}: {problem}" for problem in found.problems[:SHOWN]]

    def receive(self, run, folder):
        found = midi.judge(run, midi.read((folder / "midi").read_text()))
        self.clocks += found.clocks
        self.starts += found.starts
        self.latest_clock = max(self.latest_clock, found.latest)
        self.notes += found.notes
        self.latest_note = max(self.latest_note, found.latest_note)
        self.note_hits += found.hits
        self.latest_hit = max(self.latest_hit, found.latest_hit)
        return found.problems

    def read_display(self, run):
        found = display.judge(run)
        self.texts += found.texts
        self.slowest_text = max(self.slowest_text, found.slowest)
        self.overlaps += found.overlaps
        self.calls = max(self.calls, found.calls)
        self.share, self.busiest = max(self.share, found.share), max(self.busiest, found.busiest)
        return found.problems

    def listen(self, run, found, folder):
        clicks, maps = sound.hear(folder, run)
        chords = sound.recognize(folder, run)
        if chords is None:
            heard = sound.judge(run, found.lit, clicks)
        else:
            heard = sound.judge(run, sound.wanted(run, found.chords), chords)
        self.sounds += heard.sounds
        self.right += heard.right
        rates, problems = sound.judge_cards(run, maps)
        self.rates += rates
        self.clicks += heard.clicks
        self.deviations += heard.deviations
        return heard.problems + problems

    def add_volumes(self, folder):
        self.volumes = volume.judge(folder)
        self.problems += [f"FAILED {problem}" for problem in self.volumes.problems[:SHOWN]]
        if len(self.volumes.problems) > SHOWN:
            self.problems.append(f"FAILED … and {len(self.volumes.problems) - SHOWN} more problems of the volume")

    def __str__(self):
        parts = [counted(self.checks, "check"), counted(self.runs, "run"), counted(self.presses, "press", "presses")]
        if self.beats:
            parts.append(f"{counted(self.beats, 'beat')}, at most {self.latest / 1000:.3f} µs late")
        if self.hits:
            parts.append(f"{counted(self.hits, 'pulse')} within beats")
        if self.texts:
            parts.append(f"{counted(self.texts, 'text')} shown after at most {self.slowest_text / 1e6:.1f} ms")
            parts.append(f"{counted(self.calls, 'call')} for a text, {self.share:.3%} of a core, {self.busiest:.2%} in a second")
            parts.append(f"{counted(self.overlaps, 'edge')} of the light during a text")
        if self.clocks:
            latest = f"at most {self.latest_clock / 1000:.3f} µs late"
            parts.append(f"{counted(self.clocks, 'MIDI clock')}, {latest}, {counted(self.starts, 'start')}")
        if self.notes:
            parts.append(f"{counted(self.notes, 'note')} of the sequencer, at most {self.latest_note / 1000:.1f} µs after the quarter")
        if self.note_hits:
            parts.append(f"{counted(self.note_hits, 'MIDI note')} of hits, at most {self.latest_hit / 1000:.3f} µs late")
        if self.followed:
            parts.append(f"{counted(self.followed, 'beat')} followed, at most {self.furthest / 1000:.3f} µs from the leader's")
        for what, found in (("light", self.first_lights), ("click", self.first_clicks)):
            if found:
                after = "its clock" if what == "light" else "the light"
                span = f"{min(found) / 1e6:+.4f} to {max(found) / 1e6:+.4f} ms from {after}"
                parts.append(f"the {what} of {counted(len(found), 'first beat')} {span}")
        if self.reaction:
            parts.append(f"{self.reaction / 1e6:.4f} ms from press to light")
        if self.replies:
            parts.append(counted(self.replies, "reply", "replies"))
        if self.figures:
            parts.append(counted(self.figures, "line of figures", "lines of figures"))
        if self.deviations:
            low, high = min(self.deviations) / 1e6, max(self.deviations) / 1e6
            parts.append(f"{counted(self.clicks, 'click')} {low:+.4f} to {high:+.4f} ms from the light")
            parts.append(f"p99 {sound.quantile_99(self.deviations) / 1e6:.4f} ms")
        if self.sounds:
            parts.append(f"{self.right / self.sounds:.4%} of {counted(self.sounds, 'sound')} recognized")
        if self.rates:
            parts.append(f"the card at {' and '.join(f'{rate:+.1f}' for rate in self.rates)} ppm")
        if self.volumes:
            parts.append(str(self.volumes))
        return ", ".join(parts)


def counted(number, one, many=None):
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def log_of(run, folder):
    file = folder / f"{run.name}.err"
    return file.read_text() if file.exists() else ""


def device_log(folder):
    file = folder / "inputs"
    return file.read_text() if file.exists() else ""


def main(folder):
    folder = Path(folder)
    summary = Summary()
    try:
        summary.add_checks((folder / "checks").read_text())
        texts = {file.name: file.read_text() for file in folder.glob("*.score")}
        for run in runs.split(record.read(folder), device_log(folder), texts):
            summary.add(run, folder)
        if (folder / "volumes").exists():
            summary.add_volumes(folder)
    except (record.Unreadable, ear.Unheard, FileNotFoundError) as error:
        summary.problems.append(f"FAILED {error}")
    print(summary)
    for problem in summary.problems:
        print(f"  {problem}")
    return 1 if summary.problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 judge FOLDER")
    sys.exit(main(sys.argv[1]))
