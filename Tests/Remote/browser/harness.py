"""The browser, the server, and what the tests do with the page."""

import contextlib
import json
import re
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

MOCK = Path(__file__).resolve().parents[1] / "mock.py"
PHONE = {"width": 360, "height": 780}
VIEWS = ["play", "rhythm", "presets", "songs", "practice", "box"]

url, is_mock, browser, screenshots = "", False, None, None


@contextlib.contextmanager
def running(options):
    global url, is_mock, browser, screenshots
    server = None
    is_mock, screenshots = options.mock, options.screenshots
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
    try:
        if is_mock:
            server = subprocess.Popen(
                [sys.executable, MOCK, "--port", "0", "--trusted"], stdout=subprocess.PIPE, text=True)
            url = server.stdout.readline().strip()
        else:
            url = options.url.rstrip("/") + "/"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
            yield
            browser.close()
    finally:
        if server:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def other_mock(*arguments):
    """A second mock, for tests that need one of their own."""
    server = subprocess.Popen([sys.executable, MOCK, "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def disturb(what, at=None):
    urllib.request.urlopen(urllib.request.Request((at or url) + "mock/" + what, method="POST"), timeout=10).read()


def commands(at=None):
    """The commands that reached the mock."""
    return json.load(urllib.request.urlopen((at or url) + "mock/commands", timeout=10))


class PageTest(unittest.TestCase):
    """A test with a page of its own. Any error in the page's console fails it, except those of lost connections."""

    options = {}

    def setUp(self):
        self.errors = []
        self.page = self.open(url)

    def open(self, address, **options):
        context = browser.new_context(**{"viewport": PHONE, **self.options, **options})
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address)
        self.wait_for("document.body.dataset.live === '1' && metronome.state.tempo && metronome.clock.count >= 30", page=page)
        return page

    def tearDown(self):
        expected = re.compile(r"ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE|403 \(Forbidden\)|ERR_INTERNET_DISCONNECTED|Failed to load resource")
        self.assertEqual([error for error in self.errors if not expected.search(error)], [])

    def state(self, key):
        return self.page.evaluate("key => metronome.state[key]", key)

    def wait_state(self, key, value, timeout=3.0):
        end = time.monotonic() + timeout
        while self.state(key) != value:
            if time.monotonic() > end:
                self.fail(f"{key} is {self.state(key)!r}, not {value!r}")
            self.page.wait_for_timeout(10)

    def command(self, words):
        answer = self.page.evaluate("words => metronome.command(words)", words)
        self.assertTrue(answer["ok"], answer)

    def reset(self):
        """The box as most tests begin: stopped, without a score, 120 BPM, 4/4."""
        self.command("stop")
        self.wait_state("playing", "0")
        if self.state("score"):
            self.page.evaluate("metronome.connection.request('score', {action: 'unload'})")
            self.wait_state("score", "")
        for words, key, value in [("signature 4/4", "signature", "4/4"), ("rhythm", "rhythm", ""), ("tempo 120", "tempo", "120")]:
            self.command(words)
            self.wait_state(key, value)

    def play(self):
        self.command("start")
        self.wait_state("playing", "1")

    def show(self, view):
        self.page.click(f"#tab-{view}")

    def wait_for(self, expression, timeout=8.0, page=None):
        """Waits for an expression of the page. Playwright's own way needs `eval`, which the page's policy forbids."""
        page = page or self.page
        end = time.monotonic() + timeout
        while not page.evaluate(expression):
            if time.monotonic() > end:
                self.fail(f"waited in vain for {expression}")
            page.wait_for_timeout(10)

    def wait_until(self, test, timeout=5.0):
        end = time.monotonic() + timeout
        while not test():
            if time.monotonic() > end:
                self.fail("waited in vain")
            self.page.wait_for_timeout(10)
