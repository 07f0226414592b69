"""Tests of the rhythms: the model against numbers worked out by hand, and mistakes on the lines that must be found."""

import unittest
from dataclasses import replace
from fractions import Fraction

import lines
import pulses
import rhythm
from music import Settings
from rhythm import Metre, parse
from runs import BLUE, BUZZER, GREEN, LIGHT, RED
from session import Session
from test_judge import MS, performance, problems

SWUNG = "Xooo|x.xo|Yo|o._swing=62%_&_4:3_sound=cowbell"
SETTINGS = (
    ("tempo", "133700"), ("rhythm", SWUNG), ("light_ms", "20,15,10,5"), ("light_levels", "strong,medium,weak,ghost"),
    ("buzzer_levels", "strong,medium,weak"),
)  # fmt: skip


def instants(text, until, voice=0, tempo=120_000, signature="4/4", unit=Fraction(1, 4)):
    """The instants of a voice from a start at 0."""
    metre = Metre(unit=unit).of(signature)
    settings = Settings(tempo, metre.numerator, metre.denominator, metre.groups, unit, parse(text))
    return [hit.instant for hit in Session(0, settings).hits(until) if hit.voice == voice]


def levels(text, signature="4/4", unit=Fraction(1, 4), bars=1):
    metre = Metre(unit=unit).of(signature)
    settings = Settings(240_000, metre.numerator, metre.denominator, metre.groups, unit, parse(text))
    session = Session(0, settings)
    return "".join(beat.level[0] for beat in session.beats(session.beat(bars * metre.beats).instant))


