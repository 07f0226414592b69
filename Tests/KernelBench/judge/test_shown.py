"""Tests of the judge: correct runs, and runs with exactly one error."""

import unittest
from dataclasses import replace

import lines
from hands import MS
from record import Mark, Write
from runs import BUZZER, KILLED, LIGHT
from test_judge import replace_presses, performance, problems


class Shown(unittest.TestCase):
    def wrong(self, run, text):
        found = problems(run)
        self.assertTrue(any(text in problem for problem in found), found)

    def play(self, *presses, signal=9260, **settings):
        presses = [(at * MS, *rest) for at, *rest in presses]
        return performance(presses, signal * MS, tuple((key, str(value)) for key, value in settings.items()))

    def test_held_buttons_pass(self):
        held = [(1500, "play"), (2600, "faster", 2600), (6000, "numerator", 1300), (8000, "denominator", 700)]
        self.assertEqual(problems(self.play(*held)), [])

    def test_extra_repetition_is_found(self):
        run = self.play((1500, "play"), (2600, "faster", 801))
        replace_presses(run, [(1500 * MS, "play"), (2600 * MS, "faster", 799)])
        self.wrong(run, "off beat")

    def test_missing_repetition_is_found(self):
        run = self.play((1500, "play"), (2600, "faster", 799))
        replace_presses(run, [(1500 * MS, "play"), (2600 * MS, "faster", 801)])
        self.wrong(run, "off beat")

    def test_release_counted_as_a_press_is_found(self):
        run = self.play((1500, "play"), (2600, "denominator"), (2900, "denominator"))
        replace_presses(run, [(1500 * MS, "play"), (2600 * MS, "denominator")])
        self.wrong(run, "with no beat")

    def test_short_press_that_acts_at_its_edge_is_found(self):
        run = self.play((1500, "play"), (2600, "denominator", 1))
        replace_presses(run, [(1500 * MS, "play"), (2600 * MS, "denominator", 240)])
        self.assertTrue(problems(run))

    def test_taps_pass_only_with_the_rounding_of_the_run(self):
        taps = [(1500, "play")] + [(2600 + 407 * n, "tap") for n in range(7)]
        self.assertEqual(problems(self.play(*taps)), [])
        self.assertEqual(problems(self.play(*taps, tap_rounds=0)), [])
        run = self.play(*taps)
        run.mark = Mark(run.mark.instant, "run", ("test",), (("tap_rounds", "0"),))
        run._played = None
        self.assertTrue(problems(run))

    def test_too_early_beat_after_a_tap_is_found(self):
        run = self.play((1500, "play"), (2600, "tap"), (3007, "tap"), (3414, "tap"))
        rises = [place for place, write in enumerate(run.writes) if write.instant > 4_500 * MS and write.value]
        for place in range(rises[0], rises[0] + 3):
            write = run.writes[place]
            run.writes[place] = Write(write.instant - 947, write.task, write.line, write.value)
        self.wrong(run, "light -0.003 µs off beat")

    def test_undone_stop_passes(self):
        self.assertEqual(problems(self.play((1500, "play"), (2900, "play", 200), (2950, "faster", 100))), [])
        self.assertEqual(problems(self.play((1500, "play"), (3990, "play", 200), (4040, "faster", 100))), [])

    def test_stop_that_is_not_undone_is_found(self):
        run = self.play((1500, "play"), (2900, "play"))
        replace_presses(run, [(1500 * MS, "play"), (2900 * MS, "play", 200), (2950 * MS, "faster", 100)])
        self.wrong(run, "missing")

    def test_silent_mode_passes(self):
        self.assertEqual(problems(self.play((1500, "play"), (3100, "play", 600), (6100, "play", 700))), [])

    def test_buzzer_in_silent_mode_is_found(self):
        run = self.play((1500, "play"), (3100, "play", 600), (3900, "slower"))
        place = next(n for n, w in enumerate(run.writes) if w.instant > 5000 * MS and w.line == BUZZER)
        run.writes[place] = Write(run.writes[place].instant, "beats-7", BUZZER, 1)
        run.writes[place - 1] = Write(run.writes[place - 1].instant, "beats-7", LIGHT, 1)
        self.assertTrue(problems(run))

    def test_reply_passes(self):
        run = self.play((1500, "play"), (3000, "play", 200), (3050, "faster", 100), signal=15_000)
        self.assertEqual(problems(run), [])
        self.assertEqual(lines.judge(run).replies, 1)
        stopped = self.play((1500, "numerator", 200), (1550, "play", 100), signal=15_000)
        self.assertEqual(problems(stopped), [])

    def test_incomplete_reply_is_found(self):
        run = self.play((1500, "numerator", 200), (1550, "play", 100), signal=15_000)
        last = max(write.instant for write in run.writes if write.value)
        run.writes = [w for w in run.writes if w.instant < last - 10 * MS]
        self.wrong(run, "not on together")
        run = self.play((1500, "numerator", 200), (1550, "play", 100), signal=15_000)
        run.writes = [w if w.instant < last else Write(w.instant - MS, w.task, w.line, w.value) for w in run.writes]
        self.wrong(run, "in a reply")

    def test_beats_during_a_reply_are_found(self):
        run = self.play((1500, "play"))
        replace_presses(run, [(1500 * MS, "play"), (3000 * MS, "play", 200), (3050 * MS, "faster", 100)])
        self.wrong(run, "with no beat")

    def test_presets_pass(self):
        run = self.play((1500, "play"), (2700, "preset_2"), (6000, "preset_3", 700), presets="90000:3/4,240000:7/8")
        self.assertEqual(problems(run), [])
        self.assertEqual(len(run.played.presets), 3)

    def test_buzzer_continues_during_a_refusal(self):
        run = self.play((1500, "play"), (2790, "preset_1"))
        self.assertEqual(problems(run), [])
        beat = next(beat for beat in run.sessions[0].beats(9 * 10**9) if beat.instant > 2900 * MS)
        near = lambda write: write.line == BUZZER and 0 <= write.instant - beat.instant < 90 * MS
        run.writes = [replace(write, value=0) if near(write) else write for write in run.writes]
        self.wrong(run, "while the light refuses")

    def test_preset_recalled_immediately_is_found(self):
        run = self.play((1500, "play"), (2700, "preset_1"), presets="240000:4/4")
        early = self.play((1500, "play"), (2780, "tap"), tempo=120_000)
        run.writes = early.writes
        self.assertTrue(problems(run))

    def test_light_left_on_passes_only_after_sigkill(self):
        run = self.play((1500, "play"), signal=7510)
        run.writes = [write for write in run.writes if write.instant < 7510 * MS]
        self.wrong(run, "light left on")
        run.wanted_code = run.exit_code = KILLED
        self.assertEqual(problems(run), [])

    def test_automatic_stop_may_be_as_late_as_an_ordinary_thread(self):
        for late, found in ((0, 0), (99, 0), (1_200, 1)):
            run = self.play((1500, "play"), auto_stop_ms=5000, signal=12_000)
            dark = [replace(write, instant=write.instant + late * MS // 1000) for write in run.writes if write.instant >= 6500 * MS]
            run.writes = [write for write in run.writes if write.instant < 6500 * MS] + dark
            self.assertEqual(bool(problems(run)), bool(found))

    def test_autoplay_passes_and_its_absence_is_found(self):
        run = performance([(1500 * MS, "play")])
        run.mark = Mark(run.mark.instant, "run", ("test",), (("autoplay", "1"),))
        replace_presses(run, [])
        self.assertEqual(problems(run), [])
        run.writes = []
        run._played = None
        self.wrong(run, "did not start automatically")


if __name__ == "__main__":
    unittest.main()
