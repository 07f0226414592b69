"""Runs the tests of Tests/Remote/run-browser, which explains the arguments."""

import argparse
import signal
import sys
import unittest
from pathlib import Path

import harness

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(prog="Tests/Remote/run-browser")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url")
    where.add_argument("--mock", action="store_true")
    where.add_argument("--programs", type=Path)
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("--tries", type=int, default=2)
    parser.add_argument("pattern", nargs="?")
    options = parser.parse_args()
    # The namespaces and the programs must end with this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{options.pattern}*"] if options.pattern else None
    kind = "screenshots.py" if options.screenshots else "test_*.py"
    with harness.running(options):
        result = unittest.TextTestRunner(verbosity=2).run(loader.discover(str(HERE), kind))
    return 0 if result.wasSuccessful() and result.testsRun else 1


sys.exit(main())
