"""Tests of the judge's comparison of clicks and flashes."""

import random
import unittest
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import ear
import lines
import record
import runs
import sound
from record import Mark
from test_judge import MS, performance

CARD_START = 10**9 + 123_456


class Clicks(unittest.TestCase):
    def setUp(self):
        self.play()

    def play(self, *settings):
        self.run_ = performance(settings=settings)
        self.lit = lines.judge(self.run_).lit
        self.clicks = [ear.Click(flash + MS, 0, 20 if beat.is_first else 10) for beat, flash in self.lit]

    def move(self, number, by):
        self.clicks[number] = replace(self.clicks[number], instant=self.lit[number][1] + by)

    def found(self):
        return sound.judge(self.run_, self.lit, self.clicks).problems

    def test_correct_sound_passes(self):
        self.assertEqual(self.found(), [])

    def test_late_click_is_found(self):
        self.move(5, 1_500_001)
        self.assertEqual(len(self.found()), 2)

    def test_early_click_is_found(self):
        self.move(5, -1_500_001)
        self.assertEqual(len(self.found()), 2)

    def test_missing_click_is_found(self):
        del self.clicks[5]
        self.assertIn("no click within 1.5 ms of beat 5", self.found()[0])

    def test_repeated_click_is_found(self):
        self.clicks.insert(6, replace(self.clicks[5], instant=self.clicks[5].instant + 40 * MS))
        self.assertIn("without a flash", self.found()[0])

    def test_immediately_repeated_click_is_found(self):
        self.clicks.insert(6, replace(self.clicks[5], instant=self.clicks[5].instant + 100_000))
        self.assertIn("without a flash", self.found()[0])

    def test_wrong_pitch_is_found(self):
        self.clicks[4] = replace(self.clicks[4], crossings=10)
        self.assertIn("wrong pitch", self.found()[0])

    def test_limit_of_the_run_applies(self):
        self.play(("sound_worst_us", "1000"))
        self.assertEqual(self.found(), [])
        self.move(5, 1_000_001)
        self.assertIn("the click of beat 5 at 4.001001 s is +1.0000 ms off", self.found()[0])
        self.move(5, -1_000_001)
        self.assertIn("-1.0000 ms off", self.found()[0])

    def test_offset_of_the_run_shifts_the_expected_clicks(self):
        self.play(("sound_worst_us", "50"), ("sound_offset_us", "-3300"))
        self.assertIn("no click within 1.5 ms", self.found()[0])
        self.clicks = [replace(click, instant=click.instant - 4_300_000) for click in self.clicks]
        self.assertEqual(self.found(), [])

    def test_limit_does_not_apply_while_settling(self):
        self.play(("sound_worst_us", "1000"), ("sound_settle_s", "3"))
        self.move(5, 1_000_001)
        self.assertEqual(self.found(), [])
        self.move(6, 1_000_001)
        self.assertIn("beat 6", self.found()[0])

    def test_limit_does_not_apply_right_after_a_stall(self):
        self.play(("sound_worst_us", "1000"), ("sound_settle_s", "1"))
        self.move(9, 1_000_001)
        self.assertEqual(len(self.found()), 1)
        before = self.lit[8][1] + 100 * MS
        self.run_.stalls = [(before, before + MS)]
        self.assertEqual(self.found(), [])
        self.move(9, 1_500_001)
        self.assertEqual(len(self.found()), 2)

    def test_p99_limit_applies(self):
        self.play(("sound_p99_us", "1000"))
        self.assertEqual(self.found(), [])
        self.move(5, 1_000_001)
        self.assertIn("the p99 deviation of the clicks is 1.0000 ms, more than 1.0 ms", self.found()[0])

    def test_percentile_is_computed(self):
        self.assertEqual(sound.quantile_99([-n for n in range(1, 201)]), 198)
        self.assertEqual(sound.quantile_99([7]), 7)
        self.assertEqual(sound.quantile_99([]), 0)


