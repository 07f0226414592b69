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
        for scheme in ["dark", "light"]:
            for size in [(360, 780), (780, 360), (1280, 800)]:
                page = self.open(harness.url, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
                for view in harness.VIEWS:
                    page.click(f"#tab-{view}")
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
        if not harness.is_mock:
            self.skipTest("needs the mock")
        harness.disturb("set?follows=link")
        self.addCleanup(harness.disturb, "set?follows=none")
        self.assertEqual(self.page.evaluate("""async () => {
          const sources = await Promise.all(['box', 'dom', 'main', 'practice', 'presets', 'rhythm-view', 'songs', 'stage', 'transport'].map(n => fetch(n + '.js').then(a => a.text())));
          return sources.join('').match(/innerHTML|outerHTML|insertAdjacentHTML|document\\.write/g); }"""), None)
        self.wait_until(lambda: self.page.is_visible("#badge-source"))
