"""Tests what becomes of a record: events of a script, and edges."""

import tempfile
import unittest
from pathlib import Path

import played
from record import Interrupt, Level, Mark, Wake, Write, messages
from wiring import Wiring

MS = 1_000_000
S = 10**9


def mark(instant, word, *operands, **settings):
    return Mark(instant, word, operands, tuple(settings.items()))


def press(instant, line=5, number=70):
    """A press of 80 ms, as the kernel records it."""
    for at, level in ((instant, 0), (instant + 80 * MS, 1)):
        yield Interrupt(at, number)
        yield Level(at + 500, number, line, level)


def write(instant, line, value):
    return Write(instant, "beats-7", line, value)


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.configure("run", "tempo: 120\n")

    def configure(self, name, text):
        (self.folder / f"{name}.yaml").write_text(text)

    def read(self, *events, end=10 * S):
        """The run with these events, which begins at 1 s."""
        begin = [mark(S - 1, "run", "run"), *(write(S, line, 0) for line in (17, 27, 22))]
        finish = [mark(end, "signal", "TERM", code="0"), mark(end + MS, "exit", "0")]
        (run,) = played.split([*begin, *events, *finish], self.folder, lambda *_: True)
        return run

    def test_presses_have_the_instants_of_their_interrupts(self):
        self.assertEqual(self.read(*press(2 * S + 1)).script, "1.000000001s down play\n1.080000001s up play\n")

    def test_lines_that_are_no_buttons_are_ignored(self):
        self.assertEqual(self.read(*press(2 * S, line=9)).script, "")

    def test_a_contact_that_changes_twice_in_a_tick_is_an_invalid_test(self):
        self.assertIn("down play twice", self.read(*list(press(2 * S))[:2], *list(press(3 * S))[:2]).problems[0])

    def test_a_contact_that_does_not_bounce_is_an_invalid_test(self):
        self.assertIn("1 edges", self.read(mark(2 * S - 1, "bounces", "5"), *press(2 * S)).problems[0])

    def test_commands_and_reloads(self):
        self.configure("reload.1", "tempo: 90\n")
        run = self.read(mark(2 * S, "elsewhere", "tempo", "92.5"), mark(3 * S, "reload", "reload.1.yaml"))
        self.assertEqual(run.script, "1.000000000s do tempo 92.5\n2.000006912s reload reload.1.yaml\n")

    def test_a_reload_is_read_when_the_control_thread_acts(self):
        self.configure("reload.1", "tempo: 90\n")
        acts = Wake(3 * S + 7_168, "metronome-93"), Write(3 * S + 7_680, "metronome-93", 17, 0), write(3 * S + 100, 17, 1)
        run = self.read(*acts, mark(3 * S, "reload", "reload.1.yaml"))
        self.assertEqual(run.script, "2.000007168s reload reload.1.yaml\n")

    def test_a_lower_latency_delays_a_port(self):
        self.configure("run", "midi: {out: [{device: A}, {device: B, latency_us: 500}]}\n")
        self.configure("reload.1", "midi: {out: [{device: A, latency_us: 500}, {device: B, latency_us: -1000}]}\n")
        run = self.read(mark(3 * S, "reload", "reload.1.yaml"))
        self.assertEqual([run.delay(f"MIDI {port}", 2 * S) for port in (1, 2, 3)], [0, 1_500_000, 0])

    def test_the_clock_shows_a_time_at_its_next_tick(self):
        self.assertEqual([self.read().tick(time) for time in (0, 1, 256, 257)], [0, 256, 256, 512])

    def test_a_reload_changes_the_lines(self):
        self.configure("reload.1", "outputs: {light: {line: GPIO18}}\n")
        run = self.read(write(2 * S, 17, 1), write(2 * S + 5 * MS, 17, 0), mark(3 * S, "reload", "reload.1.yaml"), write(4 * S, 18, 1), end=5 * S)
        self.assertEqual(run.edges()["light"], [(S, True), (S + 5 * MS, False), (3 * S, True)])

    def test_lines_of_one_call_have_one_instant(self):
        run = self.read(*(write(2 * S + 400 * place, line, 1) for place, line in enumerate((17, 27, 22))))
        self.assertEqual({name: edges[0] for name, edges in run.edges().items()}, dict.fromkeys(("light", "pendulum", "buzzer"), (S, True)))

    def test_repeated_writes_are_no_edges(self):
        run = self.read(*(write((2 + at) * S, 17, value) for at, value in enumerate((0, 1, 1, 0))))
        self.assertEqual(run.edges()["light"], [(2 * S, True), (4 * S, False)])

    def test_a_line_that_is_on_when_low(self):
        self.configure("run", "outputs: {light: {active: low}, buzzer: {line: none}}\n")
        run = self.read(write(S + 1, 17, 1), write(2 * S, 17, 0), write(3 * S, 22, 1))
        self.assertEqual(run.edges()["light"][-1], (S, True))
        self.assertNotIn("buzzer", run.edges())

    def test_edges_without_the_chip_are_left_out_until_it_is_back(self):
        run = self.read(
            write(2 * S, 17, 1), mark(2 * S + MS, "gone"), mark(4 * S, "back"), write(5 * S, 17, 0), write(5 * S + 3 * MS, 17, 1),
            write(6 * S, 17, 0))  # fmt: skip
        self.assertEqual(run.edges()["light"], [(S, True), (4 * S + 3 * MS, True), (5 * S, False)])

    def test_keys_and_dials_of_devices(self):
        self.configure("run", "inputs: [{device: A Pedal, keys: {KEY_PAGEDOWN: play}, relative: {REL_DIAL: tempo}}]\n")
        (self.folder / "inputs").write_text(
            f"{S // 2} A_Pedal plug\n{2 * S + 1234} A_Pedal key 109 1\n{3 * S} A_Pedal rel 7 -2\n{4 * S} A_Pedal key 30 1\n{5 * S} A_Pedal unplug\n")
        script = "1.000001000s down play@1\n2.000000000s turn tempo@1 -2\n4.000000000s unplug 1\n"
        self.assertEqual(self.read().script, script)

    def test_the_messages_of_a_source(self):
        run = self.read()
        run.read_source([(0, "F2 08 01"), (S, "FB"), (2 * S, "F8"), (3 * S, "90 3C 40")])
        self.assertEqual([text for _, text in run.inputs], ["midi position 136", "midi continue", "midi clock 1 for 1ms"])

    def test_midi_messages_with_a_status_that_is_left_out(self):
        stamps = list(enumerate("99 38 F8 64 38 00 FA F2 00 01 C0 05 06".split()))
        self.assertEqual(
            messages(stamps), [(2, "F8"), (0, "99 38 64"), (4, "99 38 00"), (6, "FA"), (7, "F2 00 01"), (10, "C0 05"), (12, "C0 06")])

    def test_a_line_that_is_on_after_the_end_is_found(self):
        run = self.read(write(9 * S, 17, 1))
        run.check_end()
        self.assertEqual(run.problems, ["light is on after the end"])

    def test_another_exit_code_is_found(self):
        run = self.read()
        run.wanted_code = 137
        run.check_end()
        self.assertEqual(run.problems, ["the program ended with 0, not 137"])


