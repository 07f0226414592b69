"""Pedals and knobs that are learned on the page."""

import harness
from harness import disturb
from test_layout import FAULTS, WIDTHS
from test_connection import Lost


class Pedals(Lost):
    def setUp(self):
        super().setUp()
        if not harness.is_mock:
            self.skipTest("only the mock can say that a pedal was pressed")
        self.show("box")
        self.page.wait_for_selector("#pedals:not([hidden])")

    def learn(self, use, touch):
        self.page.select_option("#pedal-use", use)
        self.page.click("#pedal-learn")
        self.wait_until(lambda: self.page.text_content("#pedal-learn") == "Cancel")
        words = self.page.text_content("#pedal-words")
        disturb(f"touch?{touch}")
        self.wait_until(lambda: self.page.text_content("#pedal-learn") == "Learn")
        return words

    def rows(self):
        return [row.replace("Forget", "").strip() for row in self.page.locator("#pedal-list li").all_text_contents()]

    def test_a_pedal_and_a_knob_are_learned_and_forgotten(self):
        self.assertIn("Press the pedal now", self.learn("command next_song", "PageFlip=KEY_PAGEDOWN"))
        self.assertEqual(self.page.text_content("#pedal-words"), "KEY_PAGEDOWN of PageFlip: next song.")
        self.assertIn("Turn the knob now", self.learn("dial tempo", "FCB1010=controller_16"))
        self.wait_until(lambda: len(self.rows()) == 2)
        self.assertEqual(self.rows(), ["next song KEY_PAGEDOWN of PageFlip", "tempo controller_16 of FCB1010"])
        self.page.click("#pedal-list li:first-child button")
        self.wait_until(lambda: self.rows() == ["tempo controller_16 of FCB1010"])
        self.page.click("#pedal-list li:first-child button")
        self.wait_until(lambda: self.rows() == [])

    def test_it_says_why_nothing_was_learned(self):
        self.learn("command play", "=")
        self.assertEqual(self.page.text_content("#pedal-words"), "Not learned: nothing was pressed within 20 seconds.")
        self.assertEqual(self.page.text_content("#toasts"), "")

    def test_long_names_fit(self):
        self.learn("command next_denominator", "Logitech_Unifying_Device_Wireless_PID:4024_Keyboard=KEY_KEYBOARDBRIGHTNESS")
        self.wait_until(lambda: len(self.rows()) == 1)
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 640})
            self.page.wait_for_timeout(30)
            with self.subTest(f"{width} points wide"):
                self.assertEqual(self.page.evaluate(FAULTS), [])
        self.page.click("#pedal-list li:first-child button")
