"""Tests the comparison: equal outputs pass, each difference is found, and a life becomes what the kernel can play."""

import unittest

import life
import oracle
from played import REACTION, Difference

MS = 1_000_000


def pulses(late=0):
    return {"light": [(number * 500 * MS + late, number % 2 == 0) for number in range(8)]}


def bound(edge):
    return oracle.LINES if edge[1] else REACTION


class Comparison(unittest.TestCase):
    def different(self, kernel, text):
        with self.assertRaisesRegex(Difference, text):
            oracle.compare(kernel, pulses(), bound)

    def test_equal_outputs_pass(self):
        self.assertEqual(oracle.compare(pulses(late=1_900), pulses(), bound), (1_900, 8))

    def test_an_edge_that_is_3_us_late_is_found(self):
        late = pulses()["light"]
        late[4] = (late[4][0] + 3_000, True)
        self.different({"light": late}, "light: on the kernel on at 2.000003000 s, in the simulation on at 2.000000000 s")

    def test_an_edge_that_is_early_is_found(self):
        self.different(pulses(late=-2_100), "light")

    def test_a_missing_edge_is_found(self):
        self.different({"light": pulses()["light"][:5] + pulses()["light"][6:]}, "light: off at 2.500000000 s is missing on the kernel")

    def test_a_missing_last_edge_is_found(self):
        self.different({"light": pulses()["light"][:-1]}, "off at 3.500000000 s is missing on the kernel")

    def test_another_edge_is_found(self):
        self.different({**pulses(), "buzzer": [(7 * MS, True)]}, "buzzer: on at 0.007000000 s is only on the kernel")

    def test_the_earliest_difference_is_shown(self):
        self.different({"light": [], "buzzer": [(900 * MS, True)]}, "light")

    def test_each_planted_difference_is_found(self):
        forged = list(oracle.plant(pulses(), pulses(), bound))
        self.assertEqual(len(forged), 2)
        self.assertTrue(all(oracle.is_different(one, pulses(), bound) for one in forged))

    def test_lines_that_do_not_change_in_one_call_are_found(self):
        oracle.check_calls({**pulses(256), "buzzer": pulses(256)["light"]}, {**pulses(), "buzzer": pulses()["light"]})
        with self.assertRaisesRegex(Difference, "at 0.000000000 s do not change in one call"):
            oracle.check_calls({**pulses(256), "buzzer": pulses(512)["light"]}, {**pulses(), "buzzer": pulses()["light"]})

    def test_an_unsure_click_may_be_in_one_recording_only(self):
        kernel = {"clicks": [(0, True, True), (32 * MS, False, False), (90 * MS, False, False), (150 * MS, True, True)]}
        simulation = {"clicks": [(0, True, True), (90 * MS, False, True)]}
        self.assertEqual(oracle.without_unsure(kernel, simulation), {"clicks": [(0, True), (90 * MS, False), (150 * MS, True)]})
        self.assertEqual(oracle.without_unsure(simulation, kernel), {"clicks": [(0, True), (90 * MS, False)]})

    def test_a_gain_may_be_a_tenth_of_a_decibel_off(self):
        self.assertTrue(oracle.is_same(0.99, 1.0))
        self.assertFalse(oracle.is_same(0.985, 1.0))
        self.assertFalse(oracle.is_same(0.316, 1.0))

    def test_tempi_are_compared_in_quarters(self):
        self.assertEqual(oracle.quarters("92.5 BPM"), 92.5)
        self.assertEqual(oracle.quarters("3/8 = 92 BPM"), 138)


class Playing(unittest.TestCase):
    def test_presses_become_contacts(self):
        script = "# metronome simulate --for 2s\n1s press play\n1.05s press play 250ms\n"
        self.assertEqual(life.events(script, 2), "1000000000 contact 5 closed\n1300000000 contact 5 open\n2000000000 end\n")

    def test_contacts_bounce_no_faster_than_the_kernel_sees(self):
        script = "# metronome simulate --for 9s\n" + "".join(f"{at}s press tap\n" for at in range(1, 9))
        events = [line.split() for line in life.events(script, 3).splitlines()[:-1]]
        self.assertGreater(len(events), 16)
        times = [int(event[0]) for event in events]
        self.assertTrue(all(later - time >= life.BOUNCE for time, later in zip(times, times[1:])))
        self.assertTrue(all(event[3] != other[3] for event, other in zip(events, events[1:])))

    def test_commands_and_reloads(self):
        script = "# metronome simulate --for 2s\n1s do 2us ago tempo 92.5\n1500ms reload reload-1.yaml\n"
        self.assertEqual(
            life.events(script, 2), "1000000000 do 2000 tempo 92.5\n1500000000 reload reload-1.yaml\n2000000000 end\n")

    def test_what_the_bench_cannot_play_is_refused(self):
        self.assertRaises(ValueError, life.events, "# metronome simulate --for 2s\n1s card stops\n", 2)

    def test_the_card_and_the_ports_are_those_of_the_kernel(self):
        text = "audio:\n  rate: 8000\n  period: 16\nmidi:\n  out:\n    - device: Port2\ndisplay:\n  clock: DISPLAY1\n"
        self.assertEqual(
            life.playable(text, True, False),
            'audio:\n  device: "hw:Loopback,0"\n  rate: 48000\n  period: 1024\nmidi:\n  out:\n    - device: "hw:CARD=VirMIDI,DEV=1"\n')


if __name__ == "__main__":
    unittest.main()
