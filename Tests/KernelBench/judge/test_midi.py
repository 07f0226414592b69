"""Tests of the judge: a correct MIDI clock passes, and each fault is found."""

import unittest
from dataclasses import replace

import midi
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
