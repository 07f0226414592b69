"""Mutation testing: changes the core's code in one place at a time, and checks that a test fails. Run by
Scripts/mutation, which explains the options."""

import argparse
import concurrent.futures
import json
import math
import os
import re
import resource
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import equivalents
import schemata
from sites import sites

sys.path.append(str(Path(__file__).resolve().parents[2] / "Scripts/lib"))
from package_part import copy_package, write

FOLDERS = ("Timeline", "Gestures", "Taps", "Time")
CORE = Path("Sources/MetronomeCore")
SUITES = ("MetronomeCoreTests", "MetronomeEngineTests")
"""The test suites. Only these and their dependencies are built."""

NOT_MUTATED = "ClickVoice|ClockBridge|ClockMap|ClockTrial|Interpolation|WAVSound|StateFile|PresetRequest"
"""Tests of code that is not mutated."""

STAGES = {
    "the quick tests of the core": (
        "MetronomeCoreTests",
        NOT_MUTATED + "|beatsStayConsecutive|beatFollowsTheTaps|pressesCountExactlyOnce|pressesNeverActTwice|TapStatistics|"
        "pressesNeverCountTwice|lateReadingGivesTheSameEvents|noButtonStaysHeld|noEventFollowsTheRelease"),
    "all tests of the core": ("MetronomeCoreTests", NOT_MUTATED),
    "the tests of the engine": ("MetronomeEngineTests", "AudioTiming|ClickMixer|Calibration|StateArchive"),
}
"""The suite and the skipped tests of each stage. A mutant found in one stage is not tried in the later stages."""

FALLBACK = ("statement", "condition", "number", "truth", "extreme", "not", "binary")
"""The kinds of sites in the order in which they are given up if a line does not compile."""


@dataclass
class Mutant:
    number: int
    path: str
    """Relative to the core's folder."""
    line: int
    code: str
    change: str


class Instrumentation:
    """All sites in the mutated files, and the sites that were given up."""

    def __init__(self, root, target):
        self.root, self.target = root, target
        self.files = {}
        self.given_up = []
        for folder in FOLDERS:
            for path in sorted((root / CORE / folder).glob("*.swift")):
                text = path.read_text()
                self.files[f"{folder}/{path.name}"] = (text, sites(text))
        self.memory = target / "given-up.json"
        if self.memory.exists():
            self.give_up_again({tuple(key) for key in json.loads(self.memory.read_text())})

    def key(self, name, site):
        """Identifies a site even if its file has changed elsewhere."""
        return (name, self.files[name][0].splitlines()[site.line].strip(), site.kind, site.original, site.ordinal)

    def give_up_again(self, keys):
        """Gives up the sites that the last run gave up, to save the builds that would find them again."""
        for name, (text, own) in self.files.items():
            gone = [site for site in own if self.key(name, site) in keys]
            self.given_up += [(name, site) for site in gone]
            self.files[name] = (text, [site for site in own if site not in gone])

    def remember(self):
        self.memory.write_text(json.dumps([self.key(name, site) for name, site in self.given_up], indent=0))

    def write(self):
        """Writes the instrumented sources, with new numbers for all sites."""
        numbered, first = [], 1
        for name, (text, found) in self.files.items():
            own = []
            for site in found:
                site.first = first
                first += len(site.changes)
                own.append((len(numbered) + len(own), site))
            numbered += own
            write(self.target / CORE / name, schemata.instrumented(text, own).encode())
        write(self.target / CORE / "Mutants.swift", schemata.runtime(numbered).encode())

    def give_up(self, errors):
        """Gives up sites that do not compile. On each line it gives up all sites of one kind: the first in FALLBACK that
        occurs. A missing value is reported at the end of the block, one line below the omitted statement. If another line
        causes an error, the reported line may have no site to give up."""
        before = len(self.given_up)
        for name, line in errors:
            text, own = self.files[name]
            ending = [s for s in own if s.kind == "statement" and text.count("\n", 0, s.end) == line - 1]
            culprits = self.culprits(own, line) or ending
            self.given_up += [(name, site) for site in culprits]
            self.files[name] = (text, [site for site in own if site not in culprits])
        if len(self.given_up) == before:
            sys.exit(f"these lines do not compile, and contain no site to give up: {errors}")

    @staticmethod
    def culprits(own, line):
        on_line = [site for site in own if site.line == line]
        return next(filter(None, ([site for site in on_line if site.kind == kind] for kind in FALLBACK)), [])

    def mutants(self):
        found = []
        for name, (text, own) in self.files.items():
            lines = text.splitlines()
            for site in own:
                place = f" ({site.ordinal})" if site.ordinal > 1 else ""
                for index, change in enumerate(site.changes):
                    what = f"{site.original}{place} → {change}"
                    found.append(Mutant(site.first + index, name, site.line + 1, lines[site.line].strip(), what))
        return found


def build(target, instrumentation):
    """Builds, giving up sites, until everything compiles. Returns the path of the test program."""
    environment = {**os.environ, "METRONOME_HARDWARE": "none"}
    pattern = re.compile(rf"{CORE}/(\S+?\.swift):(\d+):\d+: error: ")
    command = ["swift", "build", "-c", "release"]
    while True:
        instrumentation.write()
        result = subprocess.run(
            [*command, "--target", "MetronomeCore"], cwd=target, env=environment, capture_output=True, text=True)
        if result.returncode == 0:
            break
        errors = {(name, int(line) - 1) for name, line in pattern.findall(result.stdout + result.stderr)}
        if not errors:
            sys.exit(f"the instrumented core does not build:\n{result.stdout}{result.stderr}")
        instrumentation.give_up(sorted(errors))
    instrumentation.remember()
    subprocess.run([*command, "--build-tests"], cwd=target, env=environment, check=True, stdout=sys.stderr)
    return target / ".build/release/metronomePackageTests.xctest"


