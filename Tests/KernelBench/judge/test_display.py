"""Tests of the judge of the display: a correct run passes, and each error is found."""

import unittest
from dataclasses import replace

import display
import glyphs
import tm1637
from record import Drive, Mark, parse
from test_judge import MS, SIGNAL, START, performance

CLOCK, DATA = 13, 4
SETTINGS = (("display", "13,4"), ("display_brightness", "4"))
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


class Texts(unittest.TestCase):
    """What must be shown."""

    PRESSES = ((1500 * MS, "play"), (2600 * MS, "faster"), (3500 * MS, "numerator"), (6500 * MS, "faster"), (6600 * MS, "slower"))
    # A short press of the numerator counts at its release, 80 ms later.
    SHOWN = (
        (1010 * MS, " 120"), (2610 * MS, " 121"), (3590 * MS, " 1:4 "), (5590 * MS, " 121"), (6510 * MS, " 122"),
        (6710 * MS, " 121"), (SIGNAL + MS, None))  # fmt: skip

    def run_(self, shown=SHOWN, presses=PRESSES, settings=(), marks=()):
        run = performance(presses, settings=(*SETTINGS, ("numerator", "4"), *settings))
        run.drives = sent(*shown)
        run.displays = list(marks)
        return run

    def judge(self, *arguments, **others):
        return display.judge(self.run_(*arguments, **others))

    def wrong(self, text, *arguments, **others):
        found = self.judge(*arguments, **others).problems
        self.assertTrue(any(text in problem for problem in found), found)

    def shown(self, number, at=None, text=None):
        found = list(self.SHOWN)
        found[number] = (at or found[number][0], text or found[number][1])
        return tuple(found)

    def test_correct_run_passes(self):
        found = self.judge()
        self.assertEqual((found.problems, found.texts), ([], 4))
        self.assertLess(found.slowest, 112 * MS)

    def test_late_text_is_found(self):
        self.wrong("' 120' at 2.900000 s, not ' 121'", self.shown(1, 2901 * MS))

    def test_late_return_to_the_tempo_is_found(self):
        self.wrong("' 1:4 ' at 5.880000 s, not ' 121'", self.shown(3, 5881 * MS))

    def test_wrong_text_is_found(self):
        self.wrong("' 2:4 ' at", self.shown(2, text=" 2:4 "))

    def test_early_text_is_found(self):
        self.wrong("' 121' at", self.shown(1, 2590 * MS))

    def test_missing_text_is_found(self):
        self.wrong("not ' 1:4 '", self.SHOWN[:2] + self.SHOWN[3:])

    def test_other_brightness_is_found(self):
        self.wrong("brightness 4", settings=(("display_brightness", "7"),))

    def test_text_that_is_not_sent_again_is_found(self):
        self.wrong("no text between", ((1010 * MS, " 120"), (SIGNAL + MS, None)), presses=((1500 * MS, "play"),))

    def test_display_left_on_is_found(self):
        self.wrong("not switched off", self.SHOWN[:-1])

    def test_use_after_the_end_is_found(self):
        run = self.run_()
        run.exit = SIGNAL + 500 * MS
        run.drives += sent((SIGNAL + 400 * MS, None))
        self.assertTrue(any("its lines are used" in problem for problem in display.judge(run).problems))

    def marks(self, word, since, back, **settings):
        back = Mark(back, "display", ("back",), tuple((key, str(value)) for key, value in settings.items()))
        return Mark(since, "display", (word,), ()), back

    def test_removed_display_shows_nothing(self):
        marks = self.marks("removed", 3000 * MS, 5000 * MS)
        shown = ((3001 * MS, None), (5010 * MS, " 1:4 "))
        self.assertEqual(self.judge(self.SHOWN[:2] + shown + self.SHOWN[3:], marks=marks).problems, [])
        self.wrong("not switched off", self.SHOWN[:2] + shown[1:] + self.SHOWN[3:], marks=marks)
        self.wrong("due since 5.000000 s", self.SHOWN[:2] + shown[:1] + self.SHOWN[3:], marks=marks)
        self.wrong("its lines are used", self.SHOWN[:2] + shown[:1] + self.SHOWN[2:], marks=marks)

    def test_faulty_display_may_show_nothing(self):
        marks = self.marks("faulty", 3000 * MS, 4000 * MS, after_ms=1000)
        self.assertEqual(self.judge(self.shown(2, 5250 * MS), marks=marks).problems, [])
        self.wrong("due since 4.000000 s", self.SHOWN[:2] + ((5301 * MS, " 1:4 "),) + self.SHOWN[3:], marks=marks)

    def test_load_is_counted(self):
        found = self.judge()
        self.assertEqual(found.calls, 7 * 27 + 3 * 5)
        cost = 203 * STEP + 204 * display.CALL
        self.assertAlmostEqual(found.share, 6 * cost / (SIGNAL - START))
        self.assertAlmostEqual(found.busiest, 2 * cost / 1e9)

    def test_too_much_load_is_found(self):
        many = tuple((at * MS, " 120") for at in range(1010, 1480, 20))
        self.wrong("of a core in a second", many + self.SHOWN[1:])

    def test_edges_of_the_light_during_a_text_are_counted(self):
        self.assertEqual(self.judge().overlaps, 0)
        shown = self.SHOWN[:1] + ((2000 * MS + 500_000, " 120"),) + self.SHOWN[1:]
        self.assertEqual(self.judge(shown).overlaps, 1)

    def test_too_few_texts_are_found(self):
        run = self.run_()
        run.required_texts, run.required_overlaps = 5, 1
        self.assertEqual(len(display.judge(run).problems), 2)


class Trace(unittest.TestCase):
    def test_directions_are_read(self):
        text = "\n".join((
            "            init-1       [000] ..... 0.000001: tracing_mark_write: bench chip base=500",
            "         display-9       [000] ..... 0.000002: gpio_direction: 513 out (0)",
            "         display-9       [000] ..... 0.000003: gpio_direction: 513  in (0)",
            "         display-9       [000] ..... 0.000004: gpio_direction: 513 out (-5)",
        ))  # fmt: skip
        raw = "\n".join(f"1 0 {instant} bprint" for instant in (1000, 2000, 3000, 4000))
        found = [event for event in parse(text, raw) if isinstance(event, Drive)]
        self.assertEqual(found, [Drive(2000, "display-9", 13, True), Drive(3000, "display-9", 13, False)])


if __name__ == "__main__":
    unittest.main()
