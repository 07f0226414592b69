"""The browser, the server, and what the tests do with the page."""

import contextlib
import ctypes
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
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import programs

MOCK = Path(__file__).resolve().parents[1] / "mock.py"
PHONE = {"width": 360, "height": 780}
CHROMIUM = "/usr/bin/chromium"
VIEWS = ["play", "rhythm", "presets", "songs", "practice", "box"]

url, is_mock, engine, browser, screenshots = "", False, None, None, None
# The token of the paired phone, with --programs.
token = None
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


class Network(contextlib.ExitStack):
    """The namespaces of the box and of the phone, and a cable between them. This process, and what it starts, moves to the phone's."""

    BOX, PHONE = "10.77.0.1", "10.77.0.2"
    CLONE_NEWNET = 0x40000000

    def __init__(self):
        super().__init__()
        self.names = [f"metronome-page-{os.getpid()}-{name}" for name in ["box", "phone"]]
        self.within_box = ["nsenter", f"--net=/run/netns/{self.names[0]}"]
        self.own = self.enter_context(open("/proc/self/ns/net"))
        try:
            self.lay()
        except (OSError, subprocess.CalledProcessError) as why:
            self.close()
            sys.exit(f"No network namespaces can be created ({why}). Run this as root, in a container with CAP_SYS_ADMIN and CAP_NET_ADMIN.")

    def lay(self):
        for name in self.names:
            self.ip("netns", "add", name)
            self.callback(self.ip, "netns", "del", name)
            self.ip("-n", name, "link", "set", "lo", "up")
        box, phone = self.names
        self.ip("link", "add", "cable", "netns", box, "type", "veth", "peer", "name", "cable", "netns", phone)
        for name, address in [(box, self.BOX), (phone, self.PHONE)]:
            self.ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
            # An IPv6 address would appear while the first page loads. Chromium then gives up requests: ERR_NETWORK_CHANGED.
            self.ip("-n", name, "link", "set", "cable", "addrgenmode", "none")
            self.ip("-n", name, "link", "set", "cable", "up")
        self.callback(self.enter, self.own)
        with open(f"/run/netns/{phone}") as namespace:
            self.enter(namespace)

    def enter(self, namespace):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(namespace.fileno(), self.CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def set_cable(self, state):
        """Plugs the cable in at the box, or pulls it out: `up` or `down`."""
        self.ip("-n", self.names[0], "link", "set", "cable", state)

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True)


class Real:
    """A simulated box and servers of its page, which can be disturbed like the mock."""

    def __init__(self):
        self.network = Network()
        self.folder = tempfile.TemporaryDirectory()
        self.box_folder = self.make("box")
        score = Path(self.folder.name, "setlist.txt")
        score.write_text(SCORE)
        subprocess.run(
            [programs.folder / "metronome", "score", "--state", self.box_folder, "add", score], check=True, capture_output=True)
        self.servers = {}
        self.start_box()

    def make(self, name):
        path = f"{self.folder.name}/{name}"
        os.mkdir(path)
        return path

    def start_box(self):
        self.box = programs.Box(self.box_folder, self.network.within_box)

    def serve(self, port=0):
        """The address of another server, which knows no phone."""
        server = programs.Server(
            self.box_folder, tempfile.mkdtemp(dir=self.folder.name), Network.BOX, port, self.network.within_box)
        address = f"http://{server.host}/"
        self.servers[address] = server
        return address

    @contextlib.contextmanager
    def browser_within_the_box(self):
        """A browser that runs on the box itself, so that it has another address."""
        launcher = Path(self.folder.name, "chromium-at-the-box")
        launcher.write_text(f'#!/bin/sh\nexec {" ".join(self.network.within_box)} {CHROMIUM} "$@"\n')
        launcher.chmod(0o755)
        with contextlib.closing(engine.launch(executable_path=launcher, args=["--no-sandbox"])) as own:
            yield own

    @contextlib.contextmanager
    def browser_at_the_box(self):
        """A browser that runs on the box itself, and the address of a server that trusts it."""
        server = programs.Server(
            self.box_folder, self.make("phones-trusted"), within=self.network.within_box, trusts_local=True)
        try:
            with self.browser_within_the_box() as own:
                yield own, f"http://{server.host}/"
        finally:
            server.close()

    def pair(self, address):
        """The token of a newly paired phone."""
        request = urllib.request.Request(f"{address}pair?name=Test", method="POST", headers={"Origin": address.rstrip("/")})
        with urllib.request.urlopen(request, timeout=10) as answer:
            found = re.match("token=([0-9a-f]+);", answer.headers["Set-Cookie"])[1]
            self.box.confirm(int(answer.read()))
        return found

    def start_again(self, address):
        old = self.servers[address]
        self.servers[address] = programs.Server(old.control, old.state, old.address, old.port, old.within)

    def disturb(self, what, address):
        what, _, value = what.partition("?")
        server = self.servers[address]
        later = lambda seconds, action, *arguments: threading.Timer(seconds, action, arguments).start()
        if what == "confirm":
            self.box.confirm(int(value))
        elif what == "forget":
            self.box.do("forget_phones")
        elif what == "restart":
            self.box.close()
            later(1, self.start_box)
        elif what == "stall":
            server.process.send_signal(signal.SIGSTOP)
            later(float(value), server.process.send_signal, signal.SIGCONT)
        elif (what, value) == ("set", "follows=link"):
            # As metronome-link sends it. The box leaves the session two seconds after the last one.
            self.box.socket.send(f"source epoch=1 quarter=0 at={time.monotonic_ns()} us-per-quarter=500000 playing=0 transport=0 peers=1".encode())
        elif what in ("close", "down"):
            server.close()
            later(float(value or 0), self.start_again, address)
        else:
            raise ValueError(what)

    def close(self):
        for server in self.servers.values():
            server.close()
        self.box.close()
        self.folder.cleanup()
        self.network.close()


