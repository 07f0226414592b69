"""Plays scenarios on the emulated Pi and judges them. `run` prepares the kit and calls it."""

import importlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import emulator

LIMIT = 300
"""Seconds of real time for a run."""


class Checks:
    """The results of a scenario's checks, printed as they come."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def __call__(self, what, is_right, found=""):
        """Notes a check, with what was found."""
        self.passed += bool(is_right)
        self.failed += not is_right
        print(f"  {'ok    ' if is_right else 'FAILED'} {what}{f': {found}' if found != '' else ''}", flush=True)


def main(kit, results, names):
    """Plays and judges the scenarios with these names; returns the exit code.

    An emulator uses one processor, so as many run at once as this process may use.
    """
    checks = Checks()
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        played = []
        for name in names:
            scenario = importlib.import_module(f"scenarios.{name}")
            tests = enumerate(getattr(scenario, "TESTS", None) or [scenario.TEST], 1)
            runs = [pool.submit(emulator.run, results / name / str(number), kit, scenario, test, LIMIT) for number, test in tests]
            played.append((name, scenario, runs))
        for name, scenario, runs in played:
            judge(checks, name, scenario, [run.result() for run in runs], results)
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


def judge(checks, name, scenario, records, results):
    """Judges the runs of a scenario."""
    taken = ", ".join(f"{record.seconds:.0f} s" for record in records)
    print(f"{name} ({taken})", flush=True)
    before = checks.failed
    checks("the test in the Pi ended with 0", all(record.code == 0 for record in records), [record.code for record in records])
    if checks.failed == before:
        # A judge cannot read a record in which everything is missing.
        try:
            scenario.judge(checks, *records)
        except (ArithmeticError, LookupError, ValueError) as error:
            checks("the record can be judged", False, repr(error))
    if checks.failed > before:
        print(f"  --- the end of the console; all is in {results / name}")
        print("".join(f"  {line}\n" for line in records[0].console.splitlines()[-30:]), end="")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
