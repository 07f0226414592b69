"""Tests what becomes of the records of an ear."""

import random
import unittest

import sound

MS = 1_000_000
CARD_START = 10**9 + 123_456


def readings(seconds, ppm_of, stale=()):
    """Readings of a card in whole frames, one per 42.7 ms; stale ones are 0.9 ms old."""
    found, position, instant = [], 0.0, CARD_START
    for number in range(int(seconds / 0.0427)):
        rate = sound.RATE * (1 + ppm_of((instant - CARD_START) / 1e9) / 1e6)
        position += rate * 0.0427
        instant += 42_700_000
        found.append((int(position - (0.0009 * rate if number in stale else 0)), instant))
    return found


class Maps(unittest.TestCase):
    def worst(self, found, ppm_of):
        """The largest error of the map from these readings, in microseconds."""
        truth, worst, position = sound.StreamMap(found), 0, 0.0
        for number in range(int(len(found) * 0.0427 * 1000)):
            rate = sound.RATE * (1 + ppm_of(number / 1000) / 1e6)
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
        with self.assertRaises(sound.Unheard):
            sound.StreamMap(broken).instant(broken[110][0])

    def test_too_few_readings_are_rejected(self):
        with self.assertRaises(sound.Unheard):
            sound.StreamMap(readings(1, lambda _: 0))

    def test_rate_is_measured(self):
        found = sound.StreamMap(readings(60, lambda second: 50 if second < 30 else -50))
        self.assertAlmostEqual(found.rate(CARD_START, CARD_START + 30 * 10**9), 50, delta=0.5)
        self.assertAlmostEqual(found.rate(CARD_START + 31 * 10**9, CARD_START + 60 * 10**9), -50, delta=0.5)
        self.assertIsNone(found.rate(0, CARD_START))


class Recordings(unittest.TestCase):
    def test_clicks_and_sounds_are_read(self):
        lines = ["started", "click 100.5 90 20 9000 sure", "click 200 190 10 9000 unsure", "frames 300"]
        self.assertEqual(sound.Recording("\n".join(lines)).streams(float), {"clicks": [(100.5, True, True), (200.0, False, False)]})
        lines[1:1] = ["sound 90 strong 0.5", "sound 80 weak 1", "noise 150 0.2"]
        self.assertEqual(
            sound.Recording("\n".join(lines)).streams(float), {"weak": [(80.0, 1.0)], "strong": [(90.0, 0.5)], "noise": [(150.0, 0.2)]})

    def test_an_ear_that_stopped_early_or_lost_frames_is_rejected(self):
        for lines in (["started", "click 1 1 1 1"], ["started", "overrun", "frames 3"], []):
            self.assertRaises(sound.Unheard, sound.Recording, "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
