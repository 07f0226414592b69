"""Tests of the judge: correct statistics pass, and each wrong one is found."""

import json
import unittest

import figures
import lines
from record import Mark
from test_judge import MS, START, performance

GOOD = {
    "uptime_s": 4.69, "beats": 7, "skipped": 0,
    "late_us": {"p50": 0.4, "p99": 0.5, "p99.9": 0.5, "max": 0.5},
    "missed_clicks": 0, "xruns": 0, "reopenings": 0, "wakeups": {"beats": 23, "audio": 0}, "failed_sets": 0,
}


def log(**changes):
    """A log line of the program. None for a key: the key is missing."""
    logged = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return f"<6>metronome: 120 BPM, 4/4, playing\n<6>metronome: figures {json.dumps(logged)}\n"


class Figures(unittest.TestCase):
    def run_of(self, at=4700, **settings):
        run = performance()
        marks = tuple((key, str(value)) for key, value in settings.items())
        run.figures = [Mark(at * MS + START, "figures", (), marks)]
        return run

    def right(self, run, log):
        found = figures.judge(run, log)
        self.assertEqual((found.problems, found.count), ([], 1))

    def wrong(self, run, log, text):
        found = figures.judge(run, log).problems
        self.assertTrue(any(text in problem for problem in found), found)

    def test_correct_figures_pass(self):
        self.assertEqual(lines.judge(self.run_of()).problems, [])
        beats = [beat.instant // MS for beat in self.run_of().sessions[0].beats(START + 4700 * MS)]
        self.assertEqual(len(beats), 9)

    def test_true_figures_pass(self):
        self.right(self.run_of(), log(beats=9))
        self.right(self.run_of(at=300), log(beats=0, uptime_s=0.3, late_us={key: None for key in GOOD["late_us"]}))

    def test_wrong_beat_count_is_found(self):
        for beats in (8, 10):
            self.wrong(self.run_of(), log(beats=beats), f"{beats} beats, but 9 flashes")

    def test_wrong_skipped_count_is_found(self):
        self.wrong(self.run_of(), log(beats=8, skipped=1), "skipped is 1, not 0")
        self.wrong(self.run_of(skipped=1), log(beats=9), "skipped is 0, not 1")
        self.wrong(self.run_of(skipped=1), log(beats=9, skipped=1), "but there were 9")

    def test_wrong_lateness_is_found(self):
        self.wrong(self.run_of(), log(beats=9, late_us={"p50": 0.4, "p99": 0.3, "p99.9": 0.5, "max": 0.5}), "out of order")
        self.wrong(self.run_of(), log(beats=9, late_us={"p50": 6, "p99": 6, "p99.9": 6, "max": 6}), "half of the beats")
        self.wrong(self.run_of(), log(beats=9, late_us={"p50": 0, "p99": 6, "p99.9": 6, "max": 6}), "a beat was 6 µs late")

    def test_wrong_other_counts_are_found(self):
        for key, text in (("missed_clicks", "missed_clicks is 2"), ("xruns", "xruns is 2"), ("failed_sets", "failed_sets")):
            self.wrong(self.run_of(), log(beats=9, **{key: 2}), text)
            self.right(self.run_of(**{key: "some"}), log(beats=9, **{key: 2}))
            self.wrong(self.run_of(**{key: "some"}), log(beats=9), f"{key} is 0")
        self.wrong(self.run_of(), log(beats=9, reopenings=1), "reopenings is 1")

    def test_wrong_uptime_and_step_counts_are_found(self):
        self.wrong(self.run_of(), log(beats=9, uptime_s=4.701), "uptime_s")
        self.wrong(self.run_of(), log(beats=9, uptime_s=4.5), "uptime_s")
        self.wrong(self.run_of(), log(beats=9, wakeups={"beats": 8, "audio": 0}), "8 steps")
        self.wrong(self.run_of(), log(beats=9, wakeups={"beats": 23, "audio": 1}), "steps of the audio loop")

    def test_malformed_figures_are_found(self):
        self.wrong(self.run_of(), log(beats=9, xruns=None), "the keys are")
        self.wrong(self.run_of(), "metronome: figures {\n", "0 lines of figures for 1 signals")
        self.wrong(self.run_of(), "metronome: figures {beats}\n", "invalid JSON")
        self.wrong(self.run_of(), log(beats=9) * 2, "2 lines of figures for 1 signals")
        self.wrong(self.run_of(at=3500), log(beats=6, uptime_s=3.5), "sent at a beat")

    def test_decreasing_count_is_found(self):
        run = self.run_of()
        run.figures = run.figures * 2
        found = figures.judge(run, log(beats=9, xruns=None, failed_sets=0) + log(beats=9)).problems
        self.assertTrue(found)
        run.figures = [Mark(mark.instant, "figures", (), (("xruns", "some"),)) for mark in run.figures]
        found = figures.judge(run, log(beats=9, xruns=3) + log(beats=9, xruns=2)).problems
        self.assertTrue(any("xruns decreased from 3 to 2" in problem for problem in found), found)
