"""The tests of every control, which each way of pressing inherits."""

import harness


class Controls:
    """The tests of each way of pressing. `press` presses an element."""

    def setUp(self):
        super().setUp()
        self.reset()

    def press(self, selector):
        raise NotImplementedError

    def test_play_and_stop(self):
        self.press("#play")
        self.wait_state("playing", "1")
        self.wait_until(lambda: self.page.text_content("#play-word") == "Stop")
        self.press("#play")
        self.wait_state("playing", "0")

    def test_faster_and_slower(self):
        self.press("#faster")
        self.wait_state("tempo", "121")
        self.press("#slower")
        self.wait_state("tempo", "120")

    def test_slots_change_their_level(self):
        self.show("rhythm")
        slot = '.slot[data-cell="1"]'
        for rhythm, level in [("Xoxx", "ghost"), ("X.xx", "rest"), ("XXxx", "strong"), ("XYxx", "medium"), ("", "weak")]:
            self.press(slot)
            self.wait_state("rhythm", rhythm)
            self.wait_until(lambda: self.page.get_attribute(slot, "data-level") == level)
            self.assertEqual(self.page.get_attribute(slot, "aria-label"), f"Beat 2: {level}")

    def test_signature_groups_subdivision_swing_voices(self):
        self.show("rhythm")
        for _ in range(3):
            self.press("#numerator-more")
            self.page.wait_for_timeout(50)
        self.wait_state("signature", "7/4")
        self.page.select_option("#denominator", "8")
        self.wait_state("signature", "7/8")
        self.press('#groups [data-value="2+2+3"]')
        self.wait_state("signature", "2+2+3/8")
        self.wait_state("levels", "swmwmww")
        self.press('#subdivisions [data-value="2"]')
        self.wait_state("rhythm", "sub=2")
        self.press('#swing-chips [data-value="66.7"]')
        self.wait_state("rhythm", "sub=2 swing=2:1")
        self.press('#voices [data-value="3:4"]')
        self.wait_state("rhythm", "sub=2 swing=2:1 & 3:4")
        for selector in ['#voices [data-value=""]', '#swing-chips [data-value="50"]', '#subdivisions [data-value="1"]']:
            self.press(selector)
            self.page.wait_for_timeout(100)
        self.wait_state("rhythm", "")
        self.press("#numerator-less")
        self.wait_state("signature", "6/8")
        self.page.click(".toast button:text-is('Count dotted notes')")
        self.wait_state("beat", "3/8")
        self.wait_until(lambda: self.page.locator(".toast").count() == 0)
        self.command("beat 1/4")
        self.wait_state("beat", "1/4")

    def test_silent(self):
        self.show("box")
        before = self.state("silent")
        self.press("#silent")
        self.wait_state("silent", "1" if before == "0" else "0")
        self.press("#silent")
        self.wait_state("silent", before)

    def test_practice(self):
        # An earlier test may have left other values. A switch sends what the page has read from the state, and the state may arrive after
        # the answer to a command.
        for part, value, off in [
                ("ramp", "80+5/4bar..120!stop", "none"), ("gap", "2/2", "none"), ("drop", "20", "none"), ("timer", "10m", "never")]:
            self.command(f"{part} {value}")
            self.wait_state("trainer-on", part)
            self.command(f"{part} {off}")
            self.wait_state("trainer-on", "")
        self.wait_until(lambda: self.page.input_value("#timer-minutes") == "10")
        self.show("practice")
        for selector, text in [
                ("#ramp", "ramp 80+5/4bar..120!stop"), ("#gap", "gap 2/2"), ("#drop", "drop 20 %"), ("#timer", "timer 10m")]:
            self.press(selector)
            self.wait_until(lambda: text in self.state("trainer"))
            self.wait_until(lambda: self.page.get_attribute(selector, "aria-checked") == "true")
        # A part that is on takes over new values, those of several presses together.
        for selectors, key, value in [
                (["#gap-silent-more", "#gap-silent-more", "#gap-sounding-less"], "gap", "1/4"), (["#drop-share-more"], "drop", "25"),
                (["#timer-minutes-less"], "timer", "9m"), (["#ramp-by-less"], "ramp", "80+4/4bar..120!stop")]:
            for selector in selectors:
                self.press(selector)
            self.wait_state(key, value)
        self.page.select_option("#ramp-unit", "beat")
        self.page.select_option("#ramp-end", "stay")
        self.wait_state("ramp", "80+4/4beat..120")
        for selector in ["#ramp", "#gap", "#drop", "#timer"]:
            self.press(selector)
            self.wait_until(lambda: self.page.get_attribute(selector, "aria-checked") == "false")
        self.wait_state("trainer", "")
        self.wait_until(lambda: self.page.inner_text("#trainer") == "Nothing is on.")

    def test_a_ramp_has_a_tempo_of_its_own(self):
        self.command("ramp 80+5/4bar..120")
        self.wait_state("loaded", "1")
        self.wait_until(lambda: self.page.is_disabled("#tempo-slider"))
        self.assertIsNotNone(self.page.get_attribute("#tempo", "readonly"))
        self.press("#faster")
        self.wait_state("speed", "101")
        self.assertEqual(self.page.get_attribute("#faster", "aria-label"), "Faster by 1 %")
        self.press("#slower")
        self.wait_state("speed", "100")
        self.command("ramp none")
        self.wait_state("loaded", "0")
        self.wait_until(lambda: self.page.is_enabled("#tempo-slider"))
        self.assertIsNone(self.page.get_attribute("#tempo", "readonly"))

    def test_presets(self):
        # Another one, in case that the box has none.
        self.page.evaluate("metronome.connection.request('preset', {action: 'save', name: 'Another'})")
        self.command("tempo 87.5")
        self.show("presets")
        self.page.fill("#preset-name", 'The "A" <b>song</b>')
        self.press("#preset-form button")
        row = '#preset-list li:has(strong:text-is(\'The "A" <b>song</b>\'))'
        self.page.wait_for_selector(row)
        self.assertEqual(self.page.locator("#preset-list b").count(), 0, "names are text")
        self.command("tempo 120")
        self.wait_state("tempo", "120")
        self.press(f"{row} .recall")
        self.wait_state("tempo", "87.5")
        self.press(f"{row} .more")
        self.page.fill(f"{row} .editor input", "Song A")
        self.press(f"{row} .editor .entry button")
        row = "#preset-list li:has(strong:text-is('Song A'))"
        self.page.wait_for_selector(row)
        self.press(f"{row} .more")
        names = lambda: self.page.eval_on_selector_all("#preset-list .recall strong", "all => all.map(e => e.textContent)")
        place = names().index("Song A")
        self.press(f"{row} button:text-is('Move up')")
        self.wait_until(lambda: names().index("Song A") == place - 1)
        self.press(f"{row} button:text-is('Move down')")
        self.wait_until(lambda: names().index("Song A") == place)
        self.press(f"{row} button:text-is('Delete')")
        self.press("#confirm button[value=no]")
        self.page.wait_for_timeout(200)
        self.assertIn("Song A", names())
        self.press(f"{row} button:text-is('Delete')")
        self.press("#confirm-yes")
        self.wait_until(lambda: "Song A" not in names())
        self.page.evaluate("metronome.connection.request('preset', {action: 'delete', name: 'Another'})")

    def test_songs(self):
        self.show("songs")
        if not harness.can_be_disturbed():
            self.skipTest("the stored scores are the box's own")
        self.page.wait_for_selector("#score-list li button")
        self.press("#score-list li:first-child button")
        self.wait_state("score", "setlist")
        self.page.wait_for_selector("#section-list li >> nth=3")
        self.press("#section-next")
        self.wait_state("section", "theme")
        self.wait_until(lambda: self.page.get_attribute("#section-list li:nth-child(2)", "aria-current") == "step")
        self.press("#section-previous")
        self.wait_state("section", "vamp")
        self.press("#section-again")
        self.press("#song-next")
        self.wait_state("song", "Waltz")
        self.wait_until(lambda: self.page.locator("#section-list li").count() == 2)
        self.press("#song-previous")
        self.wait_state("song", "Take Five")
        self.press("#speed-more")
        self.wait_state("speed", "101")
        self.press("#speed-less")
        self.wait_state("speed", "100")
        self.press("#speed-more")
        self.press("#speed-reset")
        self.wait_state("speed", "100")
        self.command("start")
        self.wait_until(lambda: self.page.inner_text("#song-bar") == "bar 1 of 8")
        self.command("stop")
        self.assertTrue(self.page.evaluate("document.getElementById('tempo-slider').disabled"))
        self.wait_state("playing", "0")
        self.press("#score-list li:first-child button")
        self.wait_state("score", "")

    def test_appearance_and_help(self):
        self.show("box")
        self.press('#themes [data-theme-name="light"]')
        self.assertEqual(self.page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light")
        self.press('#themes [data-theme-name="auto"]')
        self.press("#help-open")
        self.assertTrue(self.page.is_visible("#help"))
        self.press("#help form button")
        self.assertFalse(self.page.is_visible("#help"))

    def test_tabs(self):
        for view in [*harness.VIEWS[1:], "play"]:
            self.press(f"#tab-{view}")
            self.assertEqual(self.page.get_attribute("body", "data-view"), view)
            self.assertEqual(self.page.get_attribute(f"#tab-{view}", "aria-selected"), "true")
