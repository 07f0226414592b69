"""Tests of the judge: the expected playback after given gestures. All times in milliseconds."""

import random
import unittest
from fractions import Fraction

import music
import player
import replies
from hands import MS, Gesture
from taps import Taps


def after(*done, end=20_000, touches=(), **state):
    """The player after these gestures (at, command[, further])."""
    gestures = [Gesture(at * MS, command, *further or (at * MS,)) for at, command, *further in done]
    metronome = player.Player(**state)
    return player.play(metronome, gestures, [at * MS for at in touches], end * MS)


def back(at, command, press):
    """A command that undoes the immediate action of a press."""
    return (at, command, at * MS, 1, press * MS)


def beats(session, until):
    return [beat.instant / MS for beat in session.beats(until * MS)]


def places(session, until):
    return [beat.position for beat in session.beats(until * MS)]


class TappedTempo(unittest.TestCase):
    def fit(self, *instants):
        taps = Taps()
        return [taps.tap(instant * MS) for instant in instants][-1]

    def test_three_taps_give_a_tempo(self):
        self.assertIsNone(self.fit(0, 500))
        fit = self.fit(0, 500, 1000)
        self.assertEqual((fit.instant, fit.period, fit.beats), (1000 * MS, 500 * MS, 2))

    def test_fit_is_least_squares(self):
        fit = self.fit(0, 510, 1000)
        self.assertEqual((fit.period, fit.instant), (500 * MS, Fraction(1010 * MS, 3) + 500 * MS + Fraction(500 * MS, 3)))
        self.assertEqual(fit.tempo(4, True), 120_000)

    def test_tempo_depends_on_rounding_and_note_value(self):
        fit = self.fit(0, 470, 940)
        self.assertEqual([fit.tempo(4, True), fit.tempo(4, False), fit.tempo(8, False)], [128_000, 127_660, 63_830])

    def test_bounced_tap_is_ignored(self):
        self.assertEqual(self.fit(0, 500, 559, 1000).period, 500 * MS)
        self.assertIsNone(self.fit(0, 500, 559))
        self.assertEqual(self.fit(0, 60, 120).period, 60 * MS)

    def test_second_tap_may_be_missing(self):
        fit = self.fit(0, 1000, 1500, 2000)
        self.assertEqual((fit.period, fit.beats), (500 * MS, 4))
        self.assertIsNone(self.fit(0, 1000, 1300))

    def test_one_tap_may_be_missing(self):
        fit = self.fit(0, 500, 1000, 2000)
        self.assertEqual((fit.period, fit.beats), (500 * MS, 4))

    def test_tolerance_is_forty_percent(self):
        self.assertIsNotNone(self.fit(0, 500, 1200))
        self.assertIsNotNone(self.fit(0, 500, 1000, 1700))
        self.assertIsNone(self.fit(0, 500, 1000, 1701))
        self.assertIsNone(self.fit(0, 500, 1000, 1299))
        self.assertIsNotNone(self.fit(0, 500, 1000, 1300))

    def test_tolerance_is_smaller_after_a_missing_tap(self):
        self.assertIsNone(self.fit(0, 500, 1000, 1899))
        self.assertEqual(self.fit(0, 500, 1000, 1900).beats, 4)
        self.assertEqual(self.fit(0, 500, 1000, 2100).beats, 4)
        self.assertIsNone(self.fit(0, 500, 1000, 2101))
        self.assertIsNone(self.fit(0, 500, 727))
        self.assertEqual(self.fit(0, 500, 728).beats, 3)
        self.assertEqual(self.fit(0, 500, 777).beats, 3)
        self.assertIsNone(self.fit(0, 500, 778))

    def run_of(self, *intervals):
        """The fit after each tap: the period in milliseconds, and the beat."""
        taps, instant, fits = Taps(), 0, []
        for interval in (0, *intervals):
            instant += interval * MS
            fit = taps.tap(instant)
            fits.append(fit and (float(round(fit.period / MS, 3)), fit.beats))
        return fits

    def test_two_missing_taps_in_a_row_give_a_slower_tempo(self):
        self.assertEqual(self.run_of(500, 500, 1000, 1000)[-2:], [(500, 4), (1000, 2)])
        self.assertEqual(self.run_of(500, 500, 1000, 500, 1000)[-1], (500, 7))
        self.assertEqual(self.run_of(600, 600, 600, 1000, 1000)[-2:], [None, None])
        self.assertEqual(self.run_of(600, 600, 600, 1000, 1000, 1000)[-1], (1000, 2))

    def test_false_tap_is_dropped(self):
        # Without the false tap there are four taps, the last on beat 3.
        for ghost in (60, 100, 187):
            self.assertEqual(self.run_of(500, 500, ghost, 500 - ghost)[-2:], [None, (500, 3)])
        # One more tap shows that this one was false.
        for ghost in (188, 199, 225):
            self.assertEqual(self.run_of(500, 500, ghost, 500 - ghost)[-2:], [None, None])
            self.assertEqual(self.run_of(500, 500, ghost, 500 - ghost, 500)[-1], (500, 4))
        # Two beats after the run's last tap, with one tap missing.
        self.assertEqual(self.run_of(500, 500, 150, 850)[-1], (500, 4))
        # A tenth of two beats, and a fifth of one beat.
        self.assertEqual(self.run_of(500, 500, 100, 300)[-1], (470, 3))
        self.assertEqual(self.run_of(500, 500, 100, 299, 299, 299)[-2:], [(299, 2), (299, 3)])
        self.assertEqual(self.run_of(500, 500, 100, 500)[-1], (530, 3))
        self.assertEqual(self.run_of(500, 500, 100, 501)[-1], None)

    def test_faster_taps_start_a_new_run(self):
        self.assertEqual(self.run_of(1000, 1000, 500, 500, 500)[-3:], [None, None, (500, 2)])
        self.assertEqual(self.run_of(750, 750, 750, 300, 300, 300)[-3:], [None, None, (300, 2)])

    def test_second_tap_of_a_slow_run_may_be_missing(self):
        self.assertEqual(self.run_of(4000, 2000)[-1], (2000, 3))
        self.assertEqual(self.run_of(2801, 1401)[-1], (1400.643, 3))
        self.assertIsNone(self.run_of(4000, 1818)[-1])
        self.assertIsNotNone(self.run_of(4000, 1819)[-1])
        self.assertIsNotNone(self.run_of(4000, 2222)[-1])
        self.assertIsNone(self.run_of(4000, 2223)[-1])
        self.assertIsNone(self.run_of(5602, 2801)[-1])

    def test_long_pause_restarts_the_run(self):
        self.assertIsNone(self.fit(0, 2801, 5602))
        self.assertEqual(self.fit(0, 2800, 5600).period, 2800 * MS)

    def test_only_the_last_eight_taps_count(self):
        early = [0, 400]
        late = [400 + 500 * n for n in range(1, 8)]
        self.assertEqual(self.fit(*early, *late).period, 500 * MS)
        self.assertEqual(self.fit(*early, *late).beats, 8)

    def test_tapped_tempo_is_found(self):
        chance = random.Random(4)
        for bpm in (30, 61, 120, 240, 400):
            interval = 60_000 / bpm
            errors = [Fraction(round(chance.gauss(0, 0.01) * interval * MS), MS) for _ in range(8)]
            fit = self.fit(*(Fraction(60_000 * n, bpm) + error for n, error in enumerate(errors)))
            self.assertAlmostEqual(float(fit.period) / MS, interval, delta=0.01 * interval)