class Numbers(unittest.TestCase):
    """The numbers are those of the practice of musicians, worked out without this model."""

    def test_sevenths(self):
        found = instants("sub=7", 500 * MS, tempo=130_000)
        self.assertEqual(found, [
            0, 65_934_065, 131_868_131, 197_802_197, 263_736_263, 329_670_329, 395_604_395, 461_538_461])  # fmt: skip

    def test_swing_of_eighths(self):
        for share, wanted in (("2:1", 400_000_000), ("62%", 372_000_000), ("4:3", 342_857_142)):
            self.assertEqual(instants(f"sub=2 swing={share}", 601 * MS, tempo=100_000), [0, wanted, 600_000_000])

    def test_swing_of_sixteenths(self):
        found = instants("sub=4 swing=62%@16", 700 * MS, tempo=90_000)
        self.assertEqual(found, [0, 206_666_666, 333_333_333, 540_000_000, 666_666_666])

    def test_triplets_stay_straight(self):
        self.assertEqual(instants("sub=3 swing=2:1", 400 * MS), [0, 166_666_666, 333_333_333])

    def test_polyrhythm(self):
        found = instants("& 4:3", 1600 * MS, voice=1, tempo=90_000, signature="3/4")
        self.assertEqual(found, [0, 500_000_000, 1_000_000_000, 1_500_000_000])

    def test_groups(self):
        found = instants("Y.Y.Y..", 1501 * MS, tempo=140_000, signature="2+2+3/8")
        self.assertEqual(found, [0, 428_571_428, 857_142_857, 1_500_000_000])
        self.assertEqual(levels("", "2+2+3/8"), "swmwmww")

    def test_polymeter_continues_over_the_bars(self):
        found = instants("& x..x. @5/8", 3000 * MS, voice=1)
        self.assertEqual(found, [0, 750_000_000, 1_250_000_000, 2_000_000_000, 2_500_000_000])

    def test_clave_lasts_two_bars(self):
        eighths = [instant // 250_000_000 for instant in instants("& clave=rumba32", 4001 * MS, voice=1)]
        self.assertEqual(eighths, [0, 3, 7, 10, 12, 16])

    def test_dotted_beats(self):
        self.assertEqual(instants("", 2001 * MS, tempo=60_000, signature="6/8", unit=Fraction(3, 8)),
                         [333_333_333 * n + n // 3 for n in range(7)])  # fmt: skip
        self.assertEqual(levels("", "12/8", Fraction(3, 8)), "smmm")

    def test_dotted_notes_that_do_not_fill_the_bar_are_no_beats(self):
        self.assertEqual(levels("", "7/8", Fraction(3, 8)), "swwwwww")

    def test_cells(self):
        self.assertEqual(instants("X|x|2:xxx", 2000 * MS), [0, 500_000_000, 1_000_000_000, 1_333_333_333, 1_666_666_666])
        self.assertEqual(levels("X.|.x|..|x."), "srrw")
        self.assertEqual(len(instants("xo*4", 2000 * MS)), 8)

    def test_pattern_that_does_not_fit_is_ignored(self):
        self.assertEqual(levels("YoY", "4/4"), "swww")

    def test_accents_and_subdivisions_of_the_buttons(self):
        self.assertEqual(rhythm.orders(7)[:3], [(2, 2, 3), (3, 2, 2), (2, 3, 2)])
        self.assertEqual(rhythm.orders(8)[-3:], [(3, 3, 2), (2, 3, 3), (3, 2, 3)])
        one, seen = parse(""), []
        for _ in range(6):
            one = rhythm.stepped(one, 4, True)
            seen.append((one.sub, one.swing))
        self.assertEqual(seen, [(2, None), (3, None), (4, None), (6, None), (2, (Fraction(2, 3), 8)), (1, None)])
        metre, _ = rhythm.next_accents(Metre(6, 8), parse(""))
        self.assertEqual((metre.beats, metre.unit), (2, Fraction(3, 8)))

    def test_hits_too_close_to_louder_ones_are_left_out(self):
        shows = rhythm.shows("100,70,50,20", "strong,medium,weak,ghost")
        # Ghosts need 100 ms, to the beats on both sides and to a following hit that is as loud.
        self.assertEqual(self.shown("sub=4", shows), [0, 125, 250, 375, 500])
        self.assertEqual(self.shown("sub=6", shows), [0, 500])

    def test_loudest_of_several_hits_at_one_instant_is_shown(self):
        shows = rhythm.shows("100,70,50,20", "strong,medium,weak,ghost")
        session = Session(0, Settings(120_000, rhythm=parse("sub=2 & .Y|.x|..|.. sound=click")))
        found = {pulse.instant // MS: pulse.level for pulse in session.pulses(shows, 1_000 * MS)}
        self.assertEqual(found, {0: "strong", 250: "medium", 500: "weak", 750: "weak"})

    def test_no_ghost_is_shown_in_place_of_a_louder_hit(self):
        shows = rhythm.shows("100,70,50,20", "strong,medium,weak,ghost")
        session = Session(0, Settings(120_000, rhythm=parse("sub=4 & .Y..|....|....|.... sound=click")))
        found = {pulse.instant // MS: pulse.level for pulse in session.pulses(shows, 501 * MS)}
        self.assertEqual(found, {0: "strong", 250: "ghost", 375: "ghost", 500: "weak"})

    def shown(self, text, shows):
        session = Session(0, Settings(120_000, rhythm=parse(text)))
        return [pulse.instant // MS for pulse in session.pulses(shows, 501 * MS)]

    def test_change_of_tempo_keeps_the_phase_of_the_slots(self):
        session = Session(0, Settings(120_000, rhythm=parse("sub=3")))
        session.change(Settings(90_000, rhythm=parse("sub=3")), 1_299 * MS, 1_300 * MS)
        found = [hit.instant for hit in session.hits(1_600 * MS)][6:]
        self.assertEqual(found, [1_000_000_000, 1_166_666_666, 1_344_444_444, 1_566_666_666])

    def test_change_of_rhythm_begins_with_the_next_beat(self):
        session = Session(0, Settings(120_000))
        session.change(Settings(120_000, rhythm=parse("sub=2")), 699 * MS, 700 * MS)
        self.assertEqual([hit.instant // MS for hit in session.hits(1_600 * MS)], [0, 500, 1000, 1250, 1500])

    def test_change_of_tempo_continues_the_cycles(self):
        plain = Settings(120_000, rhythm=parse("& x..x. @5/8"))
        session = Session(0, plain)
        session.change(replace(plain, tempo=240_000), 2_000 * MS, 2_001 * MS)
        cycle = [hit.index + hit.part for hit in session.hits(5_000 * MS) if hit.voice == 1]
        self.assertEqual(cycle[:8], [Fraction(n, 2) for n in (0, 3, 5, 8, 10, 13, 15, 18)])


class Wrong(unittest.TestCase):
    """Mistakes in the pulses of hits within beats."""

    def setUp(self):
        self.run_ = performance(settings=SETTINGS)
        edges = lines.edges(self.run_.writes)
        hits = {hit.instant: hit for hit in pulses.judge_hits(
            self.run_, self.run_.sessions[0], LIGHT, [e for e in edges if e.line == LIGHT and e.rises], lines.Findings())[0]}
        self.rises = [edge for edge in edges if edge.line == LIGHT and edge.rises and edge.instant - 944 in hits]

    def wrong(self, text):
        found = problems(self.run_)
        self.assertTrue(any(text in problem for problem in found), found)

    def set(self, call, line, value):
        place = next(place for place in range(3 * call, 3 * call + 3) if self.run_.writes[place].line == line)
        self.run_.writes[place] = replace(self.run_.writes[place], value=value)

    def test_correct_run_passes(self):
        self.assertEqual(problems(self.run_), [])
        self.assertGreater(len(self.rises), 40)
        self.assertGreater(lines.judge(self.run_).hits, len(self.rises))

    def test_missing_hit_is_found(self):
        self.set(self.rises[7].call, LIGHT, 0)
        self.wrong("light missing on beat")

    def test_missing_buzz_is_found(self):
        buzzes = [e for e in lines.edges(self.run_.writes) if e.line == BUZZER and e.rises]
        alone = next(e for e in buzzes if any(e.call == rise.call for rise in self.rises))
        self.set(alone.call, BUZZER, 0)
        self.wrong("buzzer missing on beat")

    def test_double_hit_is_found(self):
        # The light goes on again a pulse after it went off.
        off = next(e for e in lines.edges(self.run_.writes) if e.line == LIGHT and not e.rises and e.call > self.rises[7].call)
        again = [replace(w, instant=w.instant + 8 * MS, value=int(w.line == LIGHT or w.value))
                 for w in self.run_.writes[3 * off.call : 3 * off.call + 3]]  # fmt: skip
        dark = [replace(w, instant=w.instant + MS, value=int(w.line != LIGHT and w.value)) for w in again]
        self.run_.writes = sorted(self.run_.writes + again + dark, key=lambda write: write.instant)
        self.wrong("with no beat")

    def shift(self, call, by):
        for place in range(3 * call, 3 * call + 3):
            self.run_.writes[place] = replace(self.run_.writes[place], instant=self.run_.writes[place].instant + by)

    def test_late_edge_is_found(self):
        self.shift(self.rises[7].call, 5_001 - 944)
        self.wrong("light +5.001 µs off beat")

    def test_early_edge_is_found(self):
        self.shift(self.rises[7].call, -945)
        self.wrong("light -0.001 µs off beat")

    def test_wrong_level_is_found(self):
        self.use_rhythm(SWUNG.replace("Xooo", "Xxoo"))
        self.wrong("light off after")

    def test_wrong_swing_is_found(self):
        self.use_rhythm(SWUNG.replace("62%", "63%"))
        self.wrong("light missing on beat")

    def test_wrong_polyrhythm_is_found(self):
        self.use_rhythm(SWUNG.replace("4:3", "3:4"))
        self.wrong("with no beat")

    def use_rhythm(self, text):
        """The same writes, judged by another rhythm."""
        settings = tuple((key, text if key == "rhythm" else value) for key, value in SETTINGS)
        self.run_.mark = replace(self.run_.mark, settings=settings)
        self.run_._played = None


class Presses(unittest.TestCase):
    def test_presses_during_a_rhythm_pass(self):
        presses = [(1500, "play"), (2611, "faster"), (3700, "numerator"), (4321, "denominator"), (6007, "slower")]
        run = performance([(at * MS, button) for at, button in presses], settings=SETTINGS)
        self.assertEqual(problems(run), [])


class Colors(unittest.TestCase):
    """An RGB light, made from the light of a correct run."""

    def setUp(self):
        self.run_ = performance(settings=(*SETTINGS, ("colors", "red,yellow,green,blue")))
        session = self.run_.sessions[0]
        pulses = {pulse.instant: pulse for pulse in session.pulses(self.run_.shows[LIGHT], self.run_.end)}
        pulses |= {beat.instant: beat for beat in session.beats(self.run_.end)}
        self.writes, level = [], None
        for write in self.run_.writes:
            if write.line != LIGHT:
                self.writes.append(write)
                continue
            if write.value and write.instant - 944 in pulses:
                level = pulses[write.instant - 944].level
            on = self.run_.colors[level] if level and write.value else set()
            self.writes += [replace(write, line=line, value=int(line in on)) for line in (RED, GREEN, BLUE)]
        self.run_.writes = self.writes

    def wrong(self, text):
        found = problems(self.run_)
        self.assertTrue(any(text in problem for problem in found), found)

    def rise(self, line):
        return [n for n, write in enumerate(self.run_.writes) if write.line == line and write.value][3]

    def test_correct_run_passes(self):
        self.assertEqual(problems(self.run_), [])
        self.assertEqual(problems(self.run_), [])

    def test_missing_line_of_a_color_is_found(self):
        both = [n for n in range(len(self.writes) - 2) if [w.value for w in self.writes[n : n + 2]] == [1, 1]
                and [w.line for w in self.writes[n : n + 2]] == [RED, GREEN]]  # fmt: skip
        self.writes[both[3] + 1] = replace(self.writes[both[3] + 1], value=0)
        self.wrong("wrong color")

    def test_other_color_is_found(self):
        place = self.rise(GREEN)
        self.writes[place] = replace(self.writes[place], line=BLUE)
        self.writes[place + 1] = replace(self.writes[place + 1], line=GREEN)
        self.wrong("wrong color")


if __name__ == "__main__":
    unittest.main()
