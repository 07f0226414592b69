"""Tests of the judge of added outputs: correct edges pass, and each possible error is found."""

import unittest
from dataclasses import replace

import lines
from record import Write
from runs import BUZZER
from test_judge import MS, performance

LAMP = 23


def with_lamp(shows="last", width="60", is_shown=lambda beat: beat.position == 2):
    """A run in 3/4 with a lamp that shows some of the beats, each call 944 ns late."""
    run = performance(settings=(("numerator", "3"), ("added", f"{LAMP}:{shows}:{width}")))
    (session,) = run.sessions
    for beat in filter(is_shown, session.beats(run.signal)):
        end = session.beat(beat.index + 1).instant if width == "beat" else beat.instant + int(width) * MS
        off = min(end, run.signal)
        run.writes += [Write(at + 944 + 768, "beats-7", LAMP, value) for at, value in ((beat.instant, 1), (off, 0))]
    run.writes.sort(key=lambda write: write.instant)
    return run


class NamedTests(unittest.TestCase):
    def wrong(self, run, text):
        problems = lines.judge(run).problems
        self.assertTrue(any(text in problem for problem in problems), problems)

    def change(self, run, number, **changes):
        place = [place for place, write in enumerate(run.writes) if write.line == LAMP][number]
        run.writes[place] = replace(run.writes[place], **changes)

    def test_correct_edges_pass(self):
        for shows, width, is_shown in (
            ("last", "60", lambda beat: beat.position == 2), ("first", "60", lambda beat: beat.position == 0),
            ("every", "60", lambda beat: True), ("left", "beat", lambda beat: beat.index % 2 == 0),
            ("right", "60", lambda beat: beat.index % 2 == 1),
        ):  # fmt: skip
            with self.subTest(shows=shows):
                self.assertEqual(lines.judge(with_lamp(shows, width, is_shown)).problems, [])

    def test_wrong_beats_are_found(self):
        run = with_lamp(is_shown=lambda beat: beat.position == 1)
        self.wrong(run, "GPIO23 missing on beat 2")
        self.wrong(run, "with no beat")

    def test_late_edge_is_found(self):
        run = with_lamp()
        self.change(run, 2, instant=[write for write in run.writes if write.line == LAMP][2].instant + 6_000)
        self.wrong(run, "GPIO23 missing on beat 5")

    def test_too_long_pulse_is_found(self):
        run = with_lamp()
        self.change(run, 1, instant=[write for write in run.writes if write.line == LAMP][1].instant + MS)
        self.wrong(run, "GPIO23 off after")

    def test_runs_without_added_outputs_are_as_before(self):
        run = performance()
        self.assertEqual(lines.judge(run).problems, [])
        self.assertTrue(any(write.line == BUZZER for write in run.writes))


if __name__ == "__main__":
    unittest.main()