class Tapping(unittest.TestCase):
    def test_taps_set_only_the_tempo_while_stopped(self):
        found = after((0, "tap"), (600, "tap"), (1200, "tap"))
        self.assertEqual((found.settings.tempo, found.sessions), (100_000, []))

    def test_taps_may_start_playback(self):
        found = after((0, "tap"), (600, "tap"), (1200, "tap"), rules=player.Rules(tap_starts=True))
        self.assertEqual(beats(found.sessions[0], 3001), [1201, 1800, 2400, 3000])
        self.assertEqual(places(found.sessions[0], 3001), [2, 3, 0, 1])

    def test_beat_already_played_is_not_moved(self):
        # Beats of 120 BPM at 1, 501, 1001, 1501, 2001 …; taps follow 100 ms after them, at 110 BPM.
        found = after((0, "play"), (601, "tap"), (1101, "tap"), (1601, "tap"))
        self.assertEqual(beats(found.sessions[0], 3000), [1, 501, 1001, 1501, 2101, 2601])
        self.assertEqual(places(found.sessions[0], 3000), [0, 1, 2, 3, 0, 1])

    def test_upcoming_beat_moves_to_the_tap(self):
        found = after((0, "play"), (401, "tap"), (901, "tap"), (1401, "tap"))
        self.assertEqual(beats(found.sessions[0], 3000), [1, 501, 1001, 1402, 1901, 2401, 2901])
        self.assertEqual(places(found.sessions[0], 2000), [0, 1, 2, 3, 0])

    def test_tempo_is_rounded_but_the_phase_is_not(self):
        found = after((0, "play"), (101, "tap"), (604, "tap"), (1107, "tap"))
        self.assertEqual(found.settings.tempo, 119_000)
        self.assertEqual(beats(found.sessions[0], 1700), [1, 501, 1001, 1610])
        self.assertAlmostEqual(beats(found.sessions[0], 2200)[-1], 1610 + 60_000 / 119, places=5)

    def test_tapped_tempo_replaces_a_pending_recall_at_the_bar_line(self):
        odd = music.Settings(90_000, 3, 8)
        found = after((0, "play"), (100, "recall 1"), (200, "tap"), (600, "tap"), (1000, "tap"), presets=[odd])
        # Audible quarters at 150 BPM, then eighths of that tempo.
        self.assertEqual(found.settings, music.Settings(150_000, 3, 8))
        self.assertEqual(beats(found.sessions[0], 2602), [1, 501, 1001, 1501, 2001, 2201, 2401, 2601])
        self.assertEqual(places(found.sessions[0], 2602), [0, 1, 2, 3, 0, 1, 2, 0])

    def test_other_commands_end_the_run(self):
        self.assertEqual(after((0, "tap"), (600, "tap"), (700, "faster"), (1200, "tap")).settings.tempo, 121_000)
        self.assertEqual(after((0, "tap"), (600, "tap"), (700, "silent"), (1200, "tap")).settings.tempo, 100_000)
        self.assertEqual(after((0, "tap"), (600, "tap"), (700, "tell_tempo"), (1200, "tap")).settings.tempo, 100_000)


