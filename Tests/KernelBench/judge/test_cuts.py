"""Tests of the judge of power cuts: it detects each error."""

import unittest

import cuts


def console(restored, pressed, *saved, extra=""):
    """The console output of a box that restored a tempo, was pressed this many times, and saved these tempi."""
    lines = [f"metronome: {restored} BPM, 4/4, playing"] + ["pressed"] * pressed
    lines += [f"acknowledged metronome state 1 save {save} tempo {tempo} signature 4/4 " for save, tempo in enumerate(saved)]
    return "\r\n".join(lines + [extra]) + "\r\n"


def problems(*texts, count=None):
    found = [cuts.Cut(number, text) for number, text in enumerate(texts, 1)]
    return cuts.judge(found, len(found) if count is None else count)[1]


class CutsTest(unittest.TestCase):
    def test_last_save_is_accepted(self):
        self.assertEqual(problems(console(120, 3, 121, 122), console(122, 1)), [])

    def test_terminal_escapes_are_ignored(self):
        self.assertEqual(problems(console(120, 1, 121), "\x1b[K" + console(121, 1)), [])

    def test_save_in_progress_is_accepted(self):
        self.assertEqual(problems(console(120, 3, 121, 122), console(123, 1)), [])

    def test_presses_in_even_cuts_go_slower(self):
        self.assertEqual(problems(console(120, 0, 120), console(120, 2, 119), console(118, 0)), [])

    def test_earlier_save_is_rejected(self):
        self.assertEqual(len(problems(console(120, 3, 121, 122), console(121, 1))), 1)

    def test_state_that_was_never_set_is_rejected(self):
        self.assertEqual(len(problems(console(120, 1, 121), console(122, 1))), 1)

    def test_restored_state_is_the_oldest_allowed_without_a_save(self):
        self.assertEqual(len(problems(console(121, 1, 122), console(122, 1), console(120, 0))), 1)

    def test_missing_start_is_found(self):
        self.assertEqual(len(problems(console(120, 1, 121), "")), 1)

    def test_damage_and_refusals_are_found(self):
        for line in ("EXT4-fs error (device ubda)", "state is damaged, renamed to", "the state cannot be saved (Input)"):
            self.assertEqual(len(problems(console(120, 1, 121, extra=line))), 1)

    def test_missing_boot_with_systemd_is_found(self):
        alone = [console(120, 1, 121), console(121, 1, 120)] * 3
        self.assertEqual(len(problems(*alone)), 1)
        alone[3] = console(121, 1, 120, extra="the service is active")
        self.assertEqual(problems(*alone), [])
        # The kernel prints its command line, which contains parameters for systemd.
        alone[3] = console(121, 1, 120, extra="Kernel command line: systemd.show_status=no")
        self.assertEqual(len(problems(*alone)), 1)

    def test_missing_boots_are_found(self):
        self.assertEqual(len(problems(console(120, 1, 121), count=3)), 1)

    def test_missing_saves_are_found(self):
        self.assertEqual(len(problems(console(120, 1), console(120, 1))), 1)


if __name__ == "__main__":
    unittest.main()
