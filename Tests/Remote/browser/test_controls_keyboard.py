"""Every control by keyboard."""

import harness
from controls import Controls
from harness import PageTest


class Keyboard(Controls, PageTest):
    options = {"viewport": {"width": 780, "height": 360}}

    def press(self, selector):
        self.page.focus(selector)
        self.page.keyboard.press("Enter" if "tab" not in selector else "Space")

    def test_keys(self):
        self.page.keyboard.press("Space")
        self.wait_state("playing", "1")
        self.page.keyboard.press("p")
        self.wait_state("playing", "0")
        for key, tempo in [("ArrowUp", "121"), ("Shift+ArrowUp", "126"), ("Shift+ArrowDown", "121"), ("ArrowDown", "120")]:
            self.page.keyboard.press(key)
            self.wait_state("tempo", tempo)
        silent = self.state("silent")
        self.page.keyboard.press("s")
        self.wait_state("silent", "1" if silent == "0" else "0")
        self.page.keyboard.press("s")
        self.wait_state("silent", silent)
        self.page.keyboard.press("?")
        self.assertTrue(self.page.is_visible("#help"))
        self.page.keyboard.press("p")
        self.page.keyboard.press("Escape")
        self.assertFalse(self.page.is_visible("#help"))
        self.assertEqual(self.state("playing"), "0", "keys do nothing behind a dialog")

    def test_typed_tempi(self):
        for text, tempo in [("133.7", "133.7"), ("999", "999"), ("1", "1"), ("60,125", "60.125")]:
            self.page.keyboard.press(text[0])
            self.page.keyboard.type(text[1:])
            self.page.keyboard.press("Enter")
            self.wait_state("tempo", tempo)
            self.wait_until(lambda: self.page.input_value("#tempo") == tempo)
        self.page.focus("#tempo")
        self.page.keyboard.type("77")
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("5")
        self.page.keyboard.type("00000")
        self.page.keyboard.press("Enter")
        self.page.wait_for_timeout(300)
        self.assertEqual(self.state("tempo"), "60.125")
        self.assertIn("from 1 to 999", self.page.inner_text("#toasts"))
        self.page.focus("#tempo")
        self.page.keyboard.press("ArrowUp")
        self.wait_state("tempo", "61.125")

    def test_typed_values_of_practice(self):
        self.show("practice")
        for selector, text in [("#ramp-from", "100"), ("#ramp-to", "60,5"), ("#ramp-by", "2.5"), ("#ramp-every", "30")]:
            self.page.focus(selector)
            self.page.keyboard.type(text)
            self.page.keyboard.press("Enter")
        self.page.select_option("#ramp-unit", "s")
        self.page.select_option("#ramp-end", "reverse")
        self.press("#ramp")
        self.wait_state("ramp", "100-2.5/30s..60.5!reverse")
        # The box's own value replaces that of the fields.
        self.command("ramp 90+1/2bar..95")
        self.wait_until(lambda: self.page.input_value("#ramp-from") == "90" and self.page.input_value("#ramp-end") == "stay")
        self.page.focus("#ramp-every")
        self.page.keyboard.press("ArrowUp")
        self.wait_state("ramp", "90+1/3bar..95")
        self.page.keyboard.type("1.5")
        self.page.keyboard.press("Enter")
        self.wait_until(lambda: "a whole number from 1 to 999" in self.page.inner_text("#toasts"))
        self.assertEqual(self.page.input_value("#ramp-every"), "3")
        # The box says why it cannot play a ramp that goes nowhere.
        self.page.focus("#ramp-to")
        self.page.keyboard.type("90")
        self.page.keyboard.press("Tab")
        self.wait_until(lambda: "ramp" in self.page.inner_text("#toasts .error >> nth=-1"))
        self.assertEqual(self.state("ramp"), "90+1/3bar..95")
        self.wait_until(lambda: self.page.input_value("#ramp-to") == "95")

    def test_sliders(self):
        self.page.focus("#tempo-slider")
        self.page.keyboard.press("ArrowRight")
        self.wait_state("tempo", "121")
        self.show("box")
        self.page.focus("#volume")
        self.page.keyboard.press("ArrowLeft")
        self.wait_state("volume", "-1.5")
        self.page.keyboard.press("ArrowRight")
        self.wait_state("volume", "0")

    def test_single_keys_can_be_switched_off(self):
        self.show("box")
        self.page.focus("#keys-on")
        self.page.keyboard.press("Space")
        self.page.focus("#tab-box")
        self.page.keyboard.press("p")
        self.page.wait_for_timeout(400)
        self.assertEqual(self.state("playing"), "0")

    def test_a_refused_rhythm_is_taken_back(self):
        self.show("rhythm")
        self.command("rhythm sub=2")
        self.wait_until(lambda: self.page.input_value("#rhythm-text") == "sub=2")
        self.page.fill("#rhythm-text", "nonsense !")
        self.page.keyboard.press("Enter")
        self.wait_until(lambda: "rhythm" in self.page.inner_text("#toasts .error >> nth=-1"))
        self.wait_until(lambda: self.page.input_value("#rhythm-text") == "sub=2")
        self.assertIn("rhythm", self.page.inner_text("#toasts .error >> nth=-1"))

    def test_the_volume_is_announced_at_once(self):
        self.show("box")
        words = self.page.evaluate("""() => { const volume = document.getElementById('volume'); volume.value = '-9';
          volume.dispatchEvent(new Event('input')); return volume.getAttribute('aria-valuetext'); }""")
        self.assertEqual(words, "−9 decibels")
        self.wait_state("volume", "-9")
        self.command("volume 0")

    def test_the_lateness_before_the_first_beat(self):
        words = self.page.evaluate("""() => { const { 'late-us': late, ...state } = metronome.state;
          metronome.connection.onMessage('state', state); return document.querySelector('#health dd').textContent; }""")
        self.assertEqual(words, "no beat yet")

    def test_presets_that_change_elsewhere(self):
        names = lambda: self.page.eval_on_selector_all("#preset-list .recall strong", "all => all.map(e => e.textContent)")
        edit = lambda **fields: self.page.evaluate("fields => metronome.connection.request('preset', fields)", fields)
        for name in "ABC":
            edit(action="save", name=name)
            self.addCleanup(edit, action="delete", name=name)
        self.show("presets")
        self.wait_until(lambda: names()[-3:] == ["A", "B", "C"])
        self.page.click("#preset-list li:last-child .more")
        first = len(names()) - 2
        self.page.fill("#preset-list .editor input", "C s")
        edit(action="move", name="A", place=first + 2)
        self.wait_until(lambda: names()[-3:] == ["B", "C", "A"])
        self.assertEqual(self.page.input_value("#preset-list .editor input"), "C s", "what is typed stays")
        self.page.keyboard.type("h")
        self.assertEqual(self.page.input_value("#preset-list .editor input"), "C sh")
        # A move starts from the place that the preset has now.
        edit(action="move", name="C", place=first + 2)
        self.page.click("#preset-list .editor button:text-is('Move up')")
        self.wait_until(lambda: names()[-3:] == ["B", "C", "A"])

    def test_the_focus_stays_when_the_scores_are_read(self):
        self.show("songs")
        if not harness.can_be_disturbed():
            self.skipTest("the stored scores are the box's own")
        row = "#score-list li:first-child button"
        self.page.wait_for_selector(row)
        focused = lambda: self.page.evaluate("row => document.activeElement === document.querySelector(row)", row)
        self.page.focus(row)
        for loaded in ("setlist", ""):
            self.page.keyboard.press("Enter")
            self.wait_state("score", loaded)
            self.wait_until(lambda: self.page.get_attribute(row, "aria-pressed") == ("true" if loaded else "false"))
            # The page reads the scores once more a little later. An element that shows the same is not replaced: it may be pressed just now.
            self.page.evaluate("row => { document.querySelector(row).isTheSame = true; }", row)
            self.page.wait_for_timeout(800)
            self.assertTrue(self.page.evaluate("row => document.querySelector(row).isTheSame", row))
            self.assertTrue(focused())

    def test_tabs_by_arrows(self):
        self.page.focus("#tab-play")
        self.page.keyboard.press("ArrowRight")
        self.assertEqual(self.page.get_attribute("body", "data-view"), "rhythm")
        self.page.keyboard.press("ArrowLeft")
        self.assertEqual(self.page.get_attribute("body", "data-view"), "play")