class Undone(unittest.TestCase):
    def test_stop_is_undone(self):
        found = after((0, "play"), (1200, "play"), back(1250, "tell_tempo", 1200))
        (session,) = found.sessions
        self.assertEqual((session.end, session.gaps), (None, [(1200 * MS, 1250 * MS)]))

    def test_start_is_undone(self):
        found = after((0, "play"), back(50, "tell_tempo", 0))
        self.assertEqual(found.sessions[0].end, 50 * MS)

    def test_long_press_of_play_does_not_undo_a_start(self):
        found = after((0, "play"), back(500, "silent", 0))
        self.assertEqual((found.sessions[0].end, found.is_silent), (None, True))

    def test_long_press_of_play_undoes_a_stop(self):
        found = after((0, "play"), (1000, "play"), back(1500, "silent", 1000))
        self.assertEqual((found.sessions[0].end, len(found.sessions), found.is_silent), (None, 1, True))

    def test_tempo_change_is_undone(self):
        found = after((0, "faster"), (1000, "slower"), back(1050, "reset_tempo", 1000), rules=player.Rules(home=90_000))
        self.assertEqual(found.settings.tempo, 90_000)
        found = after((0, "faster"), back(50, "tell_tempo", 0))
        self.assertEqual(found.settings.tempo, 120_000)

    def test_nothing_is_undone_after_another_command(self):
        found = after((0, "faster"), (20, "slower"), (30, "slower"), back(50, "tell_tempo", 0))
        self.assertEqual(found.settings.tempo, 119_000)


