"""What cannot be changed now looks and reads so, the message says why, and one touch changes that."""

import harness
from harness import PageTest


class Locks(PageTest):
    def setUp(self):
        super().setUp()
        self.reset()

    def load(self):
        if not harness.can_be_disturbed():
            self.skipTest("the stored scores are the box's own")
        self.page.evaluate("metronome.connection.request('score', {action: 'load', name: 'setlist'})")
        self.wait_state("score", "setlist")
        self.addCleanup(self.reset)

    def message(self):
        return self.page.inner_text("#toasts")

    def test_a_preset_in_a_song_is_recalled_with_one_touch_more(self):
        self.command("tempo 87.5")
        self.wait_state("tempo", "87.5")
        edit = lambda **fields: self.page.evaluate("fields => metronome.connection.request('preset', fields)", fields)
        edit(action="save", name="Slow")
        self.addCleanup(edit, action="delete", name="Slow")
        self.load()
        self.play()
        self.show("presets")
        self.page.click("#preset-list .recall:has(strong:text-is('Slow'))")
        self.wait_until(lambda: self.message().startswith("Unload the song first."))
        self.assertEqual(self.state("score"), "setlist", "nothing is unloaded without the second touch")
        self.page.click(".toast button:text-is('Stop, unload and recall')")
        self.wait_state("score", "")
        self.wait_state("tempo", "87.5")
        self.wait_until(lambda: self.message() == "")

    def test_a_score_is_loaded_while_playing(self):
        if not harness.can_be_disturbed():
            self.skipTest("the stored scores are the box's own")
        self.addCleanup(self.reset)
        self.play()
        self.show("songs")
        self.page.click("#score-list li:first-child button")
        self.wait_until(lambda: self.message().startswith("Stop first"))
        self.page.click(".toast button:text-is('Stop')")
        self.wait_state("score", "setlist")
        self.wait_state("playing", "0")

    def test_a_song_locks_tempo_and_rhythm(self):
        self.show("rhythm")
        self.assertTrue(self.page.is_enabled("#numerator-more") and self.page.is_enabled(".slot >> nth=0"))
        self.assertFalse(self.page.is_visible("#view-rhythm .lock"))
        self.load()
        self.wait_until(lambda: self.page.is_disabled("#numerator-more"))
        for selector in [".slot >> nth=0", "#denominator", "#swing", "#voices button >> nth=1", "#rhythm-text"]:
            self.assertTrue(self.page.is_disabled(selector), selector)
        self.assertEqual(self.page.inner_text("#view-rhythm .lock span"), "The song sets signature and rhythm.")
        self.show("play")
        self.assertFalse(self.page.is_visible("#tempo-slider"))
        self.assertEqual(self.page.inner_text("#lock-words"), "The song sets the tempo; − and + its speed.")
        self.show("practice")
        self.assertTrue(self.page.is_disabled("#ramp"))
        self.show("rhythm")
        self.page.click("#view-rhythm .unlock")
        self.wait_state("score", "")
        self.wait_until(lambda: self.page.is_enabled("#numerator-more"))
        self.assertFalse(self.page.is_visible("#view-rhythm .lock"))
        self.show("play")
        self.assertTrue(self.page.is_visible("#tempo-slider"))
        self.assertEqual(self.message(), "")

    def test_a_ramp_shows_its_next_step(self):
        self.command("ramp 80+5/4bar..120")
        self.addCleanup(self.reset)
        self.wait_until(lambda: self.page.inner_text("#lock-words") == "The ramp sets the tempo; − and + its speed.")
        self.play()
        self.wait_until(lambda: self.page.inner_text("#lock-words") == "The ramp: 85 BPM in 4 bars.")
        self.show("practice")
        self.wait_until(lambda: self.page.inner_text("#trainer-step") == "· next 85 BPM in 4 bars")
        self.wait_until(lambda: self.page.inner_text("#trainer-step") == "· next 85 BPM in 3 bars", timeout=12)
        self.assertEqual(self.page.locator("#view-practice .lock >> visible=true").count(), 0)
        self.show("rhythm")
        self.page.click("#view-rhythm .unlock:text-is('End the ramp')")
        self.wait_state("loaded", "0")

    def test_a_message_ends_with_its_reason(self):
        self.load()
        self.page.evaluate("metronome.command('signature 3/4')")
        self.wait_until(lambda: "nload the song first" in self.message())
        self.page.evaluate("metronome.connection.request('score', {action: 'unload'})")
        self.wait_until(lambda: self.message() == "", timeout=2)
        # A wrong value is over with a right one.
        self.page.evaluate("metronome.command('signature 4/5')")
        self.wait_until(lambda: "7/8" in self.message())
        self.page.evaluate("metronome.command('signature 4/4')")
        self.wait_until(lambda: self.message() == "", timeout=2)

    def test_a_move_is_confirmed_before_the_bar_line(self):
        self.load()
        self.play()
        self.show("songs")
        self.wait_until(lambda: self.page.inner_text("#coming") .startswith("Waltz"))
        # As long as the box has not reached the bar line, its state stays the same.
        self.page.evaluate("() => { window.receive = metronome.connection.onMessage; metronome.connection.onMessage = () => {}; }")
        for button, words in [
                ("#song-next", "Waltz at the next bar line."), ("#song-previous", "Waltz at the next bar line."),
                ("#section-next", "The next section at the next bar line."), ("#section-again", "The section again at the next bar line.")]:
            self.page.click(button)
            self.assertEqual(self.message(), words)
        self.page.evaluate("metronome.connection.onMessage = window.receive")

    def test_the_next_songs_are_listed(self):
        self.load()
        self.show("songs")
        self.wait_until(lambda: self.page.eval_on_selector_all("#coming strong", "all => all.map(e => e.textContent)") == ["Waltz"])
        self.page.click("#song-next")
        self.wait_until(lambda: self.page.inner_text("#coming") == "This is the last song; then Take Five again.")

    def test_a_long_touch_selects_no_label(self):
        for view in harness.VIEWS:
            self.show(view)
            selectable = self.page.evaluate("""() => [...document.querySelectorAll('button, label, h2, output, .row, .stepper, nav, #transport p')]
              .filter((e) => e.checkVisibility() && getComputedStyle(e).userSelect !== 'none').map((e) => e.id || e.textContent)""")
            self.assertEqual(selectable, [], view)
        self.assertEqual(self.page.evaluate("getComputedStyle(document.getElementById('preset-name')).userSelect"), "text")

    def test_the_help_begins_with_touch(self):
        self.page.click("#help-open")
        self.assertEqual(self.page.locator("#help caption").all_inner_texts(), ["Touch", "Keys"])
        self.assertEqual(self.page.evaluate("document.getElementById('help').scrollTop"), 0)

    def test_the_health_in_words(self):
        words = lambda **fields: self.page.evaluate("""fields => { metronome.connection.onMessage('state', { ...metronome.state, ...fields });
          return Object.fromEntries([...document.querySelectorAll('#health div')].map((row) => [...row.children].map((e) => e.textContent))); }""", fields)
        good = words(**{"late-us": "3", "skipped": "0", "xruns": "0", "audio": "audio: locked +12.3 ppm", "lines": "1"})
        self.assertEqual(
            {key: good[key] for key in ["Beats come", "Beats left out", "Gaps in the sound", "Sound of the box", "Light and buttons"]},
            {"Beats come": "on time, within 0.01 ms", "Beats left out": "none", "Gaps in the sound": "none", "Sound of the box": "plays",
             "Light and buttons": "connected"})
        bad = words(**{"late-us": "2345", "skipped": "2", "xruns": "1", "audio": "audio: waiting for hw:1 (unplugged)", "lines": "0"})
        self.assertEqual(
            {key: bad[key] for key in ["Beats come", "Beats left out", "Gaps in the sound", "Sound of the box", "Light and buttons"]},
            {"Beats come": "up to 2.35 ms late ⚠", "Beats left out": "2 ⚠", "Gaps in the sound": "1 ⚠",
             "Sound of the box": "waiting for hw:1 (unplugged) ⚠", "Light and buttons": "not there ⚠"})
        self.assertEqual(words(audio="")["Sound of the box"], "off")
