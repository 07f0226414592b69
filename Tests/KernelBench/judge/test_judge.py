"""Tests of the judge: correct runs pass, and each possible error is found."""

import unittest
from dataclasses import replace

import lines
import music
import record
import runs
import showing
from record import Interrupt, Level, Mark, Write
from runs import BUZZER, LIGHT, PENDULUM
from session import Session

MS = 1_000_000
START, SIGNAL = 1000 * MS, 9_260 * MS
"""When the program starts, and when it is signalled to end: in the middle of a beat."""


def closings(presses):
    """(instant, button), or (instant, button, milliseconds held): the presses."""
    found = []
    for instant, button, *held in presses:
        contact = ("box", button)
        found += [(instant, contact, True), (instant + (held[0] if held else 80) * MS, contact, False)]
    return sorted(found)


def performance(presses=((1500 * MS, "play"),), signal=SIGNAL, settings=(), songs=None):
    """A correct run: every line switches at its instant, each call 944 ns late."""
    run = runs.Run("test", Mark(START, "run", ("test",), settings))
    run.changes, run.signal, run.exit, run.exit_code = closings(presses), signal, signal + 5 * MS, 0
    run.songs = songs
    shown = {LIGHT: 0, PENDULUM: 0, BUZZER: 0}
    levels = levels_of(run)
    for instant in sorted(levels):
        shown.update(levels[instant])
        for place, (line, value) in enumerate(shown.items()):
            run.writes.append(Write(instant + 944 + 256 * place, "beats-7", line, value))
    return run


def levels_of(run):
    """The changes, by instant."""
    levels, replies = {}, run.played.replies
    for session in run.sessions:
        until = session.end or run.signal
        pulses = {line: session.pulses(shows, until + 10 * 10**9) for line, shows in run.shows.items()}
        for beat in session.beats(until):
            if showing.is_in_gap(beat, session):
                continue
            levels.setdefault(beat.instant, {})[PENDULUM] = int(beat.is_odd)
            covering = [reply for reply in replies if reply.start <= beat.instant < reply.end]
            for line in run.shows if beat.level != "rest" else ():
                if all(line == BUZZER and reply.is_for_the_eye for reply in covering):
                    show(levels, run, session, beat, until, line, pulses[line])
        for line in run.shows:
            for hit in pulses[line]:
                if isinstance(hit, music.Hit) and hit.instant < until:
                    show(levels, run, session, hit, until, line, pulses[line])
        for since in [until] + [since for since, _ in session.gaps]:
            levels.setdefault(since, {}).update({LIGHT: 0, BUZZER: 0, PENDULUM: 0})
    for reply in replies:
        its = [LIGHT] if reply.is_for_the_eye else [LIGHT, BUZZER]
        levels.setdefault(reply.start, {}).update({line: 0 for line in its})
        for on, off in reply.flashes:
            levels.setdefault(on, {}).update({line: int(line == LIGHT or reply.sounds) for line in its})
            levels.setdefault(off, {}).update({line: 0 for line in its})
    return levels


def show(levels, run, session, beat, until, line, pulses):
    if line == BUZZER and showing.sounding(run, beat) != showing.SHOWN:
        return
    half = (next((pulse.instant for pulse in pulses if pulse.instant > beat.instant), 2 * until) - beat.instant) // 2
    cuts = [reply.start for reply in run.played.replies if line == LIGHT or not reply.is_for_the_eye]
    cuts += [until] + [since for since, _ in session.gaps]
    ends = [beat.instant + min(run.shows[line].widths[beat.level], half)]
    ends += [cut for cut in cuts if cut >= beat.instant]
    levels.setdefault(beat.instant, {})[line] = 1
    levels.setdefault(min(ends), {})[line] = 0


def replace_presses(run, presses):
    """The same output as before, although another button was pressed."""
    run.changes, run._played = closings(presses), None


def problems(run):
    return run.problems + lines.judge(run).problems


def call_of_beat(run, number):
    """The indices of the writes of the call that starts the given beat."""
    rises = [edge.call for edge in lines.edges(run.writes) if edge.line == LIGHT and edge.rises]
    return range(3 * rises[number], 3 * rises[number] + 3)


def shift(run, number, by):
    for place in call_of_beat(run, number):
        run.writes[place] = replace(run.writes[place], instant=run.writes[place].instant + by)


class Right(unittest.TestCase):
    def test_plain_run_passes(self):
        run = performance()
        found = lines.judge(run)
        self.assertEqual((problems(run), found.beats, found.latest), ([], 16, 944))

    def test_run_with_changes_passes(self):
        presses = [(1500 * MS, "play"), (2600 * MS, "faster"), (3000 * MS, "numerator"), (4321 * MS, "denominator")]
        presses += [(5000 * MS, "play"), (6000 * MS, "slower"), (7000 * MS, "play")]
        self.assertEqual(problems(performance(presses)), [])

    def test_unexpected_autoplay_is_found(self):
        run = performance()
        replace_presses(run, [])
        self.assertTrue(problems(run))


