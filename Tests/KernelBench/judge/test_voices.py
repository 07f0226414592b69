"""Tests of the comparison of recognized sounds with the hits of a rhythm."""

import math
import struct
import unittest
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import lines
import sound
import voices
from ear import RATE, Unheard
from test_judge import MS, performance
from test_rhythm import SETTINGS

CARD = ("sound_p99_us", "300")


class Sounds(unittest.TestCase):
    def setUp(self):
        self.run_ = performance(settings=SETTINGS + (CARD,))
        self.chords = sound.wanted(self.run_, lines.judge(self.run_).chords)
        self.sounds = [
            voices.Sound(instant + 20_000, kind, gain) for chord, instant in self.chords for kind, gain in chord.gains.items()]
        self.kinds = [one.kind for one in self.sounds]

    def judged(self):
        return sound.judge(self.run_, self.chords, voices.together(self.sounds))

    def wrong(self, text):
        found = self.judged()
        self.assertTrue(any(text in problem for problem in found.problems), found.problems)
        return found

    def place(self, kind, gain):
        return next(n for n, one in enumerate(self.sounds) if one.kind == kind and abs(one.gain - gain) < 0.01 and n > 20)

    def test_correct_sound_passes(self):
        found = self.judged()
        self.assertEqual(found.problems, [])
        self.assertEqual((found.sounds, found.right), (len(self.sounds), len(self.sounds)))
        self.assertEqual(set(self.kinds), {"strong", "medium", "weak", "cowbell-strong", "cowbell-weak"})
        self.assertTrue(any(abs(one.gain - 0.316) < 0.001 for one in self.sounds))
        self.assertTrue(any(len(chord.hits) == 2 for chord, _ in self.chords))

    def test_missing_hit_is_found(self):
        del self.sounds[self.place("weak", 0.316)]
        self.assertLess(self.wrong("no click within 1.5 ms of beat").right, len(self.sounds) + 1)

    def test_missing_sound_of_a_chord_is_found(self):
        chord = next(instant for chord, instant in self.chords[20:] if len(chord.hits) == 2)
        self.sounds.remove(next(one for one in self.sounds if one.instant == chord + 20_000 and "cowbell" in one.kind))
        self.wrong("cowbell")

    def test_double_hit_is_found(self):
        self.sounds.append(replace(self.sounds[30], instant=self.sounds[30].instant + 10 * MS))
        self.wrong("without a flash")

    def test_hit_played_twice_at_once_is_found(self):
        self.sounds.append(self.sounds[30])
        self.wrong("instead of")

    def test_wrong_level_is_found(self):
        place = self.place("weak", 0.316)
        self.sounds[place] = replace(self.sounds[place], gain=1)
        self.wrong("weak with 1.000 instead of 0.316")
        self.setUp()
        place = self.place("medium", 1)
        self.sounds[place] = replace(self.sounds[place], kind="strong")
        self.wrong("strong with 1.000 instead of 0.000")

    def test_wrong_voice_is_found(self):
        place = self.place("cowbell-weak", 1)
        self.sounds[place] = replace(self.sounds[place], kind="weak")
        found = self.wrong("cowbell-weak with 0.000 instead of 1.000")
        self.assertEqual(found.right, found.sounds - 1)

    def test_late_click_is_found(self):
        self.run_.mark = replace(self.run_.mark, settings=SETTINGS + (CARD, ("sound_worst_us", "1000")))
        self.sounds[30] = replace(self.sounds[30], instant=self.sounds[30].instant + 1 * MS)
        self.wrong("ms off")

    def test_late_sound_of_a_chord_is_found(self):
        self.run_.mark = replace(self.run_.mark, settings=SETTINGS + (CARD, ("sound_worst_us", "300")))
        chord = next(instant for chord, instant in self.chords[20:] if len(chord.hits) == 2)
        place = max(n for n, one in enumerate(self.sounds) if one.instant == chord + 20_000)
        self.sounds[place] = replace(self.sounds[place], instant=chord + 400_000)
        self.wrong("+0.4000 ms off")

    def test_noise_is_found(self):
        self.sounds.append(voices.Sound(self.sounds[30].instant + 9 * MS, None, 4000))
        self.wrong("without a flash")

    def test_volume_is_judged(self):
        self.run_.played.volumes.append((5_000 * MS, 8))
        self.chords = sound.wanted(self.run_, lines.judge(self.run_).chords)
        self.wrong("instead of 0.251")
        self.sounds = [
            voices.Sound(instant, kind, gain * voices.STEP ** chord.volumes[0])
            for chord, instant in self.chords for kind, gain in chord.gains.items()]  # fmt: skip
        self.assertEqual(self.judged().problems, [])


class Shapes(unittest.TestCase):
    """The program's sounds must be those of the page Sound."""

    def write(self, **changed):
        found = bytearray()
        for name in voices.PLACES:
            other, decibels = voices.SAME.get(name, (name, 0))
            gain = 6_000 * 10 ** (changed.get("ghost_db", decibels) / 20 if "ghost" in name else 0)
            partials = voices.PARTIALS[changed.get(other.replace("-", "_"), other)]
            for frame in range(RATE):
                value = 0
                if frame < 1_700:
                    value = sum(math.sin(2 * math.pi * hertz * frame / RATE) * math.exp(-frame / 240) for hertz in partials)
                found += struct.pack("<h", round(value * gain / len(partials)))
        return b"RIFF" + bytes(32) + b"data" + struct.pack("<I", len(found)) + bytes(found)

    def check(self, **changed):
        with TemporaryDirectory() as folder:
            file = Path(folder) / "sounds.wav"
            file.write_bytes(self.write(**changed))
            voices.check(file)

    def test_documented_sounds_pass(self):
        self.check()

    def test_level_that_sounds_like_another_is_found(self):
        for changed in ({"medium": "weak"}, {"cowbell_weak": "weak"}, {"cowbell_strong": "cowbell-weak"}, {"strong": "medium"}):
            with self.assertRaises(Unheard, msg=changed):
                self.check(**changed)

    def test_ghost_of_the_wrong_level_is_found(self):
        with self.assertRaises(Unheard):
            self.check(ghost_db=-6)


if __name__ == "__main__":
    unittest.main()
