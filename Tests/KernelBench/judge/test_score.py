"""Tests of the scores: the model against numbers worked out by hand, and mistakes on the lines that must be found."""

import unittest
from dataclasses import replace

import lines
import score
import score_player
from runs import BUZZER, LIGHT
from test_judge import MS, call_of_beat, performance, problems, shift

LEAD = MS
SONGS = """
song "One" count=1
1 2/4 120>180
1 3/4 240-120 mute=0/1bar
pause wait
1 2/4 200 sub=2
song "Two" scale=50%
1 2/4 360
"""
PRESSES = ((1500 * MS, "play"), (5030 * MS, "play"), (6510 * MS, "play"))


def session(text, start=0):
    return score_player.ScoreSession(score.Reader(text).songs[0], 0, start)


def instants(text, until=100_000):
    return [beat.instant for beat in session(text).beats(until * MS)]


class Numbers(unittest.TestCase):
    def test_evenly_in_time(self):
        # 120 BPM less than 3 s: p = t + 3 t² / 32, in seconds.
        self.assertEqual(instants("2 60>120"), [
            0, 920_554_346, 1_722_003_496, 2_441_269_193, 3_099_407_093, 3_709_773_310, 4_281_470_067, 4_821_030_807])
        self.assertEqual(session("2 60>120").end, 5_333_333_334)

    def test_evenly_from_beat_to_beat(self):
        # 8 s · ln(1 + n / 8)
        self.assertEqual(instants("2 60-120")[:3], [0, 942_264_285, 1_785_148_410])
        self.assertEqual(session("2 60-120").end // MS, 5_545)

    def test_equal_shares_of_the_beats(self):
        self.assertEqual([at / MS for at in instants("2 60~120")][:4], [0, 968.75, 1875, 2718.75])
        self.assertEqual(session("2 60~120").end, 6_000 * MS)

    def test_steps(self):
        found = instants("* 1/4 60+60/2bar..180!stop")
        self.assertEqual([at // MS for at in found], [0, 1000, 2000, 2500, 3000, 3333])
        found = instants("7 1/4 60+60/1bar..120!reverse\n1 2/4 =")
        self.assertEqual([at // MS for at in found], [0, 1000, 1500, 2500, 3000, 4000, 4500, 5500, 6000])

    def test_beat_by_beat_and_microseconds(self):
        self.assertEqual(instants("1 3/4 60,120,60\n1 1/8 500000us\n1 1/4 ="), [
            0, 1000 * MS, 1500 * MS, 2500 * MS, 2750 * MS])

    def test_repeats_pauses_and_scale(self):
        text = 'song "A" scale=50%\n{2\na: 1 1/4 120\n{2\n1 1/8 120\n}\n}\npause 0.25s\npause 2beat\n1 1/4 120'
        self.assertEqual([at // MS for at in instants(text)], [0, 1000, 1500, 2000, 3000, 3500, 5250])
        self.assertEqual([number for _, number in score.Reader(text).songs[0].played], [0, 1, 2, 3, 4, 5, 6, 6, 6])

    def test_count_in(self):
        one = session('song "A" count=1\n1 2/4 60\n1 1/4 120 count=2')
        self.assertEqual([beat.instant // MS for beat in one.beats(10**12)], [0, 1000, 2000, 3000, 4000, 4500, 5000])

    def test_split_mix(self):
        # The reference values of the authors.
        self.assertEqual([score.split_mix(1234567, number) for number in (0, 1)], [
            6457827717110365317, 3203168211198807973])

    def test_silent_beats(self):
        found = [beat.is_silent for beat in session("3 3/4 60 mute=1/1bar").beats(10**12)]
        self.assertEqual(found, [False] * 3 + [True] * 3 + [False] * 3)
        found = [beat.is_silent for beat in session("2 3/4 60 mute=2/1beat").beats(10**12)]
        self.assertEqual(found, [False, False, True] * 2)
        growing = [beat.is_silent for beat in session("2 60 drop=100%:1bar").beats(10**12)]
        self.assertEqual(growing, [False] * 4 + [True] * 4)

    def test_pause_that_waits(self):
        one = session("1 2/4 60\npause wait\n1 1/4 60")
        self.assertFalse(one.go_on(1_999 * MS))
        self.assertTrue(one.go_on(7_003 * MS))
        self.assertEqual([beat.instant // MS for beat in one.beats(10**12)], [0, 1000, 7003])
        self.assertEqual([beat.index for beat in one.beats(10**12)], [0, 1, 2])

    def test_section_is_left_at_the_bar_line(self):
        one = session("* 2/4 60\n1 1/4 120")
        self.assertIsNone(one.end)
        one.leave(4_001 * MS)
        self.assertEqual([beat.instant // MS for beat in one.beats(10**12)], [0, 1000, 2000, 3000, 4000, 5000, 6000])
        self.assertEqual(one.end, 6_500 * MS)


class Wrong(unittest.TestCase):
    """Mistakes in what is shown. The first song has 4 + 3 beats up to its pause and 2 after it, the second one 2."""

    def setUp(self):
        self.run_ = self.played(SONGS)

    def played(self, text, presses=PRESSES):
        return performance(presses, songs=score.Reader(text).songs)

    def shown_as(self, text, wanted):
        """What is shown is another score."""
        self.run_.songs, self.run_._played = score.Reader(text).songs, None
        found = problems(self.run_)
        self.assertTrue(any(wanted in problem for problem in found), found)

    def test_correct_run_passes(self):
        self.assertEqual(problems(self.run_), [])
        found = lines.judge(self.run_)
        self.assertEqual((found.beats, len(self.run_.sessions)), (11, 2))

    def test_silent_beats_only_light(self):
        silent = [beat.instant for beat in self.run_.sessions[0].beats(10**12) if beat.is_silent]
        rises = [edge for edge in lines.edges(self.run_.writes) if edge.rises and edge.instant - 944 in silent]
        self.assertEqual(sum(edge.line == LIGHT for edge in rises), 3)
        self.assertEqual(sum(edge.line == BUZZER for edge in rises), 0)

    def test_other_shape_is_found(self):
        self.shown_as(SONGS.replace("120>180", "120-180"), "light missing on beat 3")

    def test_other_end_of_a_change_is_found(self):
        self.shown_as(SONGS.replace("120>180", "120>180.02"), "off beat 3")

    def test_other_silence_is_found(self):
        self.shown_as(SONGS.replace("mute=0/1bar", "mute=2/1beat"), "buzzer not in the light's call on beat 4")
        self.shown_as(SONGS.replace("200 sub=2", "200 sub=2 drop=100%"), "which is silent")

    def test_other_speed_is_found(self):
        self.shown_as(SONGS.replace("scale=50%", "scale=51%"), "beat 1")

    def test_missing_beat_is_found(self):
        for place in call_of_beat(self.run_, 5):
            write = self.run_.writes[place]
            self.run_.writes[place] = replace(write, value=0) if write.line == LIGHT else write
        self.assertTrue(any("light missing on beat 5" in problem for problem in problems(self.run_)))

    def test_late_end_of_a_pause_is_found(self):
        shift(self.run_, 7, 5_001 - 944)
        self.assertTrue(any("light +5.001 µs off beat 7" in problem for problem in problems(self.run_)))


if __name__ == "__main__":
    unittest.main()
