"""The judge of power cuts finds what it is there to find."""

import unittest

import cuts


def said(restored, pressed, *saved, extra=""):
    """What a box says that came back with a tempo, was pressed so often, and saved these."""
    lines = [f"metronome: {restored} BPM, 4/4, playing"] + ["pressed"] * pressed
    lines += [f"acknowledged metronome state 1 save {save} tempo {tempo} signature 4/4 " for save, tempo in enumerate(saved)]
    return "\r\n".join(lines + [extra]) + "\r\n"


def problems(*texts, count=None):
    found = [cuts.Cut(number, text) for number, text in enumerate(texts, 1)]
    return cuts.judge(found, len(found) if count is None else count)[1]


class CutsTest(unittest.TestCase):
    def test_what_was_saved_last_is_right(self):
        self.assertEqual(problems(said(120, 3, 121, 122), said(122, 1)), [])

    def test_words_for_terminals_are_left_out(self):
        self.assertEqual(problems(said(120, 1, 121), "\x1b[K" + said(121, 1)), [])

    def test_what_was_being_saved_is_right(self):
        self.assertEqual(problems(said(120, 3, 121, 122), said(123, 1)), [])

    def test_even_cuts_go_down(self):
        self.assertEqual(problems(said(120, 0, 120), said(120, 2, 119), said(118, 0)), [])

    def test_what_was_saved_before_the_last_is_wrong(self):
        self.assertEqual(len(problems(said(120, 3, 121, 122), said(121, 1))), 1)

    def test_what_was_never_pressed_is_wrong(self):
        self.assertEqual(len(problems(said(120, 1, 121), said(122, 1))), 1)

    def test_without_a_save_it_is_at_least_what_it_was(self):
        self.assertEqual(len(problems(said(121, 1, 122), said(122, 1), said(120, 0))), 1)

    def test_a_box_that_does_not_start(self):
        self.assertEqual(len(problems(said(120, 1, 121), "")), 1)

    def test_damage_and_refusals(self):
        for line in ("EXT4-fs error (device ubda)", "state is set aside as state.damaged", "the state cannot be saved (Input)"):
            self.assertEqual(len(problems(said(120, 1, 121, extra=line))), 1)

    def test_somewhen_it_is_systemd_that_starts_it(self):
        alone = [said(120, 1, 121), said(121, 1, 120)] * 3
        self.assertEqual(len(problems(*alone)), 1)
        alone[3] = said(121, 1, 120, extra="the service is active")
        self.assertEqual(problems(*alone), [])
        # As the kernel says, which is given words for systemd.
        alone[3] = said(121, 1, 120, extra="Kernel command line: systemd.show_status=no")
        self.assertEqual(len(problems(*alone)), 1)

    def test_boots_that_are_missing(self):
        self.assertEqual(len(problems(said(120, 1, 121), count=3)), 1)

    def test_nothing_saved(self):
        self.assertEqual(len(problems(said(120, 1), said(120, 1))), 1)


if __name__ == "__main__":
    unittest.main()
