"""Tests of the judge: a correct MIDI clock passes, and each fault is found."""

import unittest
from dataclasses import replace

import midi
from ear import Click
from midi import Received
from test_judge import MS, START, performance


class Clock(unittest.TestCase):
    def received(self):
        """What a receiver of the performance gets: 24 clocks per beat, the start before them, the stop after them."""
        run = performance()
        session = run.sessions[0]
        until = session.end or run.end
        clocks = list(midi.expected(session, until))
        messages = [(clocks[0] - 2 * MS, (0xF2, 0, 0)), (clocks[0] - 2 * MS, (0xFA,))]
        messages += [(clock + 1_000, (0xF8,)) for clock in clocks]
        if session.end:
            messages.append((session.end + 1_000, (0xFC,)))
        return run, Received(sorted(messages), [])

    def judged(self, change):
        run, received = self.received()
        return midi.judge(run, replace(received, messages=sorted(change(received.messages)))).problems

    def wrong(self, change, text):
        found = self.judged(change)
        self.assertTrue(any(text in problem for problem in found), found)

    def test_a_correct_clock_passes(self):
        self.assertEqual(self.judged(lambda messages: messages), [])

    def test_a_missing_clock_is_found(self):
        self.wrong(lambda messages: messages[:40] + messages[41:], "MIDI clock at")

    def test_a_late_clock_is_found(self):
        self.wrong(lambda messages: messages[:40] + [(messages[40][0] + 6_000, messages[40][1])] + messages[41:], "off")

    def test_an_early_clock_is_found(self):
        self.wrong(lambda messages: messages[:40] + [(messages[40][0] - 1_500, messages[40][1])] + messages[41:], "off")

    def test_a_doubled_clock_is_found(self):
        self.wrong(lambda messages: messages + [(messages[40][0] + 1_000_000, (0xF8,))], "two MIDI clocks")

    def test_a_missing_start_is_found(self):
        self.wrong(lambda messages: [one for one in messages if one[1] != (0xFA,)], "no MIDI start")

    def test_a_late_start_is_found(self):
        self.wrong(
            lambda messages: [(at + 1_500_000 if what == (0xFA,) else at, what) for at, what in messages], "no MIDI start")

    def test_a_second_start_is_found(self):
        self.wrong(lambda messages: messages + [(messages[60][0], (0xF2, 0, 0)), (messages[60][0], (0xFA,))], "second")

    def with_notes(self, change):
        """The problems with a sequencer that plays a note per quarter, 10 µs after its clock."""
        run, received = self.received()
        session = run.sessions[0]
        quarters = midi.quarters_of(session, session.end or run.end)[: midi.SONG]
        notes = [(at + 10_000, (0x90, midi.FIRST_NOTE + number, 100)) for number, at in enumerate(quarters)]
        return midi.judge(run, replace(received, messages=sorted(received.messages + change(notes)))).problems

    def test_notes_at_their_quarters_pass(self):
        self.assertEqual(self.with_notes(lambda notes: notes), [])

    def test_a_late_note_is_found(self):
        found = self.with_notes(lambda notes: notes[:1] + [(notes[1][0] + 100_000, notes[1][1])] + notes[2:])
        self.assertTrue(any("off quarter 2" in problem for problem in found), found)

    def test_a_note_of_another_quarter_is_found(self):
        self.assertTrue(self.with_notes(lambda notes: [(at, (0x90, what[1] + 1, 100)) for at, what in notes]))

    def test_missing_notes_are_found(self):
        found = self.with_notes(lambda notes: notes[:2])
        self.assertTrue(any("only 2 notes" in problem for problem in found), found)

    def with_hits(self, change=lambda messages: messages):
        """The problems with the notes of `sub=2 & 3:4`, each 1 µs late, and their ends 30 µs late."""
        settings = (("midi_hits", "10"), ("rhythm", "sub=2_&_3:4"), ("signature", "4/4"))
        run = performance(settings=settings)
        session = run.sessions[0]
        until = session.end or run.end
        clocks = list(midi.expected(session, until))
        messages = [(clocks[0] - 2 * MS, (0xF2, 0, 0)), (clocks[0] - 2 * MS, (0xFA,))]
        messages += [(clock + 500, (0xF8,)) for clock in clocks]
        notes = []
        for instant, chord in midi.notes_of(session.hits(until)).items():
            for key, velocity in chord.items():
                notes.append((instant + 1_000, (0x99, key, velocity)))
                notes.append((min(instant + midi.LENGTH, until) + 30_000, (0x89, key, 0)))
        if session.end:
            messages.append((session.end + 1_000, (0xFC,)))
        return midi.judge(run, Received(sorted(messages + change(sorted(notes))), [])).problems

    def wrong_hits(self, change, text):
        found = self.with_hits(change)
        self.assertTrue(any(text in problem for problem in found), found)

    def test_notes_of_the_hits_pass(self):
        self.assertEqual(self.with_hits(), [])

    def test_a_missing_note_of_a_hit_is_found(self):
        self.wrong_hits(lambda notes: [one for place, one in enumerate(notes) if place != 8], "no note")

    def test_a_late_note_of_a_hit_is_found(self):
        self.wrong_hits(lambda notes: notes[:8] + [(notes[8][0] + 6_000, notes[8][1])] + notes[9:], "no note")

    def test_a_note_with_another_velocity_is_found(self):
        self.wrong_hits(
            lambda notes: notes[:8] + [(notes[8][0], notes[8][1][:2] + (notes[8][1][2] + 1,))] + notes[9:], "velocity")

    def test_a_note_without_a_hit_is_found(self):
        self.wrong_hits(lambda notes: notes + [(notes[8][0] + 9 * MS, (0x99, 60, 80))], "without a hit")

    def test_a_note_that_does_not_end_is_found(self):
        self.wrong_hits(lambda notes: [one for one in notes if one[1][:2] != (0x89, 56)], "does not end")

    def test_a_note_that_ends_late_is_found(self):
        self.wrong_hits(
            lambda notes: [(at + MS, what) if what[0] == 0x89 else (at, what) for at, what in notes], "ends")

    def test_the_line_is_that_of_an_even_clock(self):
        line = [1_000 + 18_797_000 * index for index in range(240)]
        self.assertEqual(midi.line_through(line), line)

    def test_messages_with_running_status_and_of_a_system_are_read(self):
        text = "1 90\n2 20\n3 F8\n4 40\n5 21\n6 40\n7 C0\n8 05\n9 F0\n10 7E\n11 F7\n12 80\n13 20\n14 00\n"
        self.assertEqual(
            midi.read(text).messages,
            [(3, (0xF8,)), (4, (0x90, 0x20, 0x40)), (6, (0x90, 0x21, 0x40)), (8, (0xC0, 5)), (14, (0x80, 0x20, 0))])

    def test_the_log_is_read(self):
        text = "subscribed\n10 F8\n20 F2\n21 00\n22 F8\n23 05\n# gone 1.5\n# back 3.5\n30 FC\n"
        read = midi.read(text)
        self.assertEqual(read.messages, [(10, (0xF8,)), (22, (0xF8,)), (23, (0xF2, 0, 5)), (30, (0xFC,))])
        self.assertEqual(read.absences, [(1_400_000_000, 3_500_000_000)])


