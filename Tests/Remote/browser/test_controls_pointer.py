"""Every control by mouse and by touch."""

import harness
from controls import Controls
from harness import PageTest, share


class Mouse(Controls, PageTest):
    options = {"viewport": {"width": 1280, "height": 800}}

    def press(self, selector):
        self.page.click(selector)

    def test_slider(self):
        box = self.page.locator("#tempo-slider").bounding_box()
        self.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        for part in [0.4, 0.5, 0.6]:
            self.page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
        self.page.mouse.up()
        shown = self.page.input_value("#tempo")
        self.assertNotEqual(shown, "120")
        self.wait_state("tempo", shown)

    def test_volume(self):
        self.show("box")
        box = self.page.locator("#volume").bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.wait_until(lambda: -20 < float(self.state("volume")) < -16)
        self.command("volume 0")

    def test_set_of_clicks(self):
        self.show("box")
        self.page.select_option("#set", "wood")
        self.wait_state("set", "wood")
        self.command("set click")
        self.wait_until(lambda: self.page.input_value("#set") == "click")

    def test_held_faster_repeats(self):
        self.page.hover("#faster")
        self.page.mouse.down()
        self.page.wait_for_timeout(1200)
        self.page.mouse.up()
        self.page.wait_for_timeout(400)
        tempo = self.state("tempo")
        self.assertGreater(float(tempo), 122)
        self.page.wait_for_timeout(400)
        self.assertEqual(self.state("tempo"), tempo)

    def test_held_faster_ends_with_a_page_that_is_stopped(self):
        """As on a phone that falls asleep while the button is held."""
        self.page.hover("#faster")
        self.page.mouse.down()
        self.wait_state("tempo", "121")
        self.page.evaluate("const end = Date.now() + 1500; while (Date.now() < end);")
        self.page.wait_for_timeout(1000)
        self.page.mouse.up()
        self.assertEqual(self.state("tempo"), "121")

    def test_a_press_changes_the_tempo_within_100_ms(self):
        self.page.evaluate("""() => { const observe = metronome.connection.onMessage; window.pressed = []; window.changed = {};
          metronome.connection.onMessage = (word, fields) => { if (word === 'state') window.changed[fields.tempo] ??= performance.now(); observe(word, fields); };
          document.getElementById('faster').addEventListener('pointerdown', event => window.pressed.push(event.timeStamp)); }""")
        for tempo in range(121, 132):
            self.page.click("#faster")
            self.wait_state("tempo", str(tempo))
        delays = self.page.evaluate("pressed.map((instant, index) => changed[121 + index] - instant)")
        print(f"the tempo changes after {share(delays, 0.5):.0f} ms", end=" ", flush=True)
        self.assertLess(share(delays, 0.5), 100)

    def test_an_old_state_does_not_undo_a_touch(self):
        """A state that the box sent before it read the command arrives between two touches."""
        self.show("rhythm")
        self.page.evaluate("""() => { const old = { ...metronome.state };
          document.querySelector('#subdivisions [data-value="2"]').click();
          metronome.connection.onMessage('state', old);
          document.querySelector('#voices [data-value="3:4"]').click(); }""")
        self.wait_state("rhythm", "sub=2 & 3:4")
        self.page.wait_for_timeout(400)
        self.assertEqual(self.state("rhythm"), "sub=2 & 3:4")


class Touch(Controls, PageTest):
    options = {"has_touch": True, "is_mobile": True}

    def press(self, selector):
        self.page.tap(selector)

    def test_taps_set_the_tempo(self):
        self.page.evaluate("""() => { window.taps = [];
          document.getElementById('tap').addEventListener('pointerdown', event => taps.push(event.timeStamp)); }""")
        for index in range(5):
            if index:
                self.page.wait_for_timeout(480)
            self.page.tap("#tap")
        taps = self.page.evaluate("taps")
        gaps = [after - before for before, after in zip(taps, taps[1:])]
        self.wait_until(lambda: 60e3 / max(gaps) - 1 < float(self.state("tempo")) < 60e3 / min(gaps) + 1 and self.state("tempo") != "120")

    def test_targets_are_large_enough(self):
        for width in [320, 360]:
            self.page.set_viewport_size({"width": width, "height": 780})
            for view in harness.VIEWS:
                self.show(view)
                if view == "presets" and harness.is_mock:
                    self.page.locator(".more").first.tap()
                small = self.page.evaluate("""() => [...document.querySelectorAll('button, input:not([type=checkbox]), select, label.check')].filter(e => e.checkVisibility()).map(e => [e.id || e.textContent, e.getBoundingClientRect()])
                  .filter(([, r]) => r.width < 43.5 || r.height < 43.5).map(([n, r]) => `${n} ${r.width}x${r.height}`)""")
                self.assertEqual(small, [], view)
                self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width, view)
                wide = self.page.evaluate("""() => [...document.querySelectorAll('#panel *, #transport *, #status *')].filter(e => e.checkVisibility()).filter(e => e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.id || e.className || e.tagName)""")
                self.assertEqual(wide, [], f"{view} at {width}")

    def test_no_text_is_smaller_than_12_pixels(self):
        for view in harness.VIEWS:
            self.show(view)
            small = self.page.evaluate("""() => [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
              .filter(e => parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.textContent)""")
            self.assertEqual(small, [], view)
