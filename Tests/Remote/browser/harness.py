"""The browser, the server, and what the tests do with the page."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import programs

MOCK = Path(__file__).resolve().parents[1] / "mock.py"
PHONE = {"width": 360, "height": 780}
VIEWS = ["play", "rhythm", "presets", "songs", "practice", "box"]

url, is_mock, browser, screenshots = "", False, None, None
# The programs that this run has started, if it has.
real = None


# The songs of the mock, for the real box.
SCORE = """\
song "Take Five"
vamp: 8 3+2/4 172
theme: 8 3+2/4 172
bridge: 8 3+2/4 172
end: 4 3+2/4 172-120
song "Waltz"
slow: 16 3/4 90
fast: 16 3/4 90-180
"""


class Real:
    """A simulated box and servers of its page, which can be disturbed like the mock."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.box_folder = self.make("box")
        score = Path(self.folder.name, "setlist.txt")
        score.write_text(SCORE)
        subprocess.run(
            [programs.folder / "metronome", "score", "--state", self.box_folder, "add", score], check=True, capture_output=True)
        self.box, self.servers = programs.Box(self.box_folder), {}

    def make(self, name):
        path = f"{self.folder.name}/{name}"
        os.mkdir(path)
        return path

    def serve(self, trusted):
        server = programs.Server(self.box_folder, self.make(f"phones-{len(self.servers)}"), trusted=trusted)
        address = f"http://{server.host}/"
        self.servers[address] = server
        return address

    def start_again(self, address):
        old = self.servers[address]
        self.servers[address] = programs.Server(old.control, old.state, old.port, old.trusted)

    def disturb(self, what, address):
        what, _, value = what.partition("?")
        server = self.servers[address]
        later = lambda seconds, action, *arguments: threading.Timer(seconds, action, arguments).start()
        if what == "window":
            self.box.do("pair")
        elif what == "restart":
            self.box.close()
            later(1, self.return_box)
        elif what == "stall":
            server.process.send_signal(signal.SIGSTOP)
            later(float(value), server.process.send_signal, signal.SIGCONT)
        elif what in ("close", "down"):
            server.close()
            later(float(value or 0), self.start_again, address)
        else:
            raise ValueError(what)

    def return_box(self):
        self.box = programs.Box(self.box_folder)

    def close(self):
        for server in self.servers.values():
            server.close()
        self.box.close()
        self.folder.cleanup()


@contextlib.contextmanager
def running(options):
    global url, is_mock, browser, screenshots, real
    server = None
    is_mock, screenshots = options.mock, options.screenshots
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
    try:
        if is_mock:
            server = subprocess.Popen(
                [sys.executable, MOCK, "--port", "0", "--trusted"], stdout=subprocess.PIPE, text=True)
            url = server.stdout.readline().strip()
        elif options.programs:
            programs.folder = options.programs.resolve()
            real = Real()
            url = real.serve(trusted=True)
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
        if real:
            real.close()


def can_be_disturbed():
    return is_mock or real is not None


@contextlib.contextmanager
def untrusting_server():
    """The address of a second server, for which phones must be paired."""
    if real:
        yield real.serve(trusted=False)
        return
    server = subprocess.Popen([sys.executable, MOCK, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def disturb(what, at=None):
    if real:
        real.disturb(what, at or url)
        return
    urllib.request.urlopen(urllib.request.Request((at or url) + "mock/" + what, method="POST"), timeout=10).read()


def commands(at=None):
    """The commands that reached the mock. Those that reached a real box show in its state."""
    if real:
        return []
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