@contextlib.contextmanager
def running(options):
    global url, is_mock, token, engine, browser, screenshots, tries, real
    server = None
    is_mock, screenshots, tries = options.mock, options.screenshots, options.tries
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
            url = real.serve(port=80)
            token = real.pair(url)
        else:
            url = options.url.rstrip("/") + "/"
        with sync_playwright() as playwright:
            engine = playwright.chromium
            browser = engine.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
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
    """The address of a second server, which knows no phone."""
    if real:
        address = real.serve()
        try:
            yield address
        finally:
            # Two servers would show their numbers at the same box.
            real.servers.pop(address).close()
        return
    server = subprocess.Popen([sys.executable, MOCK, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def pair_again():
    """Pairs the phone of the tests, after the box has forgotten all."""
    global token
    if real:
        token = real.pair(url)


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


def make_paired(context):
    """Gives the pages of a context the token of the paired phone."""
    if token:
        context.add_cookies([{"name": "token", "value": token, "url": url}])


def share(values, part):
    """The value below which this part of the values lies. The machine may be busy, so that the slowest value says little."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class PageTest(unittest.TestCase):
    """A test with a page of its own. Any error in the page's console fails it, except those of lost connections and of plain HTTP."""

    options = {}

    def setUp(self):
        self.errors = []
        self.page = self.open(url)

    def open(self, address, within=None, **options):
        """A new page, of the usual browser or of another one."""
        context = (within or browser).new_context(**{"viewport": PHONE, **self.options, **options})
        self.addCleanup(context.close)
        if address == url:
            make_paired(context)
        page = context.new_page()
        page.set_default_timeout(20000)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address)
        self.wait_for("document.body.dataset.live === '1' && metronome.state.tempo && metronome.clock.isKnown", timeout=20, page=page)
        return page

    def tearDown(self):
        expected = re.compile(r"ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE|403 \(Forbidden\)|ERR_INTERNET_DISCONNECTED|Failed to load resource"
            r"|Cross-Origin-Opener-Policy header has been ignored")
        self.assertEqual([error for error in self.errors if not expected.search(error)], [])

    def state(self, key):
        return self.page.evaluate("key => metronome.state[key]", key)

    def wait_state(self, key, value, timeout=8.0):
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
        for part in filter(None, (self.state("trainer-on") or "").split(",")):
            self.command(f"{part} {'never' if part == 'timer' else 'none'}")
            self.wait_until(lambda: part not in self.state("trainer-on"))
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

    def wait_until(self, test, timeout=8.0):
        end = time.monotonic() + timeout
        while not test():
            if time.monotonic() > end:
                self.fail("waited in vain")
            self.page.wait_for_timeout(10)
