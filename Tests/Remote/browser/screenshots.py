"""Pictures of every view, for people to look at and for the documentation."""

import harness
from harness import PageTest

SIZES = [(360, 780), (780, 360), (1280, 800)]


class Screenshots(PageTest):
    def test_every_view(self):
        self.reset()
        for words in ["signature 2+2+3/8", "rhythm sub=2", "tempo 132.5"]:
            self.command(words)
        for scheme in ["dark", "light"]:
            for size in SIZES:
                page = self.open(harness.url, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
                self.play()
                for view in harness.VIEWS:
                    if view == "songs" and harness.is_mock:
                        self.load_song(page)
                    page.click(f"#tab-{view}")
                    if view == "practice":
                        self.command("gap 2/2")
                    page.wait_for_timeout(300)
                    self.wait_for_flash(page)
                    page.screenshot(path=harness.screenshots / f"{view}-{size[0]}x{size[1]}-{scheme}.png")
                    if view == "songs" and harness.is_mock:
                        self.unload_song(page)
                    if view == "practice":
                        self.command("gap none")
                page.context.close()

    def wait_for_flash(self, page):
        """The next picture is taken while an accented beat is lit."""
        for _ in range(2000):
            if page.evaluate("['strong', 'medium'].includes(document.getElementById('stage').dataset.level) && Number(document.getElementById('lit').style.opacity) > 0.9"):
                return
            page.wait_for_timeout(5)

    def load_song(self, page):
        self.command("stop")
        page.click("#tab-songs")
        page.click("#score-list li:first-child button")
        self.wait_state("score", "setlist")
        self.command("start")
        page.wait_for_timeout(3200)

    def unload_song(self, page):
        self.reset()
        for words in ["signature 2+2+3/8", "rhythm sub=2", "tempo 132.5", "start"]:
            self.command(words)
