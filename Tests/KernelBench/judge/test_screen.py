"""Tests the decoder of the SSD1306 screen."""

import unittest

import screen
from glyphs import GLYPHS, Shown
from record import Transfer

SET_UP = [0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0x8D, 0x14, 0x20, 0x02, 0xA1, 0xC8, 0xDA, 0x12, 0xA4, 0xA6]


def picture(text, without=()):
    """The pages of a text of four characters; `:` after the second one is the colon. `without` are pixels that stay dark."""
    lit = set()
    if ":" in text:
        lit |= screen.pixels(screen.COLON[0]) | screen.pixels(screen.COLON[1])
    for sign, left in zip(text.replace(":", ""), screen.LEFT):
        for name in GLYPHS[sign]:
            lit |= screen.pixels(screen.SEGMENTS[name], left)
    lit -= set(without)
    return [[sum(1 << y for y in range(8) if (x, 8 * page + y) in lit) for x in range(128)] for page in range(8)]


def transfers(*texts, set_up=SET_UP, contrast=0x7F, without=()):
    found = [Transfer(0, 0x00, tuple(set_up))] if set_up else []
    for number, text in enumerate(texts, 1):
        for page, columns in enumerate(picture(text, without)):
            for start in range(0, 128, 32):
                place = (0xB0 | page, start & 0xF, 0x10 | start >> 4)
                found.append(Transfer(number, 0x00, place))
                found.append(Transfer(number, 0x40, tuple(columns[start : start + 32])))
        found.append(Transfer(number, 0x00, (0x81, contrast, 0xAF)))
    return found


class Screens(unittest.TestCase):
    def test_texts_are_read(self):
        texts = [" 120", " 6:8 ", "12:16", "U 24", "P  3", "b 17", "donE", "PAir", "----", "E  1", "    ", "8888"]
        shown, problems = screen.decode(transfers(*texts))
        self.assertEqual(problems, [])
        self.assertEqual(shown, [Shown(0, None)] + [Shown(number, text, 4) for number, text in enumerate(texts, 1)])

    def test_brightness_is_the_contrast(self):
        shown, _ = screen.decode(transfers(" 120", contrast=255))
        self.assertEqual(shown[-1].brightness, 8)

    def test_a_wrong_pixel_is_found(self):
        _, problems = screen.decode(transfers(" 120", without=[(110, 4)]))
        self.assertEqual(problems, ["display: 1 wrong pixels around ' 120' at 0.000000 s"])

    def test_wrong_segments_are_found(self):
        _, problems = screen.decode(transfers(" 120", without=screen.pixels(screen.SEGMENTS["g"], 68)))
        self.assertTrue(any("unknown segments" in problem for problem in problems))

    def test_a_missing_set_up_is_found(self):
        _, problems = screen.decode(transfers(" 120", set_up=None))
        self.assertIn("a picture before the chip is set up", problems[0])

    def test_an_unknown_command_is_found(self):
        _, problems = screen.decode([Transfer(5, 0x00, (0xA5,)), Transfer(6, 0x80, (0x00,))])
        self.assertEqual(len(problems), 2)


if __name__ == "__main__":
    unittest.main()