class Wirings(unittest.TestCase):
    def test_the_default_lines(self):
        wiring = Wiring("")
        self.assertEqual(wiring.outputs, {17: ("light", False), 27: ("pendulum", False), 22: ("buzzer", False)})
        self.assertEqual(wiring.buttons[26], "numerator")
        self.assertEqual(wiring.frames, 1024)

    def test_the_lines_of_a_configuration(self):
        wiring = Wiring(
            "audio: {device: none}\noutputs: {bar: {line: GPIO23, shows: first}, buzzer: {line: none}, light: {active: low}}\n"
            "buttons: {boost: {line: GPIO4, short: faster}, tap: {line: none}}\nrgb: {green: GPIO12, blue: GPIO13}\n")
        self.assertEqual(
            wiring.outputs, {17: ("light", True), 27: ("pendulum", False), 23: ("bar", False), 12: ("green", True), 13: ("blue", True)})
        self.assertEqual((wiring.display, wiring.has_screen), (None, False))
        wiring = Wiring("display: {clock: none, data: none, i2c: none}\nbuttons: {boost: {line: GPIO4, short: faster}, tap: {line: none}}\naudio: {device: none}\n")
        self.assertEqual((wiring.display, wiring.has_screen), (None, False))
        self.assertEqual((wiring.buttons[4], 24 in wiring.buttons, wiring.frames), ("boost", False, None))


if __name__ == "__main__":
    unittest.main()
