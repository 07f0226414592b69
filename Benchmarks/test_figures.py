"""Tests of `figures`. Run by Scripts/check."""

import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("figures", str(Path(__file__).with_name("figures")))
figures = importlib.util.module_from_spec(importlib.util.spec_from_loader("figures", loader))
loader.exec_module(figures)

RATE, BPM = 48_000, "133.7"
PERIOD = 60 * RATE / 133.7


def clicks(places, shapes=(9, 4, 4, 4)):
    """Clicks in bars of four. The first click of a bar has another kind, and its centre is later."""
    return [(place + (31.5 if beat % 4 == 0 else 0), shapes[beat % 4]) for beat, place in enumerate(places)]


class OnsetTests(unittest.TestCase):
    def heard(self, places):
        return figures.onsets(clicks(places), RATE, BPM)

    def test_exact_clicks_have_neither_spread_nor_drift(self):
        spread, drift = self.heard([beat * PERIOD for beat in range(400)])
        self.assertAlmostEqual(spread, 0, places=4)
        self.assertAlmostEqual(drift, 0, places=6)

    def test_clicks_on_whole_frames_have_a_spread_of_one_frame(self):
        spread, drift = self.heard([round(beat * PERIOD) for beat in range(400)])
        self.assertGreater(spread, 20)
        self.assertLess(spread, 22)
        self.assertLess(drift, 0.2)

    def test_period_of_whole_frames_drifts(self):
        spread, drift = self.heard([beat * round(PERIOD) for beat in range(400)])
        self.assertAlmostEqual(drift, abs(round(PERIOD) - PERIOD) / PERIOD * 1e6, places=3)
        self.assertAlmostEqual(spread, 0, places=3)

    def test_gap_in_a_recording_is_neither_spread_nor_drift(self):
        spread, drift = self.heard([beat * PERIOD + (500 if beat > 150 else 0) for beat in range(400)])
        self.assertAlmostEqual(spread, 0, places=4)
        self.assertAlmostEqual(drift, 0, places=6)


    def test_track_must_have_a_click_on_every_beat(self):
        exact = [beat * PERIOD for beat in range(400)]
        spread, drift = figures.onsets(clicks(exact), RATE, BPM, 400)
        self.assertAlmostEqual(spread, 0, places=4)
        self.assertAlmostEqual(drift, 0, places=6)
        for heard in (clicks(exact)[:-1], clicks(exact)[:200] + clicks(exact)[201:], clicks(exact) + clicks(exact)[-1:],
                      clicks([place + (2 * PERIOD if place > 4e6 else 0) for place in exact])):
            with self.assertRaises(SystemExit):
                figures.onsets(heard, RATE, BPM, 400)

    def test_late_click_in_a_track_adds_spread(self):
        late = [beat * PERIOD + (2_400 if beat % 100 == 50 else 0) for beat in range(400)]
        self.assertGreater(figures.onsets(clicks(late), RATE, BPM, 400)[0], 49_000)


class PageTests(unittest.TestCase):
    row = {"id": "a", "what": "what", "unit": "µs", "peers": ["peer"], "most_of": ["peer", 0.1]}

    def test_numbers_have_three_significant_digits(self):
        written = [figures.number(value) for value in (0, 1.23456, 12.3456, 1234.5, 0.0803, 2.6e-6, 20.0)]
        self.assertEqual(written, ["0", "1.23", "12.3", "1,234", "0.0803", "< 0.00001", "20"])

    def test_bound_may_be_a_share_of_a_peers_figure(self):
        self.assertEqual(figures.bound(self.row, {"peer": 50})[0], 5)
        self.assertIsNone(figures.bound(self.row, {})[0])

    def test_bound_has_the_unit_of_its_figure(self):
        self.assertEqual(figures.bound({"unit": "µs", "most": 0.5}, {}), (0.5, "0.5 µs"))
        self.assertEqual(figures.bound({"unit": "", "most": 0}, {}), (0, "0"))
        self.assertEqual(figures.bound(self.row, {"peer": 50})[1], "0.1 × peer's")

    def test_missing_figures_are_reported(self):
        self.assertIn("edge.p99: missing figure of cyclictest", figures.missing({"edge.p99": {"metronome": 1}}))
        self.assertIn("day.time: missing figure of metronome", figures.missing({}))
        whole = {row["id"]: dict.fromkeys(["metronome", *row["peers"]], 0) for row in figures.ROWS}
        self.assertEqual(figures.missing(whole), [])

    def test_page_with_other_figures_is_detected(self):
        page = f"before\n{figures.BEGIN}\n\nold\n\n{figures.END}\nafter"
        self.assertEqual(figures.filled(page, "old"), page)
        self.assertNotEqual(figures.filled(page, "new"), page)


if __name__ == "__main__":
    unittest.main()