class CardUnplugged(unittest.TestCase):
    """The card is unplugged before beat 4, and plugged in again in time for beat 8."""

    def setUp(self):
        self.run_ = performance()
        self.lit = lines.judge(self.run_).lit
        self.clicks = [ear.Click(flash, 0, 20 if beat.is_first else 10) for beat, flash in self.lit]
        self.run_.mutes = [(self.lit[4][1] - 100 * MS, self.lit[8][1] - 100 * MS)]

    def found(self):
        return sound.judge(self.run_, self.lit, self.clicks).problems

    def test_clicks_may_be_missing_while_the_card_is_unplugged(self):
        del self.clicks[4:8]
        self.assertEqual(self.found(), [])

    def test_sound_may_return_early(self):
        del self.clicks[4:7]
        self.assertEqual(self.found(), [])

    def test_late_return_of_the_sound_is_found(self):
        del self.clicks[4:9]
        self.assertIn("no click within 1.5 ms of beat 8", self.found()[0])

    def test_missed_clicks_must_not_be_replayed(self):
        replayed = replace(self.clicks[6], instant=self.lit[6][1] + 200 * MS)
        self.clicks[4:7] = [replayed]
        self.assertIn("without a flash", self.found()[0])

    def test_card_that_was_not_unplugged_is_found(self):
        self.assertIn("no beat was silent", self.found()[0])

    def test_marks_are_read(self):
        marks = [Mark(1, "run", ("r",), ()), Mark(5, "mute", (), ()), Mark(7, "sounding", (), (("after_ms", "2500"),))]
        (run,) = runs.split(marks)
        self.assertEqual(run.mutes, [(5, 7 + 2500 * MS)])



def readings(seconds, ppm_of, stale=()):
    """Readings of a card in whole frames, one per 42.7 ms; stale ones are 0.9 ms old."""
    found, position, instant = [], 0.0, CARD_START
    for number in range(int(seconds / 0.0427)):
        rate = ear.RATE * (1 + ppm_of((instant - CARD_START) / 1e9) / 1e6)
        position += rate * 0.0427
        instant += 42_700_000
        found.append((int(position - (0.0009 * rate if number in stale else 0)), instant))
    return found


class Maps(unittest.TestCase):
    def worst(self, found, ppm_of):
        """The largest error of the map from these readings, in microseconds."""
        truth, worst, position = ear.StreamMap(found), 0, 0.0
        for number in range(int(len(found) * 0.0427 * 1000)):
            rate = ear.RATE * (1 + ppm_of(number / 1000) / 1e6)
            position += rate / 1000
            if number % 37 == 0:
                worst = max(worst, abs(truth.instant(position) - CARD_START - (number + 1) * MS))
        return worst / 1000

    def test_map_follows_steady_cards(self):
        for ppm in (0, 200, -200):
            with self.subTest(ppm=ppm):
                self.assertLess(self.worst(readings(30, lambda _: ppm), lambda _: ppm), 30)

    def test_map_follows_a_changing_rate(self):
        def ppm_of(second):
            return 50 if second < 15 else -50

        self.assertLess(self.worst(readings(30, ppm_of), ppm_of), 30)

    def test_stale_positions_are_ignored(self):
        stale = random.Random(1).sample(range(700), 120)
        self.assertLess(self.worst(readings(30, lambda _: 200, stale), lambda _: 200), 30)

    def test_inconsistent_positions_are_rejected(self):
        found = readings(30, lambda _: 0)
        broken = found[:100] + [(frames + 480 * (number % 2), instant) for number, (frames, instant) in enumerate(found[100:])]
        with self.assertRaises(ear.Unheard):
            ear.StreamMap(broken).instant(broken[110][0])

    def test_too_few_readings_are_rejected(self):
        with self.assertRaises(ear.Unheard):
            ear.StreamMap(readings(1, lambda _: 0))

    def test_rate_is_measured(self):
        found = ear.StreamMap(readings(60, lambda second: 50 if second < 30 else -50))
        self.assertAlmostEqual(found.rate(CARD_START, CARD_START + 30 * 10**9), 50, delta=0.5)
        self.assertAlmostEqual(found.rate(CARD_START + 31 * 10**9, CARD_START + 60 * 10**9), -50, delta=0.5)
        self.assertIsNone(found.rate(0, CARD_START))

    def test_wrong_rate_of_the_card_is_found(self):
        run = performance()
        run.cards = [(CARD_START, 50), (CARD_START + 4 * 10**9, -50)]
        run.exit = CARD_START + 8 * 10**9
        right = ear.StreamMap(readings(10, lambda second: 50 if second < 4 else -50))
        self.assertEqual(sound.judge_cards(run, [right])[1], [])
        _, problems = sound.judge_cards(run, [ear.StreamMap(readings(10, lambda _: 50))])
        self.assertEqual(len(problems), 1)
        self.assertIn("not at -50 ppm", problems[0])
        self.assertEqual(len(sound.judge_cards(run, [])[1]), 2)

    def test_marks_are_read(self):
        marks = [Mark(1, "card", (), (("ppm", "50"),)), Mark(2, "run", ("r",), ()), Mark(5, "card", (), (("ppm", "-50"),))]
        (run,) = runs.split(marks)
        self.assertEqual(run.cards, [(2, 50), (5, -50)])


