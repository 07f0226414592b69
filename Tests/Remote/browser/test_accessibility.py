"""axe-core on every view, the names that screen readers read, and reduced motion."""

from pathlib import Path

import axe_playwright_python

import harness
from harness import PageTest

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


class Accessibility(PageTest):
    def setUp(self):
        super().setUp()
        self.reset()

    def check(self, page, what):
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
        faults = [
            f"{each['impact']}: {each['id']}: {node['target']} {node.get('failureSummary', '')[:200]}" for each in found["violations"] for node in each["nodes"]]
        self.assertEqual(faults, [], what)

    def test_axe_finds_nothing(self):
        # The colors do not depend on the size.
        for scheme, size in [("dark", (360, 780)), ("dark", (1280, 800)), ("light", (360, 780))]:
            page = self.open(harness.url, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
            for view in harness.VIEWS:
                page.click(f"#tab-{view}")
                # A pressed button changes its color for 120 ms.
                page.wait_for_timeout(250)
                self.check(page, f"{view}, {scheme}, {size}")
            page.click("#help-open")
            self.check(page, f"help, {scheme}, {size}")
            page.context.close()

    def test_axe_finds_nothing_in_a_song_and_when_disconnected(self):
        if not harness.can_be_disturbed():
            self.skipTest("the scores of a server that this run has not started are unknown")
        self.show("songs")
        self.page.click("#score-list li:first-child button")
        self.page.wait_for_selector("#section-list li >> nth=3")
        self.check(self.page, "song")
        self.reset()
        self.page.evaluate("metronome.connection.request('preset', {action: 'save', name: 'Another'})")
        self.show("presets")
        self.page.click(".more >> nth=0")
        self.check(self.page, "editor of a preset")
        harness.disturb("down?5")
        self.wait_until(lambda: self.page.inner_text("#lost") != "")
        self.check(self.page, "disconnected")
        self.assertEqual(self.page.get_attribute("body", "data-live"), "0", "the check was made while the connection was lost")
        self.wait_for("document.body.dataset.live === '1'")

    def test_focus_is_visible_and_goes_everywhere(self):
        for view in harness.VIEWS:
            self.show(view)
            self.page.evaluate("document.activeElement?.blur()")
            reached = set()
            for _ in range(80):
                self.page.keyboard.press("Tab")
                found = self.page.evaluate("""() => { const e = document.activeElement; if (!e || e === document.body) return null;
                  const s = getComputedStyle(e); return [e.id || e.getAttribute('aria-label') || e.textContent, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]; }""")
                if found is None:
                    break
                self.assertTrue(found[1], f"{found[0]} shows its focus")
                reached.add(found[0])
            self.assertTrue({"play", "tap", "tempo", f"tab-{view}"} <= reached, reached)

    def test_reduced_motion(self):
        page = self.open(harness.url, reduced_motion="reduce")
        self.command("tempo 100")
        self.play()
        page.wait_for_timeout(500)
        angles = page.evaluate("""async () => { const found = new Set(); let wash = 0; for (let i = 0; i < 100; i++) { await new Promise(requestAnimationFrame);
          found.add(document.getElementById('pendulum').style.transform); wash = Math.max(wash, Number(document.getElementById('wash').style.opacity)); }
          return [[...found].sort(), wash]; }""")
        self.assertEqual(angles, [["rotate(-52deg)", "rotate(52deg)"], 0])

    def test_text_of_the_box_is_never_markup(self):
        self.assertEqual(self.page.evaluate("""async () => {
          const sources = await Promise.all(['box', 'dom', 'locks', 'main', 'practice', 'presets', 'rhythm-view', 'songs', 'stage', 'transport'].map(n => fetch(n + '.js').then(a => a.text())));
          return sources.join('').match(/innerHTML|outerHTML|insertAdjacentHTML|document\\.write/g); }"""), None)

    def test_a_refusal_is_read_aloud(self):
        for scheme in ["dark", "light"]:
            page = self.open(harness.url, color_scheme=scheme)
            why = page.evaluate("metronome.command('signature 4/5').then(answer => answer.why)")
            self.assertIn("7/8", why)
            shown = page.get_by_role("status").get_by_text(why[0].upper() + why[1:], exact=True)
            self.wait_until(shown.is_visible)
            # By the page's own clock: the machine may be busy.
            self.assertTrue(page.evaluate("""async why => { await new Promise(resolve => setTimeout(resolve, 3000));
              return document.getElementById('toasts').textContent.includes(why.slice(1)); }""", why), "there is time to read it")
            page.evaluate("metronome.command('signature 4/5').then(answer => answer.why)")
            self.check(page, f"a refusal, {scheme}")
            page.context.close()

    def test_nothing_is_cut_off_from_320_to_1920_pixels(self):
        self.command("tempo 132.5")
        for width, height in [(320, 568), (360, 780), (568, 320), (780, 360), (899, 600), (900, 600), (1280, 800), (1920, 1080)]:
            self.page.set_viewport_size({"width": width, "height": height})
            for view in harness.VIEWS:
                self.show(view)
                cut = self.page.evaluate("""() => {
                  const found = [...document.querySelectorAll('button, input, select, h2, p, label, output, strong, dd')].filter(e => e.checkVisibility());
                  const wide = found.filter(e => !e.closest('.quiet') && getComputedStyle(e).clipPath === 'none')
                    .filter(e => { const r = e.getBoundingClientRect(); return r.left < -0.5 || r.right > innerWidth + 0.5; });
                  const inner = found.filter(e => e.matches('button, .switch, select, .field input') && e.scrollWidth > e.clientWidth + 1);
                  return [...wide, ...inner].map(e => e.id || e.textContent.trim() || e.className);
                }""")
                self.assertEqual(cut, [], f"{view} at {width}x{height}")
                self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width, f"{view} at {width}x{height}")
                # The button has its sign or its word.
                self.assertTrue(self.page.evaluate("""() => document.querySelector('#play .go').checkVisibility()
                  || document.getElementById('play-word').getBoundingClientRect().width > 10"""), f"{view} at {width}x{height}")
