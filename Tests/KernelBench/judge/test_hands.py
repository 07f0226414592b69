"""Tests of the judge: recognition of gestures. All times in milliseconds."""

import unittest

import hands
import inputs
from hands import MS, Edge, Gesture, Hands

REPEATS = (500, 800, 1040, 1232, 1385, 1507, 1604, 1681, 1742, 1790, 1830, 1870, 1910, 1950, 1990, 2030, 2070, 2110, 2150)
"""The instants of the repetitions after a press of a repeating button."""
STEPS = (1,) * 15 + (2, 3, 4, 5, 5)


def box(button, *changes):
    """A button of the box that is pressed, released, pressed … at these times."""
    return [(round(at * MS), ("box", button), place % 2 == 0) for place, at in enumerate(changes)]


def gestures_of(*changes, stalls=(), queue=inputs.Queue(), end=20_000, **how):
    """Each gesture: the time, the command, and the steps if there are several."""
    ordered = sorted((change for each in changes for change in each), key=lambda change: change[0])
    stalls = [(since * MS, until * MS) for since, until in stalls]
    found = hands.gestures(inputs.edges(ordered, stalls, queue), stalls, end * MS, Hands(**how))
    return [(g.instant / MS, g.command) + ((g.steps,) if g.steps > 1 else ()) for g in found]


class Debouncing(unittest.TestCase):
    def test_first_edge_counts_at_once_and_its_bounces_do_not(self):
        bounces = box("tap", 0, 1.2, 2.4, 3.6, 4.8, 100, 101, 102, 103, 104)
        self.assertEqual(gestures_of(bounces), [(0, "tap")])

    def test_press_just_after_the_lock_out_counts(self):
        for length in (1, 24, 25, 26):
            clicks = box("tap", 0, length, length + 25, 2 * length + 25)
            self.assertEqual(gestures_of(clicks), [(0, "tap"), (length + 25, "tap")])
            self.assertEqual(gestures_of(clicks, stalls=[(1, 900)]), [(0, "tap"), (length + 25, "tap")])

    def test_short_presses_count_when_read_late(self):
        for interval, count in ((100, 6), (200, 3), (26, 6)):
            clicks = [at for place in range(count) for at in (place * interval, place * interval + 1)]
            wanted = [(place * interval, "tap") for place in range(count)]
            for stalls in ([], [(1, 4000)], [(1, 110), (111, 220), (221, 330)]):
                self.assertEqual(gestures_of(box("tap", *clicks), stalls=stalls), wanted)

    def test_brief_opening_is_not_a_new_press(self):
        for stalls in ([], [(1, 4000)]):
            for pause in (0.5, 24, 24.9):
                self.assertEqual(gestures_of(box("tap", 0, 1000, 1000 + pause, 1450), stalls=stalls), [(0, "tap")])
                held = box("play", 0, 300, 300 + pause, 2000)
                self.assertEqual(gestures_of(held, stalls=stalls), [(0, "play")])
            for pause in (25, 26):
                found = gestures_of(box("tap", 0, 1000, 1000 + pause, 1450), stalls=stalls)
                self.assertEqual(found, [(0, "tap"), (1000 + pause, "tap")])
            recalled = gestures_of(box("preset_1", 0, 300, 310, 400), stalls=stalls)
            self.assertEqual(recalled, [(300, "recall 1")])

    def test_press_shorter_than_the_lock_out_is_released_at_its_end(self):
        self.assertEqual(gestures_of(box("numerator", 0, 4)), [(25, "next_numerator")])

    def test_longer_lock_out_ignores_more_edges(self):
        self.assertEqual(gestures_of(box("tap", 0, 30, 60, 200), lock_out=100 * MS), [(0, "tap")])

    def test_second_closing_edge_is_a_release_not_a_press(self):
        lost = [(0, ("box", "tap"), True), (200 * MS, ("box", "tap"), True), (300 * MS, ("box", "tap"), False)]
        self.assertEqual(gestures_of(lost), [(0, "tap")])
        lost = [(at, ("box", "numerator"), down) for at, _, down in lost]
        self.assertEqual(gestures_of(lost), [(200, "next_numerator")])

    def test_late_bounces_of_a_release_are_not_a_press(self):
        hand = Hands()
        hand.process(Edge(0, ("box", "tap"), True, 0))
        hand.process(Edge(200 * MS, ("box", "tap"), True, 200 * MS))
        hand.settle(225 * MS, lambda contact: False)
        self.assertEqual(hand.presses, [0])

    def test_unseen_release_is_not_assumed_if_edges_may_be_lost(self):
        hand = Hands()
        for at, is_down in ((0, True), (3, False), (90, True)):
            hand.process(Edge(at * MS, ("box", "tap"), is_down, at * MS))
        self.assertEqual(hand.presses, [0, 90 * MS])
        hand = Hands()
        hand.lost_until = 90 * MS
        for at, is_down in ((0, True), (3, False), (90, True)):
            hand.process(Edge(at * MS, ("box", "tap"), is_down, at * MS))
        hand.settle(115 * MS, lambda contact: False)
        hand.process(Edge(170 * MS, ("box", "tap"), True, 170 * MS))
        self.assertEqual(hand.presses, [0, 170 * MS])

    def test_press_found_released_by_level_was_not_short(self):
        hand = Hands()
        hand.process(Edge(0, ("box", "numerator"), True, 0))
        hand.settle(25 * MS, lambda contact: True)
        hand.settle(100 * MS, lambda contact: False)
        self.assertEqual(hand.gestures, [])

    def test_lone_release_has_no_effect(self):
        self.assertEqual(gestures_of([(0, ("box", "tap"), False)]), [])