def rendered(*clicks):
    text = "started\n" + "".join(f"click {frame:.3f} {first} {crossings} 9\n" for frame, first, crossings in clicks)
    return ear.Recording(text + "frames 144000\n")


class Voices(unittest.TestCase):
    right = [(49252.5, 49155, 20)] + [(place + 120.25, place + 2, 10) for place in (73152, 97152, 121152)]

    def test_correct_sound_passes(self):
        self.assertEqual(ear.voices(rendered(*self.right), 24 * MS), {True: 100.5, False: 120.25})

    def refuse(self, clicks, text):
        with self.assertRaisesRegex(ear.Unheard, text):
            ear.voices(rendered(*clicks), 24 * MS)

    def test_missing_voice_is_rejected(self):
        self.refuse(self.right[:3], "3 clicks")

    def test_uneven_voices_are_rejected(self):
        frame, *rest = self.right[3]
        self.refuse(self.right[:3] + [(frame + 0.06, *rest)], "uneven")

    def test_wrong_pitch_is_found(self):
        self.refuse([(*self.right[0][:2], 10), *self.right[1:]], "wrong pitch")

    def test_voices_off_their_beats_are_rejected(self):
        for by in (25, -5):
            moved = [(frame + by, first + by, crossings) for frame, first, crossings in self.right]
            self.refuse(moved, "off its beat")


class Hearing(unittest.TestCase):
    """A scenario's folder with two ears: one heard the removal of the card, the other listened from the card's return on."""

    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.run_ = performance(settings=(("lead_ms", "24"),))
        voices = "".join(f"click {frame:.3f} {first} {crossings} 9\n" for frame, first, crossings in Voices.right)
        self.write("voices", f"started\n{voices}frames 144000\n")
        positions = "".join(f"at {frames} {instant}\n" for frames, instant in readings(5, lambda _: 0))
        self.write("ear.1", f"started\n{positions}click 4900.500 4800 20 9\ngone\nframes 200000\n")
        later = "".join(f"at {frames} {instant + 6 * 10**9}\n" for frames, instant in readings(5, lambda _: 0))
        self.write("ear.2", f"started\n{later}click 9720.250 9602 10 9\nframes 240000\n")
        self.write("ear.1.err", "")

    def write(self, name, text):
        (Path(self.folder.name) / name).write_text(text)

    def hear(self):
        return sound.hear(Path(self.folder.name), self.run_)

    def test_both_ears_are_read(self):
        clicks, maps = self.hear()
        self.assertEqual((len(clicks), len(maps)), (2, 2))
        for click, began in zip(clicks, (100 * MS, 6200 * MS)):
            self.assertAlmostEqual(click.instant - CARD_START, began, delta=12_000)

    def test_ear_that_stopped_early_is_rejected(self):
        self.write("ear.2", "started\nclick 9720.250 9602 10 9\n")
        self.assertRaises(ear.Unheard, self.hear)

    def test_ear_that_lost_frames_is_rejected(self):
        self.write("ear.2", "started\noverrun\nframes 9\n")
        self.assertRaises(ear.Unheard, self.hear)

    def test_missing_ear_is_rejected(self):
        for name in ("ear.1", "ear.2"):
            (Path(self.folder.name) / name).unlink()
        self.assertRaises(ear.Unheard, self.hear)

    def test_click_times_come_from_the_trace(self):
        """For a card that rounds positions up: readings at arbitrary times give a start of the stream that is too early."""
        moments = [(256 * 10**9 // 48_000) * number for number in range(1, 60)] + [777_777 * number for number in range(1, 40)]
        positions = [record.Position(10**9 + at, -(-at * 48 // 10**6)) for at in moments]
        tape = ear.Recording("started\nclick 590.500 482 20 9\nframes 960\n")
        (click,) = tape.timed({True: 110.5, False: 0}, positions)
        self.assertAlmostEqual(click.instant, 10**9 + 10 * MS, delta=1000)
        self.assertRaises(ear.Unheard, tape.timed, {True: 110.5, False: 0}, [])


if __name__ == "__main__":
    unittest.main()
