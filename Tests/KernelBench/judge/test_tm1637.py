"""Tests the decoder of a TM1637 display: correct frames are read, and each fault of the signals is found."""

import unittest
from dataclasses import replace

import glyphs
import tm1637
from record import Drive

MS = 1_000_000
CLOCK, DATA = 13, 4
STEP = 5_000
DIGITS = {" ": 0x00, "0": 0x3F, "1": 0x06, "2": 0x5B, "3": 0x4F, "4": 0x66, "5": 0x6D}
ON, OFF = 0x8B, 0x80


class Sender:
    """Sends bytes as the data sheet says, with a step of 5 µs between two changes."""

    def __init__(self, step=STEP):
        self.drives, self.now, self.step = [], 0, step

    def set(self, line, is_low):
        self.drives.append(Drive(self.now, "display-9", line, is_low))
        self.now += self.step

    def frame(self, *data):
        self.set(DATA, True)
        for byte in data:
            for bit in [byte >> place & 1 for place in range(8)] + [1]:
                self.set(CLOCK, True)
                self.set(DATA, not bit)
                self.set(CLOCK, False)
        self.set(CLOCK, True)
        self.set(DATA, True)
        self.set(CLOCK, False)
        self.set(DATA, False)

    def text(self, at, text, control=ON, command=0x40):
        self.now = at
        digits = [DIGITS[sign] for sign in text.replace(":", "")]
        if ":" in text:
            digits[1] |= 0x80
        self.frame(command)
        self.frame(0xC0, *digits)
        self.frame(control)

    def off(self, at):
        self.now = at
        self.frame(OFF)


def sent(*texts, step=STEP):
    """The changes of the lines for texts, each an instant and a text; None switches the display off."""
    sender = Sender(step)
    for at, text in texts:
        sender.off(at) if text is None else sender.text(at, text)
    return sender.drives


def texts_of(drives):
    shown, problems = tm1637.decode(drives, CLOCK, DATA)
    return [one.text for one in shown], problems


class Decoding(unittest.TestCase):
    """The protocol."""

    def setUp(self):
        self.drives = sent((0, " 120"), (10 * MS, " 5:4 "), (20 * MS, None))

    def wrong(self, text):
        found = texts_of(self.drives)[1]
        self.assertTrue(any(text in problem for problem in found), found)

    def place(self, line, is_low, number):
        return [n for n, drive in enumerate(self.drives) if (drive.line, drive.is_low) == (line, is_low)][number]

    def shift(self, line, is_low, number, by):
        place = self.place(line, is_low, number)
        self.drives[place:] = [replace(drive, instant=drive.instant + by) for drive in self.drives[place:]]

    def test_correct_frames_are_read(self):
        self.assertEqual(texts_of(self.drives), ([" 120", " 5:4 ", None], []))

    def test_instant_is_that_of_the_stop(self):
        shown = tm1637.decode(self.drives, CLOCK, DATA)[0]
        # Three frames of one, five and one bytes; each byte has 27 changes, and start and stop have five.
        self.assertEqual(shown[0].instant, (7 * 27 + 3 * 5 - 1) * STEP)
        self.assertEqual(shown[1].instant, 10 * MS + (6 * 27 + 2 * 5 - 1) * STEP)
        self.assertEqual(shown[0].brightness, 4)

    def test_other_lines_are_ignored(self):
        self.drives.insert(20, Drive(self.drives[20].instant, "metronome-7", 5, False))
        self.assertEqual(texts_of(self.drives)[1], [])

    def test_lines_that_are_requested_again_are_no_edges(self):
        self.drives[0:0] = [Drive(-STEP, "display-9", CLOCK, False), Drive(-STEP, "display-9", DATA, False)]
        self.assertEqual(texts_of(self.drives)[1], [])

    def test_fast_clock_is_found(self):
        self.drives = sent((0, " 120"), step=600)
        self.wrong("a period of the clock of 1800 ns")

    def test_fastest_clock_is_accepted(self):
        self.assertEqual(texts_of(sent((0, " 120"), step=700))[1], [])

    def test_short_pulse_is_found(self):
        self.shift(CLOCK, True, 5, 300 - STEP)
        self.wrong("the clock changed after 300 ns")

    def test_data_too_close_to_the_clock_is_found(self):
        # The high bit of the command 0x40.
        self.shift(CLOCK, False, 6, 50 - STEP)
        self.wrong("the clock changed 50 ns after data")

    def test_data_that_changes_while_the_clock_is_high_is_found(self):
        # After the high bit and the low bit of the command 0x40.
        for number, is_low, text in ((6, True, "a start without a stop before it"), (7, False, "a stop after 8 bits of a byte")):
            with self.subTest(text):
                self.setUp()
                place = self.place(CLOCK, False, number) + 1
                self.drives.insert(place, Drive(self.drives[place].instant - 1000, "display-9", DATA, is_low))
                self.wrong(text)

    def test_flipped_bit_is_found(self):
        # The lowest bit of the `1`, which makes it a `7`. Before it come three bytes and one stop, with nine clocks and one.
        bits = [n for n, drive in enumerate(self.drives) if drive.line == CLOCK and not drive.is_low]
        place = bits[9 + 1 + 2 * 9] - 1
        self.assertTrue(self.drives[place].is_low)
        self.drives[place] = replace(self.drives[place], is_low=False)
        self.assertEqual(texts_of(self.drives), ([" 720", " 5:4 ", None], []))

    def test_missing_acknowledge_is_found(self):
        acknowledge = [n for n, drive in enumerate(self.drives) if drive.line == DATA][9]
        self.drives[acknowledge] = replace(self.drives[acknowledge], is_low=True)
        self.wrong("not released for the acknowledge")

    def test_missing_clock_is_found(self):
        low = self.place(CLOCK, True, 3)
        del self.drives[low : low + 3]
        # The clock of the stop is taken for that of the acknowledge.
        self.wrong("not released for the acknowledge")
        self.wrong("a stop without a clock")

    def test_additional_clock_is_found(self):
        low = self.place(CLOCK, True, 3)
        self.drives[low:low] = [replace(drive, instant=drive.instant + 1) for drive in self.drives[low - 3 : low]]
        self.wrong("a stop after 2 bits of a byte")

    def test_missing_stop_is_found(self):
        self.drives = self.drives[:-1]
        self.wrong("no stop after the start")
        self.wrong("left a line low")

    def test_fixed_address_is_found(self):
        sender = Sender()
        sender.text(0, " 120", command=0x44)
        self.drives = sender.drives
        self.wrong("unexpected command 0x44")

    def test_too_many_digits_are_found(self):
        sender = Sender()
        sender.frame(0xC4, 1, 2, 3)
        self.drives = sender.drives
        self.wrong("3 bytes for address 4")

    def test_unknown_segments_are_found(self):
        faults = ["unknown segments 0x11 at digit 1", "a point at digit 3"]
        self.assertEqual(tm1637.text_of([0, 0x11, 0x3F, 0x86]), (" ?01", faults))

    def test_each_character_has_its_own_segments(self):
        self.assertEqual(len(glyphs.CHARACTERS), len(glyphs.GLYPHS))


if __name__ == "__main__":
    unittest.main()
