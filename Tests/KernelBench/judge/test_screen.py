"""Tests the decoder of the screen."""

import unittest

import screen
from glyphs import Shown
from record import Transfer

SET_UP = {
    "ssd1306": [0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0x8D, 0x14, 0x20, 0x02, 0xA1, 0xC8, 0xDA, 0x12, 0xA4, 0xA6],
    "sh1106": [0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xAD, 0x8B, 0xA1, 0xC8, 0xDA, 0x12, 0xA4, 0xA6],
}


def picture(text, width=32, without=()):
    """The pages of a page's text; `without` are pixels that stay dark."""
    title, number, *others = text.split("|")
    lit = set()
    for (name, left, top, length), part in zip(screen.parts(width), (title, *others)):
        for place, letter in enumerate(part[:length]):
            lit |= screen.moved(screen.font(name)[letter], left + place * screen.SIZES[name][0], top)
    if number:
        glyphs, _, places = screen.stretched(len(number), width)
        for place, letter in zip(places, number):
            lit |= screen.moved(glyphs[letter], place, screen.NUMBER_TOP)
    lit -= set(without)
    return [[sum(1 << y for y in range(8) if (x, 8 * page + y) in lit) for x in range(128)] for page in range(8)]


def transfers(*texts, chip="ssd1306", set_up=True, contrast=0x7F, margin=None, **options):
    found = [Transfer(0, 0x00, tuple(SET_UP[chip]))] if set_up else []
    margin = {"ssd1306": 0, "sh1106": 2}[chip] if margin is None else margin
    for number, text in enumerate(texts, 1):
        for page, columns in enumerate(picture(text, **options)):
            for start in range(0, 128, 32):
                column = start + margin
                found.append(Transfer(number, 0x00, (0xB0 | page, column & 0xF, 0x10 | column >> 4)))
                found.append(Transfer(number, 0x40, tuple(columns[start : start + 32])))
        found.append(Transfer(number, 0x00, (0x81, contrast, 0xD9, 0xF1, 0xDB, 0x40, 0xAF)))
    return found


class Screens(unittest.TestCase):
    def test_pages_are_read(self):
        texts = [
            "Für Elise 3/12|17|verse|120 BPM|→ chorus 96 3/4", "Dvořák: Šárka|8|Übung|97.5 BPM|→ Größe", "||||", "A|-2|||stopped",
            "song 1|128|a|1|", "song 1|1024|a|1|"]  # fmt: skip
        for chip in SET_UP:
            shown, problems = screen.decode(transfers(*texts, chip=chip), chip)
            self.assertEqual(problems, [])
            self.assertEqual(shown, [Shown(0, None)] + [Shown(number, text, 4) for number, text in enumerate(texts, 1)])

    def test_wide_numbers_are_read(self):
        for text in ("playing|120|BPM|4/4|", "Waltz 1/2|97.5|BPM|3/4|", "x|133.7|3/8 per min|2+2+3/8|stored"):
            shown, problems = screen.decode(transfers(text, width=48))
            self.assertEqual((shown[-1].text, problems), (text, []))

    def test_brightness_is_the_contrast(self):
        shown, _ = screen.decode(transfers("a|1|||", contrast=255))
        self.assertEqual(shown[-1].brightness, 8)

    def test_a_wrong_pixel_is_found(self):
        lit = next(one for one in screen.moved(screen.font("medium")["A"], 0, 0))
        _, problems = screen.decode(transfers("A|17|||", without=[lit]))
        self.assertIn("wrong pixels", problems[0])

    def test_a_wrong_pixel_of_the_number_is_found(self):
        glyphs, _, places = screen.stretched(2, 32)
        lit = next(iter(screen.moved(glyphs["7"], places[1], screen.NUMBER_TOP)))
        _, problems = screen.decode(transfers("A|17|||", without=[lit]))
        self.assertIn("wrong pixels", problems[0])

    def test_wrong_columns_are_found(self):
        _, problems = screen.decode(transfers("A|17|||", chip="sh1106", margin=0), "sh1106")
        self.assertIn("wrong pixels", problems[0])

    def test_the_setup_of_the_other_chip_is_found(self):
        for chip, other in (("ssd1306", "sh1106"), ("sh1106", "ssd1306")):
            _, problems = screen.decode(transfers("A|17|||", chip=chip), other)
            self.assertTrue(any("unexpected command" in problem for problem in problems))
            self.assertTrue(any("before the chip is set up" in problem for problem in problems))

    def test_a_missing_set_up_is_found(self):
        _, problems = screen.decode(transfers("A|1|||", set_up=False))
        self.assertIn("a picture before the chip is set up", problems[0])

    def test_an_unknown_command_is_found(self):
        _, problems = screen.decode([Transfer(5, 0x00, (0xA5,)), Transfer(6, 0x80, (0x00,))])
        self.assertEqual(len(problems), 2)


if __name__ == "__main__":
    unittest.main()
