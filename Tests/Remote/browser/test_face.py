"""The stage view: the number of the beat over the whole screen."""

from harness import PageTest

# Whether what is drawn of the number is within the screen, and how much of the lower of both sides it fills.
FILLS = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.getElementById('face-number'));
  const box = range.getBoundingClientRect();
  return [box.left >= -1 && box.right <= innerWidth + 1, box.height / Math.min(innerWidth, innerHeight)];
}"""


class Face(PageTest):
    def setUp(self):
        super().setUp()
        self.reset()
        self.page.evaluate("localStorage.clear()")

    def test_the_number_fills_every_screen(self):
        self.command("signature 12/8")
        self.play()
        self.page.click("#face-open")
        for width, height in [(320, 568), (430, 932), (844, 390), (1180, 820)]:
            self.page.set_viewport_size({"width": width, "height": height})
            for text in ["1", "12", "−2"]:
                is_within, share = self.page.evaluate(
                    f"async () => {{ (await import('./face.js')).showFace('{text}'); return ({FILLS})(); }}")
                with self.subTest(f"{text} on {width} x {height}"):
                    self.assertTrue(is_within)
                    self.assertGreater(share, 0.6)
        self.page.keyboard.press("Escape")
        self.page.set_viewport_size({"width": 390, "height": 844})

    def test_it_shows_the_beat_and_closes(self):
        self.play()
        self.page.keyboard.press("g")
        seen = set()
        for _ in range(60):
            seen.add(self.page.text_content("#face-number"))
            self.page.wait_for_timeout(50)
        self.assertLessEqual({"1", "2", "3", "4"}, seen)
        self.assertIn("120 BPM" if "BPM" in self.page.text_content("#face-words") else "120", self.page.text_content("#face-words"))
        self.page.click("#face-number")
        self.assertFalse(self.page.evaluate("document.getElementById('face').open"))

    def test_the_slider_goes_down_to_a_fiftieth(self):
        bright = lambda: float(self.page.evaluate("document.getElementById('face').style.getPropertyValue('--bright')"))
        self.page.click("#face-open")
        self.assertEqual(bright(), 1)
        for place, value in [(0, 0.02), (50, 0.1414), (100, 1)]:
            self.page.evaluate(f"() => {{ const e = document.getElementById('face-light'); e.value = {place}; e.dispatchEvent(new Event('input')); }}")
            self.assertAlmostEqual(bright(), value, 3)
        self.page.click("#face-close")