class Short(unittest.TestCase):
    def test_urgent_commands_act_at_the_edge(self):
        for button, command in (("play", "play"), ("slower", "slower"), ("faster", "faster"), ("tap", "tap")):
            self.assertEqual(gestures_of(box(button, 7, 87)), [(7, command)])

    def test_ambiguous_presses_act_on_release(self):
        self.assertEqual(gestures_of(box("numerator", 0, 499)), [(499, "next_numerator")])
        self.assertEqual(gestures_of(box("preset_2", 0, 80)), [(80, "recall 2")])

    def test_unambiguous_presses_act_at_the_edge(self):
        self.assertEqual(gestures_of(box("preset_next", 3, 83)), [(3, "next_preset")])


class Held(unittest.TestCase):
    def test_long_press_takes_500_ms(self):
        self.assertEqual(gestures_of(box("preset_1", 0, 499)), [(499, "recall 1")])
        self.assertEqual(gestures_of(box("preset_1", 0, 500)), [(500, "store 1")])
        self.assertEqual(gestures_of(box("play", 0, 5000)), [(0, "play"), (500, "silent")])

    def test_repetitions_follow_their_schedule(self):
        wanted = [(0, "faster")] + [(at, "faster") + ((n,) if n > 1 else ()) for at, n in zip(REPEATS, STEPS)]
        self.assertEqual(gestures_of(box("faster", 0, 2151)), wanted)

    def test_no_repetition_after_the_release(self):
        self.assertEqual(gestures_of(box("numerator", 0, 500)), [(500, "next_numerator")])
        self.assertEqual(gestures_of(box("numerator", 0, 800)), [(500, "previous_numerator")])
        for repeats, released in ((0, 499), (1, 501), (1, 799), (2, 801), (3, 1041)):
            found = gestures_of(box("numerator", 0, released))
            short = [(released, "next_numerator")] if repeats == 0 else []
            self.assertEqual(found, short + [(at, "previous_numerator") for at in REPEATS[:repeats]])

    def test_bounce_while_held_does_not_restart_the_hold(self):
        self.assertEqual(gestures_of(box("slower", 0, 5, 10, 810)), [(0, "slower"), (500, "slower"), (800, "slower")])


class Chords(unittest.TestCase):
    def test_both_orders_act_at_the_second_edge(self):
        for first, second, command, has_acted in (
            ("slower", "faster", "reset_tempo", True),
            ("faster", "slower", "reset_tempo", True),
            ("play", "faster", "tell_tempo", True),
            ("faster", "play", "tell_tempo", True),
            ("play", "numerator", "tell_signature", True),
            ("numerator", "play", "tell_signature", False),
            ("numerator", "denominator", "next_subdivision", False),
            ("tap", "denominator", "previous_subdivision", True),
            ("numerator", "tap", "next_accents", False),
            ("slower", "denominator", "volume_down", True),
            ("denominator", "faster", "volume_up", False),
        ):
            hand = Hands()
            changes = sorted(box(first, 0, 900) + box(second, 50, 950))
            found = hands.gestures(inputs.edges(changes, [], inputs.Queue()), [], 2000 * MS, hand)
            back = 0 if has_acted else None
            self.assertEqual(found[-1], Gesture(50 * MS, command, 50 * MS, undoes=back))
            self.assertEqual(len(found), 2 if has_acted else 1)

    def test_chord_that_lets_a_phone_in_must_be_held(self):
        for up in ((600, 700), (700, 600), (580, 900), (900, 580)):
            found = gestures_of(box("play", 0, up[0]), box("denominator", 80, up[1]))
            self.assertEqual(found, [(0, "play"), (580, "pair")])
            found = gestures_of(box("denominator", 0, up[0]), box("play", 80, up[1]))
            self.assertEqual(found, [(580, "pair")])
        for up in ((579, 900), (900, 579)):
            self.assertEqual(gestures_of(box("play", 0, up[0]), box("denominator", 80, up[1])), [(0, "play")])
        again = gestures_of(box("play", 0, 200, 300, 400), box("denominator", 80, 990))
        self.assertEqual(again, [(0, "play"), (300, "play")])

    def test_late_second_press_makes_no_chord(self):
        found = gestures_of(box("play", 0, 700), box("faster", 500.001, 600))
        self.assertEqual(found, [(0, "play"), (500, "silent"), (500.001, "faster")])

    def test_third_button_acts_alone(self):
        found = gestures_of(box("play", 0, 400), box("faster", 50, 400), box("slower", 100, 180))
        self.assertEqual(found, [(0, "play"), (50, "tell_tempo"), (100, "slower")])

    def test_released_chord_button_acts_alone_again(self):
        found = gestures_of(box("slower", 0, 400), box("faster", 50, 200, 250, 300))
        self.assertEqual(found, [(0, "slower"), (50, "reset_tempo"), (250, "faster")])

    def test_two_devices_can_make_a_chord(self):
        pedal = [(at, ("pedal", "faster"), down) for at, _, down in box("faster", 50, 100)]
        self.assertEqual(gestures_of(box("slower", 0, 100), pedal), [(0, "slower"), (50, "reset_tempo")])


