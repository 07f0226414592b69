"""Tests of the measurement of volumes: it detects each error."""

import tempfile
import unittest
from array import array
from math import exp, pi, sin
from pathlib import Path

import volume

RATE = 48_000
DOWN = [-1.5 * step for step in range(25)]
ALL = DOWN + DOWN[-2::-1]
LOUD = [0, -1.5, -3, -1.5, 0]
SOFT = [-33, -34.5, -36, -34.5]


def gain(decibels):
    return 10 ** (decibels / 20)


def click(decibels, frequency=1_120, fraction=0.0):
    """A decaying tone of 36 ms."""
    samples = []
    for frame in range(1_728):
        time = (frame - 31 - fraction) / RATE
        shape = exp(-time / 0.005) * sin(pi / 2 * min(1, time * 1_000)) ** 4 if time > 0 else 0
        samples.append(gain(decibels) * 24_000 * shape * sin(2 * pi * frequency * time))
    return samples


def tone(volumes, ramp=240, stairs=240, each=4_800):
    """A tone with changes of volume, each over a ramp with this number of stairs."""
    gains = [gain(volumes[0])] * 9_600
    for before, after in zip(volumes, volumes[1:]):
        first, last = gain(before), gain(after)
        gains += [first + (last - first) * ((frame + 1) * stairs // ramp) / stairs for frame in range(ramp)]
        gains += [last] * (each - ramp)
    gains += [gains[-1]] * 9_600
    samples = [22_000 * level * sin(2 * pi * 997 * frame / RATE) for frame, level in enumerate(gains)]
    fade = 2_400
    for frame in range(fade):
        samples[frame] *= frame / fade
        samples[-1 - frame] *= frame / fade
    return samples


class VolumeTest(unittest.TestCase):
    def judge(self, samples, volumes, right=None):
        with tempfile.TemporaryDirectory() as folder:
            left = [round(sample) for sample in samples]
            frames = array("h", [value for pair in zip(left, right or left) for value in pair])
            Path(folder, "heard.1").write_bytes(frames.tobytes())
            Path(folder, "volumes").write_text(volumes)
            return volume.judge(folder)

    def clicks(self, levels, wanted, **other):
        samples = [0] * 10_000
        for level in levels:
            samples += click(level, fraction=len(samples) % 7 / 7, **other) + [0] * 12_000
        return self.judge(samples, "clicks heard.1\n" + "".join(f"x {level}\n" for level in wanted)).problems

    def tone(self, levels, wanted=LOUD, **other):
        return self.judge(tone(levels, **other), "tone heard.1\n" + "".join(f"{level}\n" for level in wanted))

    def test_exact_clicks_are_accepted(self):
        self.assertEqual(self.clicks(ALL, ALL), [])

    def test_wrong_step_is_found(self):
        off = ALL[:10] + [ALL[10] - 0.12] + ALL[11:]
        self.assertEqual(len(self.clicks(off, ALL)), 2)

    def test_missing_click_is_found(self):
        self.assertEqual(self.clicks(ALL[:-1], ALL), ["48 clicks instead of 49"])

    def test_other_spectrum_is_found(self):
        samples = [0] * 10_000 + click(0) + [0] * 12_000
        clipped = [max(-1_000, min(1_000, sample)) for sample in click(-1.5)]
        factor = (volume.energy(click(-1.5)) / volume.energy(clipped)) ** 0.5
        samples += [factor * sample for sample in clipped] + [0] * 12_000
        problems = self.judge(samples, "clicks heard.1\nx 0\nx -1.5\n").problems
        self.assertTrue(problems)
        self.assertTrue(all("has the energy" in problem for problem in problems))

    def test_different_channels_are_found(self):
        samples = [0] * 10_000 + click(0) + [0] * 12_000
        self.assertEqual(len(self.judge(samples, "clicks heard.1\nx 0\n", right=[0] * len(samples)).problems), 1)

    def test_ramps_are_accepted(self):
        found = self.tone(LOUD)
        self.assertEqual(found.problems, [])
        self.assertLess(found.noise, -60)
        self.assertEqual(self.tone(SOFT, SOFT).problems, [])

    def test_jumps_are_found(self):
        self.assertGreaterEqual(len(self.tone(LOUD, ramp=1, stairs=1).problems), 4)
        self.assertGreaterEqual(len(self.tone(SOFT, SOFT, ramp=1, stairs=1).problems), 3)

    def test_stairs_are_found(self):
        self.assertGreaterEqual(len(self.tone(LOUD, stairs=16).problems), 4)

    def test_short_ramp_is_found(self):
        self.assertTrue(self.tone(LOUD, ramp=6, stairs=6).problems)

    def test_wrong_volume_of_the_tone_is_found(self):
        self.assertEqual(len(self.tone(LOUD[:2] + [-3.15] + LOUD[3:]).problems), 2)

    def test_missing_step_of_the_tone_is_found(self):
        self.assertEqual(len(self.tone(LOUD[:3] + LOUD[4:]).problems), 1)

    def test_dip_during_a_change_is_found(self):
        levels = [0, -1.5]
        samples = tone(levels)
        for frame in range(300):
            samples[9_700 + frame] *= 0.7 + 0.3 * abs(frame - 150) / 150
        self.assertTrue(self.judge(samples, "tone heard.1\n0\n-1.5\n").problems)

    def test_silence_is_found(self):
        self.assertEqual(self.judge([0] * 48_000, "tone heard.1\n0\n").problems, ["there is no tone"])


if __name__ == "__main__":
    unittest.main()