class Wrong(unittest.TestCase):
    def wrong(self, run, text):
        found = problems(run)
        self.assertTrue(any(text in problem for problem in found), found)

    def test_edge_six_microseconds_late_is_found(self):
        run = performance()
        shift(run, 7, 6_000 - 944)
        self.wrong(run, "light +6.000 µs off beat 7")

    def test_edge_a_nanosecond_within_the_limit_passes(self):
        run = performance()
        shift(run, 7, 5_000 - 944)
        self.assertEqual(problems(run), [])

    def test_early_edge_is_found(self):
        run = performance()
        shift(run, 7, -945)
        self.wrong(run, "light -0.001 µs off beat 7")

    def test_constant_lateness_is_found(self):
        run = performance()
        run.writes = [replace(write, instant=write.instant + 5000) for write in run.writes]
        self.wrong(run, "light +5.944 µs off beat 0")

    def test_missing_beat_is_found(self):
        run = performance()
        for place in call_of_beat(run, 5):
            if run.writes[place].line != PENDULUM:
                run.writes[place] = replace(run.writes[place], value=0)
        self.wrong(run, "light missing on beat 5")

    def test_extra_flash_is_found(self):
        run = performance()
        place = call_of_beat(run, 5)[0]
        at = run.writes[place].instant + 200 * MS
        extra = [Write(at, "beats-7", LIGHT, 1), Write(at + 10 * MS, "beats-7", LIGHT, 0)]
        run.writes = sorted(run.writes + extra, key=lambda write: write.instant)
        self.wrong(run, "light on at 4.201001 s with no beat")

    def test_buzzer_in_another_call_is_found(self):
        run = performance()
        for place in call_of_beat(run, 5):
            if run.writes[place].line == BUZZER:
                late = replace(run.writes[place], instant=run.writes[place].instant + 3_001)
                run.writes[place] = late
        self.wrong(run, "buzzer not in the light's call on beat 5")

    def test_buzzer_in_the_next_call_is_found(self):
        run = performance()
        places = call_of_beat(run, 5)
        call = [run.writes[place] for place in places]
        for place in places:
            if run.writes[place].line == BUZZER:
                run.writes[place] = replace(run.writes[place], value=0)
        run.writes[places[-1] + 1 : places[-1] + 1] = [replace(write, instant=write.instant + 768) for write in call]
        self.wrong(run, "buzzer not in the light's call on beat 5")

    def test_separate_call_per_line_is_found(self):
        run = performance()
        places = call_of_beat(run, 5)
        run.writes[places[0]] = replace(run.writes[places[0]], task="other-8")
        self.wrong(run, "a call wrote only light")

    def test_inverted_pendulum_is_found(self):
        run = performance()
        for place, write in enumerate(run.writes):
            if write.line == PENDULUM and write.instant < SIGNAL:
                run.writes[place] = replace(write, value=1 - write.value)
        self.wrong(run, "pendulum")

    def test_too_long_pulse_is_found(self):
        run = performance()
        place = call_of_beat(run, 5)[-1] + 1
        for write in range(place, place + 6):
            run.writes[write] = replace(run.writes[write], instant=run.writes[write].instant + MS)
        self.wrong(run, "off after")

    def test_line_left_on_is_found(self):
        run = performance(signal=1510 * MS)
        run.writes = run.writes[:-3]
        self.wrong(run, "light left on")

    def test_wrong_exit_code_is_found(self):
        run = performance()
        run.exit_code = 1
        self.wrong(run, "exit code 1")

    def test_beat_after_the_stop_is_found(self):
        run = performance([(1500 * MS, "play"), (5600 * MS, "play")])
        going_on = performance([(1500 * MS, "play")], signal=7000 * MS)
        run.writes = going_on.writes
        self.wrong(run, "with no beat")

    def test_missing_change_is_found(self):
        run = performance()
        replace_presses(run, [(1500 * MS, "play"), (4200 * MS, "faster")])
        self.wrong(run, "light missing on beat 6")

    def test_late_change_is_found(self):
        run = performance([(1500 * MS, "play"), (4200 * MS, "denominator")])
        replace_presses(run, [(1500 * MS, "play"), (4199 * MS + 500_000, "denominator")])
        self.wrong(run, "off beat")

    def test_too_few_beats_are_found(self):
        run = performance()
        run.required_beats = 17
        self.wrong(run, "only 16 beats judged, 17 are required")

    def test_signal_at_the_wrong_moment_is_found(self):
        self.wrong(performance(settings=(("lit", "1"),)), "the light was off at the signal")