class ReadLate(unittest.TestCase):
    def test_late_reading_gives_the_same_gestures(self):
        changes = box("numerator", 0, 801, 1000, 1080)
        wanted = [(500, "previous_numerator"), (800, "previous_numerator"), (1080, "next_numerator")]
        self.assertEqual(gestures_of(changes), wanted)
        self.assertEqual(gestures_of(changes, stalls=[(100, 3000)]), wanted)

    def test_lost_release_is_detected_after_the_pause(self):
        """The queue of a line holds 16 edges: the 17th edge and all later ones are lost. The first edge is a release."""
        turns = [place * 50 for place in range(1, 22)]
        changes = box("faster", 0, *turns)
        found = gestures_of(changes, stalls=[(20, 4000)])
        self.assertEqual(found, [(at, "faster") for at in [0] + turns[1:16:2]])

    def test_shared_queue_drops_the_oldest(self):
        changes = box("faster", *range(50, 50 * 131, 50))
        queue = inputs.Queue(6)
        self.assertEqual(queue.capacity, 128)
        # Two of 130 edges are lost, a press and its release.
        self.assertEqual(len(gestures_of(changes, stalls=[(20, 9000)], queue=queue)), 64)

    def test_queue_of_one_line_drops_the_newest(self):
        changes = box("tap", *range(50, 50 * 41, 50))
        self.assertEqual(len(gestures_of(changes, stalls=[(20, 4000)])), 8)


class Devices(unittest.TestCase):
    def read(self, text):
        bindings = inputs.Bindings()
        bindings.bind("pedal", "key", "109", "play")
        bindings.bind("knob", "rel", "0", "tempo")
        bindings.bind("knob", "rel", "1", "preset")
        return bindings.read(text, 0, 10**12)

    def test_keys_are_stamped_in_microseconds(self):
        changes, turns = self.read("1000999 pedal key 109 1\n2000000 pedal key 109 2\n3000001 pedal key 109 0\n")
        self.assertEqual(changes, [(1_000_000, ("pedal", "play"), True), (3_000_000, ("pedal", "play"), False)])
        self.assertEqual(turns, [])

    def test_unplugged_device_releases_its_buttons(self):
        changes, _ = self.read("1000000 pedal key 109 1\n100000000 pedal unplug\n900000000 pedal plug\n")
        self.assertEqual(gestures_of(changes), [(1, "play")])
        changes, _ = self.read("1000000 pedal key 109 1\n900000000 pedal unplug\n")
        self.assertEqual(gestures_of(changes), [(1, "play"), (501, "silent")])

    def test_unbound_keys_have_no_effect(self):
        self.assertEqual(self.read("1000 pedal key 30 1\n2000 other key 109 1\n"), ([], []))

    def test_fast_turn_takes_larger_steps(self):
        at = (0, 200, 300, 350, 370, 380, 390, 400)
        by = (1, 1, 1, 1, 1, 1, -1, -1)
        text = "".join(f"{1_000_000 * (at + 1)} knob rel 0 {by}\n" for at, by in zip(at, by))
        steps = [(command, steps) for _, command, steps in self.read(text)[1]]
        up = [("faster", n) for n in (1, 1, 1, 2, 5, 5)]
        self.assertEqual(steps, up + [("slower", 1), ("slower", 5)])

    def test_detents_in_one_event_are_all_counted(self):
        self.assertEqual(self.read("5000 knob rel 0 -3\n")[1], [(5000, "slower", 3)])
        self.assertEqual(self.read("5000 knob rel 1 2\n")[1], [(5000, "next_preset", 1)] * 2)


if __name__ == "__main__":
    unittest.main()