class Presets(unittest.TestCase):
    waltz, march = music.Settings(90_000, 3, 4), music.Settings(240_000, 2, 4)

    def recalled(self, *done, **state):
        return after(*done, presets=[self.waltz, self.march], **state)

    def test_recall_takes_effect_at_the_bar_line(self):
        found = self.recalled((0, "play"), (1200, "recall 1"))
        self.assertEqual(places(found.sessions[0], 4200), [0, 1, 2, 3, 0, 1, 2, 0])
        self.assertEqual([round(at) for at in beats(found.sessions[0], 4200)], [1, 501, 1001, 1501, 2001, 2668, 3334, 4001])

    def test_recall_skips_a_committed_bar_line(self):
        for press, line in ((2000, 2001), (2001, 4001)):
            found = self.recalled((0, "play"), (press, "recall 2"))
            self.assertEqual([round(at) for at in beats(found.sessions[0], line + 300)][-2:], [line, line + 250])

    def test_second_recall_replaces_the_first(self):
        found = self.recalled((0, "play"), (1200, "recall 1"), (1300, "recall 2"))
        self.assertEqual(beats(found.sessions[0], 2600), [1, 501, 1001, 1501, 2001, 2251, 2501])

    def test_change_before_the_bar_line_takes_effect_there(self):
        found = self.recalled((0, "play"), (1200, "recall 2"), (1300, "slower", 1300 * MS, 40))
        self.assertEqual(beats(found.sessions[0], 2600), [1, 501, 1001, 1501, 2001, 2301])

    def test_next_and_previous_wrap_around(self):
        for done, recalled in (
            (["next_preset"], 1), (["previous_preset"], 2), (["next_preset"] * 3, 1), (["next_preset", "previous_preset"], 2),
        ):  # fmt: skip
            found = self.recalled(*((place, command) for place, command in enumerate(done)))
            self.assertEqual(found.recalled, recalled)

    def test_storing_fills_the_gap(self):
        found = self.recalled((0, "faster"), (10, "store 4"))
        self.assertEqual([each.tempo for each in found.presets], [90_000, 240_000, 121_000, 121_000])
        self.assertEqual((found.recalled, found.replies[0].pulses), (4, replies.STORED))

    def test_missing_preset_is_refused_without_sound(self):
        for done in ("recall 3", "store 129"):
            found = self.recalled((0, done))
            self.assertEqual((found.replies[0].pulses, found.replies[0].sounds), (replies.REFUSED, False))
        self.assertEqual(after((0, "next_preset")).replies[0].pulses, replies.REFUSED)


class Replies(unittest.TestCase):
    def flashes(self, text):
        return [(on // MS, off // MS) for on, off in replies.pulses(text)]

    def test_digits_are_flashed(self):
        self.assertEqual(self.flashes("12"), [(300, 400), (1100, 1200), (1400, 1500)])
        self.assertEqual(self.flashes("20"), [(300, 400), (600, 700), (1400, 2000)])

    def test_signature_is_flashed(self):
        self.assertEqual(self.flashes("1/2"), [(300, 400), (1900, 2000), (2200, 2300)])

    def test_tempo_is_rounded(self):
        self.assertEqual(replies.tempo(music.Settings(92_500)), replies.pulses("93"))

    def test_command_ends_a_reply(self):
        found = after((0, "tell_tempo"), (1250, "faster"))
        self.assertEqual(found.replies[0].flashes[-1], (1101 * MS, 1201 * MS))
        found = after((0, "tell_tempo"), (1150, "faster"))
        self.assertEqual(found.replies[0].flashes[-1], (1101 * MS, 1150 * MS))

    def test_reply_is_silent_in_silent_mode(self):
        self.assertFalse(after((0, "tell_tempo"), is_silent=True).replies[0].sounds)


class Untouched(unittest.TestCase):
    rules = player.Rules(auto_stop=5000 * MS)

    def test_playback_stops_automatically(self):
        self.assertEqual(after((0, "play"), touches=[0], rules=self.rules).sessions[0].end, 5000 * MS)

    def test_every_press_restarts_the_timeout(self):
        found = after((0, "play"), touches=[0, 4000, 8999], rules=self.rules)
        self.assertEqual(found.sessions[0].end, 13_999 * MS)

    def test_no_automatic_stop_while_stopped(self):
        found = after((0, "play"), (1000, "play"), (9000, "play"), touches=[0, 1000, 9000], end=10_000, rules=self.rules)
        self.assertEqual([session.end for session in found.sessions], [1000 * MS, None])


if __name__ == "__main__":
    unittest.main()
