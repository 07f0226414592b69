"""Compares the runs of a record with the simulation: python3 judge METRONOME EAR RESULTS [LIVES].

METRONOME and EAR are the programs of this machine. RESULTS are those of the kernel; with LIVES, the folders of the lives that it
played. Prints one line, then the problems, if any, with exit code 1.
"""

import sys
from pathlib import Path

import oracle
import played
import record
import sound

SHOWN = 12
"""The number of problems shown per run; the rest are counted."""


class Summary:
    def __init__(self):
        self.worst, self.count, self.planted, self.runs, self.problems = {}, {}, 0, 0, []

    def add(self, run, streams):
        self.runs += 1
        try:
            run.check_end()
            for kind, *streams_and_bound in streams:
                distance, events = oracle.compare(*streams_and_bound, oracle.WAITS.get(kind, 0))
                if kind == "edges":
                    oracle.check_calls(*streams_and_bound[:2])
                self.worst[kind] = max(self.worst.get(kind, 0), distance)
                self.count[kind] = self.count.get(kind, 0) + events
                for forged in oracle.plant(*streams_and_bound):
                    self.planted += 1
                    if not oracle.is_different(forged, *streams_and_bound[1:]):
                        raise played.Difference(f"a difference of the {kind} that was planted in the record is not found")
        except (played.Difference, sound.Unheard) as difference:
            has_input = (run.wirings[0][1].settings.get("midi") or {}).get("in")
            hint = "; without source=FILE the simulation receives nothing from a MIDI source" if has_input and not run.setting("source") else ""
            run.problems.append(f"{difference}{hint}")
        self.problems += [f"FAILED {run.name}: {problem}" for problem in run.problems[:SHOWN]]
        if len(run.problems) > SHOWN:
            self.problems.append(f"FAILED {run.name}: … and {len(run.problems) - SHOWN} more problems")

    def __str__(self):
        compared = [f"{self.count[kind]:,} {kind} at most {self.worst[kind] / 1000:.3f} µs apart" for kind in self.count]
        return ", ".join([counted(self.runs, "run"), *compared, counted(self.planted, "planted difference")])


def counted(number, one):
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def main(metronome, ear, results, lives=None):
    results, summary, checks = Path(results).resolve(), Summary(), 0
    # The simulation runs in the folder of the configuration.
    metronome, ear = str(Path(metronome).resolve()), str(Path(ear).resolve())
    try:
        if (results / "checks").exists():
            text = (results / "checks").read_text().splitlines()
            summary.problems += [line for line in text if not line.startswith("ok ")]
            checks = len(text)
        runs = played.split(record.read(results), results, oracle.accepts(metronome), lives and Path(lives).resolve())
        for run in runs:
            summary.add(run, oracle.streams(metronome, ear, results, run, lives is not None))
        if runs and not summary.problems and not summary.count.get("edges"):
            summary.problems.append("FAILED no edge of a line was compared")
    except (record.Unreadable, sound.Unheard, FileNotFoundError) as error:
        summary.problems.append(f"FAILED {error}")
    print(f"{counted(checks, 'check')}, {summary}")
    for problem in summary.problems:
        print(f"  {problem}")
    return 1 if summary.problems else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: python3 judge METRONOME EAR RESULTS [LIVES]")
    sys.exit(main(*sys.argv[1:]))