class Following(unittest.TestCase):
    def problems(self, lights):
        clocks = [START + number * 20 * MS for number in range(24 * 40)]
        findings = midi.Findings()
        midi.judge_beats(clocks, clocks[-1], lights(clocks), 150_000, findings)
        return findings.problems

    def test_lights_at_their_clocks_pass(self):
        self.assertEqual(self.problems(lambda clocks: clocks[::24]), [])

    def test_a_light_far_from_its_clock_is_found(self):
        found = self.problems(lambda clocks: clocks[: 24 * 30 : 24] + [clocks[24 * 30] + 200_000] + clocks[24 * 31 :: 24])
        self.assertTrue(any("off its clock" in one for one in found), found)

    def test_a_missing_light_is_found(self):
        found = self.problems(lambda clocks: clocks[: 24 * 30 : 24] + clocks[24 * 31 :: 24])
        self.assertTrue(any("no light" in one for one in found) and any("apart" in one for one in found), found)

    def test_a_double_light_is_found(self):
        found = self.problems(lambda clocks: sorted(clocks[::24] + [clocks[24 * 30 + 3]]))
        self.assertTrue(any("apart" in one for one in found), found)


class Source(unittest.TestCase):
    """Two bars of 20 ms per clock, of which ten clocks are held and come in a burst; then the tempo doubles for two beats, and the
    source loops to beat 2."""

    def setUp(self):
        self.run = replace(performance(settings=(("lead_ms", "24"),)), mutes=[], signal=START + 10**12)
        at = START + 1000 * MS
        self.messages = [(at - 2 * MS, "sent", (0xFA,))]
        for number in range(192):
            self.messages.append((at, "held" if 100 <= number < 110 else "sent", (0xF8,)))
            if number == 109:
                self.messages += [(at + place * MS, "late", (0xF8,)) for place in range(1, 11)]
            at += 20 * MS
        for number in range(96):
            self.messages.append((at, "sent", (0xF8,)))
            at += 10 * MS
            if number == 47:
                loop = (0xFC,), (0xF2, 8, 0), (0xFB,)
                self.messages += [(at - (9 - place) * MS, "sent", message) for place, message in enumerate(loop)]
        self.beats = list(midi.source_beats(self.messages))
        self.lights = [(beat.due + MS, 70 * MS if beat.number % 4 else 100 * MS) for beat in self.beats]
        self.clicks = [Click(light, 0, 10 if beat.number % 4 else 20) for beat, (light, _) in zip(self.beats, self.lights)]

    def judged(self, late=1_000):
        received = [(at + late, message) for at, word, message in self.messages if word != "held"]
        return midi.judge_source(self.run, Received(received, []), self.messages, self.lights, self.clicks).problems

    def wrong(self, text):
        found = self.judged()
        self.assertTrue(any(text in problem for problem in found), found)

    def shift_light(self, place, time):
        self.lights[place] = (self.lights[place][0] + time, self.lights[place][1])

    def test_the_beats_are_counted(self):
        self.assertEqual([beat.number for beat in self.beats], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3])
        gaps = [(after.due - before.due) // MS for before, after in zip(self.beats, self.beats[1:])]
        self.assertEqual(gaps, [480] * 8 + [240] * 3)
        self.assertEqual([place for place, beat in enumerate(self.beats) if beat.is_first], [0, 10])
        self.assertEqual([place for place, beat in enumerate(self.beats) if beat.slack], [9])

    def test_right_lights_and_clicks_pass(self):
        self.assertEqual(self.judged(), [])

    def test_a_first_beat_may_be_later(self):
        self.shift_light(10, 1_900_000)
        self.clicks[10] = replace(self.clicks[10], instant=self.beats[10].due + 24 * MS)
        self.assertEqual(self.judged(), [])

    def test_a_missing_light_is_found(self):
        del self.lights[5]
        self.wrong("0 lights for the source's beat 5")

    def test_a_doubled_light_is_found(self):
        self.lights.insert(5, (self.lights[4][0] + 500_000, 70 * MS))
        self.wrong("2 lights for the source's beat 4")

    def test_a_light_between_beats_is_found(self):
        self.lights.insert(5, (self.lights[4][0] + 60 * MS, 70 * MS))
        self.wrong("without a beat")

    def test_a_late_light_is_found(self):
        self.shift_light(4, 1_100_000)
        self.wrong("0 lights for the source's beat 4")

    def test_a_late_first_light_is_found(self):
        self.shift_light(10, 2_100_000)
        self.wrong("0 lights for the source's beat 2")

    def test_a_light_at_another_place_in_the_bar_is_found(self):
        self.lights[4] = (self.lights[4][0], 70 * MS)
        self.wrong("another place in the bar")

    def test_a_missing_click_is_found(self):
        del self.clicks[5]
        self.wrong("0 clicks")

    def test_a_late_click_is_found(self):
        self.clicks[5] = replace(self.clicks[5], instant=self.clicks[5].instant + 2 * MS)
        self.wrong("0 clicks")

    def test_a_second_click_in_a_loop_is_found(self):
        self.clicks.insert(11, replace(self.clicks[10], instant=self.clicks[10].instant + 20 * MS))
        self.wrong("2 clicks for the source's beat 2")

    def test_a_click_between_beats_is_found(self):
        self.clicks.insert(6, replace(self.clicks[5], instant=self.clicks[5].instant + 60 * MS))
        self.wrong("a click at")

    def test_a_click_of_the_wrong_pitch_is_found(self):
        self.clicks[5] = replace(self.clicks[5], crossings=20)
        self.wrong("wrong pitch")

    def test_a_late_source_is_found(self):
        self.assertEqual(self.judged(late=101_000), ["invalid test: the source was late"])

    def test_a_lost_message_is_found(self):
        lost = self.messages.pop(50)
        received = [(at, message) for at, word, message in sorted(self.messages + [lost]) if word != "held"]
        found = midi.judge_source(self.run, Received(received, []), self.messages, self.lights, self.clicks).problems
        self.assertTrue(any("invalid test" in problem for problem in found), found)


class Pair(unittest.TestCase):
    def judged(self, follower):
        """The problems with a follower of a leader with 60 beats, half a second apart."""
        run = replace(performance(), mutes=[], signal=START + 10**12)
        leader = [run.mark.instant + number * 500 * MS for number in range(1, 61)]
        return midi.judge_pair(run, leader, follower(leader)).problems

    def test_a_good_follower_passes(self):
        self.assertEqual(self.judged(lambda leader: [at + 50_000 for at in leader]), [])

    def test_a_late_beat_is_found(self):
        found = self.judged(lambda leader: leader[:40] + [leader[40] + 150_000] + leader[41:])
        self.assertEqual(len(found), 1, found)

    def test_a_missing_beat_is_found(self):
        self.assertTrue(self.judged(lambda leader: leader[:40] + leader[41:]))

    def test_a_double_beat_is_found(self):
        self.assertTrue(self.judged(lambda leader: leader[:40] + [leader[39] + MS] + leader[40:]))


if __name__ == "__main__":
    unittest.main()