class Trial:
    """Runs the stages with one active change."""

    def __init__(self, program):
        self.program = program
        self.limits = {}
        self.found = "no test recorded an issue"

    def passes(self, stage, number, limit=None):
        """Whether all tests of a stage pass within `limit` seconds of processor time, which does not depend on the machine's
        load. The stage ends at the first failure, or after ten times the limit in elapsed time."""
        limit = limit or self.limits[stage]
        suite, skipped = STAGES[stage]
        command = [
            "sh", "-c", 'ulimit -t "$0" && exec "$@"', str(limit), str(self.program), "--testing-library", "swift-testing",
            "--filter", rf"^{suite}\.", "--skip", skipped]
        with subprocess.Popen(
            command, env={**os.environ, "METRONOME_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) as process:
            timer = threading.Timer(10 * limit, process.kill)
            timer.start()
            for line in process.stdout:
                if b"recorded an issue" in line:
                    self.found = line.decode(errors="replace").strip()
                    process.kill()
            timer.cancel()
        return process.returncode == 0

    def measure(self):
        """Measures the stages without a change. A change counts as found if a stage takes more than five times as long plus
        5 s."""
        for stage in STAGES:
            begin = processor_time()
            if not self.passes(stage, 0, limit=600):
                sys.exit(f"{stage}: failed without a change: {self.found}")
            seconds = processor_time() - begin
            self.limits[stage] = math.ceil(5 * seconds) + 5
            print(f"{stage}: {seconds:.1f} s without a change", flush=True)

    def survives(self, mutant):
        return all(self.passes(stage, mutant.number) for stage in STAGES)


def processor_time():
    """The processor time of all ended child processes, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(trial, mutants, jobs):
    """The mutants that no test finds, in order."""
    survivors, done, begin = [], 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for mutant, survived in zip(mutants, pool.map(trial.survives, mutants)):
            done += 1
            if survived:
                survivors.append(mutant)
                print(f"  not found: {shown(mutant)}", flush=True)
            if done % 100 == 0:
                print(f"  {done} of {len(mutants)}, {time.monotonic() - begin:.0f} s", flush=True)
    return survivors


def shown(mutant):
    return f"{CORE}/{mutant.path}:{mutant.line}: {mutant.change}    in: {mutant.code}"


def judge(survivors, tried, listed, is_whole):
    """Prints undetected changes that equivalent.txt does not list, and its outdated entries. Returns their number."""
    wrong = 0
    known = {(entry.path, entry.code, entry.change): entry for entry in listed}
    alive = {(mutant.path, mutant.code, mutant.change) for mutant in survivors}
    for mutant in survivors:
        if (mutant.path, mutant.code, mutant.change) not in known:
            print(f"NO TEST FINDS {shown(mutant)}")
            wrong += 1
    if is_whole:
        there = {(mutant.path, mutant.code, mutant.change) for mutant in tried}
        for key, entry in known.items():
            if key not in alive:
                what = "a test finds it" if key in there else "this change no longer exists"
                print(f"REMOVE FROM equivalent.txt ({what}): {entry.path}: {entry.change}    in: {entry.code}")
                wrong += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="Scripts/mutation", description="Check that the tests find every change.")
    parser.add_argument("--files", default="", help="change only files whose path contains this, such as Timeline/ or Debouncer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of parallel trials (default: number of processors)")
    parser.add_argument("--list", action="store_true", help="only list the changes with their numbers")
    parser.add_argument("--only", type=int, nargs="*", help="try only the changes with these numbers")
    options = parser.parse_args()
    here = Path(__file__).resolve().parent
    root, target = here.parent.parent, here.parent.parent / ".build-mutation"
    copy_package(root, target, SUITES, kept=["Mutants.swift"])
    instrumentation = Instrumentation(root, target)
    program = build(target, instrumentation)
    mutants = instrumentation.mutants()
    chosen = [m for m in mutants if options.files in m.path and (not options.only or m.number in options.only)]
    given_up = len(instrumentation.given_up)
    print(f"{len(mutants)} changes at {sum(len(own) for _, own in instrumentation.files.values())} places; "
          f"{given_up} more places given up, as they do not compile", flush=True)
    if options.list:
        for mutant in chosen:
            print(mutant.number, shown(mutant))
        return
    trial = Trial(program)
    trial.measure()
    begin = time.monotonic()
    survivors = run(trial, chosen, options.jobs)
    listed = equivalents.read(here / "equivalent.txt")
    wrong = judge(survivors, chosen, listed, is_whole=len(chosen) == len(mutants))
    found = len(chosen) - len(survivors)
    print(f"{len(chosen)} changes tried in {time.monotonic() - begin:.0f} s: {found} found by a test, "
          f"{len(survivors)} not found, {wrong} faults" if wrong else
          f"{len(chosen)} changes tried in {time.monotonic() - begin:.0f} s: {found} found by a test, "
          f"{len(survivors)} equivalent")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