class Stalls(unittest.TestCase):
    """Stopped from just before beat 5 until after its instant."""

    def setUp(self):
        self.run_ = performance()
        self.beat = self.run_.sessions[0].beat(5).instant

    def stall(self, end, shown):
        """Nothing is written while the program is stopped; the beat is shown at these instants."""
        self.run_.stalls = [(self.beat - 5 * MS, end)]
        gone = [w for w in self.run_.writes if not self.beat - MS <= w.instant <= self.beat + 200 * MS]
        for instant in shown:
            for at, lit in ((instant, 1), (instant + 20 * MS, 0)):
                levels = ((LIGHT, lit), (PENDULUM, 1), (BUZZER, lit))
                gone += [Write(at + 256 * place, "beats-7", *level) for place, level in enumerate(levels)]
        self.run_.writes = sorted(gone, key=lambda write: write.instant)
        return problems(self.run_)

    def test_beat_may_be_shown_right_after_a_stall(self):
        self.assertEqual(self.stall(self.beat + 100 * MS, [self.beat + 100 * MS + 3000]), [])

    def test_beat_shown_twice_after_a_stall_is_found(self):
        shown = [self.beat + 100 * MS + 3000, self.beat + 150 * MS]
        self.assertIn("with no beat", self.stall(self.beat + 100 * MS, shown)[0])

    def test_beat_out_of_phase_after_a_stall_is_found(self):
        self.assertIn("with no beat", self.stall(self.beat + 100 * MS, [self.beat + 102 * MS])[0])

    def test_missing_beat_without_a_stall_is_found(self):
        self.stall(self.beat + 100 * MS, [])
        self.run_.stalls = []
        self.assertIn("light missing on beat 5", problems(self.run_)[0])


class Music(unittest.TestCase):
    def test_beats_are_counted_from_the_anchor(self):
        session = Session(7, music.Settings(tempo=999_000, numerator=3, denominator=32))
        self.assertEqual(session.beat(10**9).instant, 7 + 10**9 * 240 * 10**12 // (999_000 * 32))

    def test_change_keeps_the_phase(self):
        session = Session(0, music.Settings())
        session.change(music.Settings(tempo=60_000), 740 * MS, 750 * MS)
        self.assertEqual([session.beat(index).instant // MS for index in range(5)], [0, 500, 1250, 2250, 3250])

    def test_two_changes_within_a_beat_keep_the_phase(self):
        session = Session(0, music.Settings())
        session.change(music.Settings(tempo=60_000), 240 * MS, 250 * MS)
        session.change(music.Settings(tempo=240_000), 490 * MS, 500 * MS)
        self.assertEqual([session.beat(index).instant // 1000 for index in range(3)], [0, 562_500, 812_500])

    def test_position_in_the_bar_is_kept_if_it_exists(self):
        session = Session(0, music.Settings())
        session.change(music.Settings(numerator=3), 1200 * MS, 1210 * MS)
        self.assertEqual([session.beat(index).position for index in range(7)], [0, 1, 2, 0, 1, 2, 0])

    def test_buttons_wrap_around(self):
        settings = music.Settings(numerator=24, denominator=32)
        self.assertEqual(settings.after("next_denominator"), music.Settings(numerator=4))
        self.assertEqual(settings.after("previous_denominator"), music.Settings(numerator=16, denominator=16))
        self.assertEqual(music.Settings().after("next_numerator").numerator, 1)
        self.assertEqual(music.Settings(numerator=1).after("previous_numerator").numerator, 4)
        self.assertEqual(music.Settings(numerator=3).after("previous_numerator").numerator, 2)
        self.assertEqual(music.Settings(tempo=999_000).after("faster", 1000).tempo, 999_000)


class Record(unittest.TestCase):
    text = """\
# tracer: nop
           init1-1       [000] .....     0.100453: tracing_mark_write: bench chip base=484
          <idle>-0       [000] d.h..     0.101000: irq_handler_entry: irq=64 name=metronome
  irq/64-gpiomon-64      [000] .....     0.101001: gpio_value: 489 get 0
      my beats-71        [000] .....     0.641677: gpio_value: 501 set 1
"""
    raw = "1 0 100453120 # x bench\n0 0 101000448 type: 34\n64 0 101000704 type: 430\n71 0 641676800 type: 430\n"

    def test_two_forms_are_joined(self):
        events = record.parse(self.text, self.raw)
        read = [Interrupt(101_000_448, 64), Level(101_000_704, 64, 5, 0), Write(641_676_800, "my beats-71", 17, 1)]
        self.assertEqual(events[1:], read)

    def test_different_forms_are_rejected(self):
        with self.assertRaises(record.Unreadable):
            record.parse(self.text, self.raw.replace("641676800", "641776800"))
        with self.assertRaises(record.Unreadable):
            record.parse(self.text, self.raw[: self.raw.rindex("71 0")])

    def test_press_without_its_edges_is_found(self):
        marks = [Mark(1, "run", ("r",), ()), Mark(2, "press", ("play",), (("edges", "5"),)), Interrupt(3, 64)]
        marks += [Level(4, 64, 5, 0), Mark(9, "release", ("play",), ()), Interrupt(10, 64), Level(11, 64, 5, 1)]
        (run,) = runs.split(marks)
        self.assertEqual(run.changes, [(3, ("box", "play"), True), (10, ("box", "play"), False)])
        self.assertIn("made 1 edges, not 5", run.problems[0])

    def test_frames_are_counted_across_the_end_of_the_buffer(self):
        self.assertEqual(record.frames_played(position=10, old=1000, base=0, buffer=1024), 1034)
        self.assertEqual(record.frames_played(position=1010, old=1000, base=0, buffer=1024), 1010)


if __name__ == "__main__":
    unittest.main()
