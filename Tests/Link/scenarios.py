"""The scenarios of Tests/Link/run: scenarios.py PROGRAM [SCENARIO…]"""

import contextlib
import ctypes
import json
import os
import pty
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from box import Box

HERE = Path(__file__).resolve().parent
PROGRAM = sys.argv[1]


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Bench(contextlib.ExitStack):
    """Network namespaces, a box, the program under test, and peers. All of them end with the bench."""

    def __init__(self):
        super().__init__()
        self.names = {}
        self.folder = self.enter_context(tempfile.TemporaryDirectory())
        self.box = Box(f"{self.folder}/control")
        self.log = open(f"{self.folder}/log", "w+")
        self.callback(lambda: self.box.listener and self.box.close())

    def space(self, name):
        if name not in self.names:
            self.names[name] = f"metronome-link-{os.getpid()}-{name}"
            ip("netns", "add", self.names[name])
            self.callback(ip, "netns", "del", self.names[name])
            ip("-n", self.names[name], "link", "set", "lo", "up")
        return self.names[name]

    def cable(self, one, other):
        """A cable between two namespaces: the name of its end in the first."""
        ip("link", "add", "cable", "netns", self.space(one), "type", "veth", "peer", "name", "cable", "netns", self.space(other))
        for number, name in enumerate((one, other), 1):
            ip("-n", self.space(name), "address", "add", f"10.83.0.{number}/24", "dev", "cable")
            ip("-n", self.space(name), "link", "set", "cable", "up")

    def start(self, space, command, **options):
        process = subprocess.Popen(["nsenter", f"--net=/run/netns/{self.space(space)}", *command], **options)
        self.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def companion(self, *words, space="a", **options):
        return self.start(space, [PROGRAM, "--socket", self.box.path, *words], stderr=self.log, **options)

    def peer(self, bpm, *words, space="a"):
        return Peer(self.start(space, [sys.executable, "-B", str(HERE / "peer.py"), str(bpm), *words],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def said(self):
        with open(self.log.name) as file:
            return file.read()

    def wait(self, what, condition, seconds):
        """The seconds until the condition holds; fails after `seconds`."""
        began = time.monotonic()
        while not condition():
            assert time.monotonic() < began + seconds, f"not within {seconds} s: {what}"
            time.sleep(0.005)
        return time.monotonic() - began

    @property
    def source(self):
        return self.box.sources[-1] if self.box.sources else {}

    def joined(self, peers=1, seconds=3.0):
        return self.wait(f"{peers} peers", lambda: self.source.get("peers") == peers, seconds)

    def collect(self, seconds):
        first = len(self.box.sources)
        time.sleep(seconds)
        return self.box.sources[first:]


class Peer:
    def __init__(self, process):
        self.process = process
        self.ask("state")

    def begin(self, kind, **values):
        print(json.dumps({"do": kind, **values}), file=self.process.stdin, flush=True)

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, kind, **values):
        self.begin(kind, **values)
        return self.answer()

    def errors(self, sources, quantum):
        """Differences in microseconds between the positions of observations and this peer's phase at their instants."""
        phases = self.ask("phase", at=[each["at-raw"] // 1000 for each in sources], quantum=quantum)["phase"]
        found = []
        for each, phase in zip(sources, phases):
            apart = (each["quarter"] / 1e6 - phase + quantum / 2) % quantum - quantum / 2
            found.append(abs(apart) * each["us-per-quarter"])
        return found


def steps(sources):
    """Differences in microseconds between each observation and the one before, carried on at its rate."""
    return [abs((two["quarter"] - one["quarter"]) / 1e6 * one["us-per-quarter"] - (two["at-raw"] - one["at-raw"]) / 1e3)
            for one, two in zip(sources, sources[1:])]


def epochs(sources):
    return len({each["epoch"] for each in sources})


def joining(bench):
    """Joining changes no tempo; positions agree with the peer's at 20, 133.7 and 999 BPM, and in other bars."""
    said = []
    bench.box.set(tempo=97.0)
    peer = bench.peer(133.7)
    time.sleep(1)
    companion = bench.companion()
    took = bench.joined()
    assert abs(peer.ask("state")["tempo"] - 133.7) < 0.001, "joining changed the tempo of the session"
    for bpm in (133.7, 20.0, 999.0):
        peer.ask("tempo", bpm=bpm)
        bench.wait(f"{bpm} BPM", lambda: abs(60e6 / bench.source["us-per-quarter"] / bpm - 1) < 1e-5, 2)
        for signature in ((4, 4), (7, 8), (3, 4)):
            bench.box.set(signature=signature)
            time.sleep(0.6)
            found = bench.collect(3)
            errors = peer.errors(found, signature[0] * 4 / signature[1])
            assert len(found) >= 10 and max(errors) <= 150, f"{signature} at {bpm} BPM: {max(errors):.1f} µs off, {len(found)} messages"
            assert epochs(found) == 1, f"{signature} at {bpm} BPM: the epoch changed"
            assert all(20 <= 60e6 / each["us-per-quarter"] <= 999 for each in found), "a tempo that the box refuses"
            said.append(max(errors))
    late = [each["heard"] / 1e6 - each["at-raw"] / 1e6 for each in found]
    companion.send_signal(signal.SIGTERM)
    assert companion.wait(3) == 0 and bench.source["peers"] == 0, "no clean end"
    return f"joined after {took:.2f} s, positions within {max(said):.1f} µs, median age of a message {statistics.median(late):.2f} ms"


def tempo(bench):
    """A step of the peer's tempo is seen at once and is no jump; a wish of the box changes it for all, at its instant."""
    bench.companion()
    bench.wait("a message", lambda: bench.source, 3)
    assert abs(bench.source["us-per-quarter"] - 5e5) < 1, "alone, the session has not the tempo of the box"
    bench.box.set(tempo=101.0)
    bench.wait("the tempo of the box", lambda: abs(bench.source["us-per-quarter"] - 60e6 / 101) < 1, 2)
    # Of sessions founded within half a second, Link keeps any.
    time.sleep(1)
    peer = bench.peer(90)
    bench.joined()
    assert abs(peer.ask("state")["tempo"] - 101) < 0.001, "the session that was there first lost its tempo"
    first = len(bench.box.sources)
    longest = 0.0
    for bpm in (180.0, 60.0, 400.0, 20.0, 999.0, 120.0):
        peer.ask("tempo", bpm=bpm)
        longest = max(longest, bench.wait(f"{bpm}", lambda: abs(60e6 / bench.source["us-per-quarter"] / bpm - 1) < 1e-5, 2))
        time.sleep(0.4)
    assert epochs(bench.box.sources[first:]) == 1, "a change of tempo was taken for a jump"
    bench.box.set(tempo=77.0)
    time.sleep(0.6)
    assert abs(peer.ask("state")["tempo"] - 120) < 0.001, "a state of the box changed the tempo of a session with peers"
    bench.box.wish("tempo=133.7", after=0.8)
    time.sleep(0.5)
    assert abs(peer.ask("state")["tempo"] - 120) < 0.001, "the wish came too early"
    bench.wait("the wish", lambda: abs(peer.ask("state")["tempo"] - 133.7) < 0.001, 2)
    for wrong in ("tempo=1000", "tempo=nan", "tempo=", "tempo=19.9", "tempo=133,7"):
        bench.box.wish(wrong)
    time.sleep(0.4)
    assert abs(peer.ask("state")["tempo"] - 133.7) < 0.001, "an impossible wish was carried out"
    before = bench.source["epoch"]
    peer.ask("jump", beats=1.5)
    bench.wait("a new epoch", lambda: bench.source["epoch"] != before, 2)
    peer.process.kill()
    bench.joined(0, 8)
    assert abs(60e6 / bench.source["us-per-quarter"] - 133.7) < 0.001, "the tempo was lost with the last peer"
    return f"steps seen after at most {longest * 1e3:.0f} ms"


def alone(bench):
    """A peer that joins a box that plays alone moves no beat: the bars of the session are already those of the box."""
    bench.box.set(tempo=111.0, signature=(7, 8))
    bench.companion("--start-stop")
    bench.box.start()
    time.sleep(3)
    first = len(bench.box.sources)
    peer = bench.peer(90)
    bench.joined()
    time.sleep(1)
    found = bench.box.sources[first:]
    apart = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - time.monotonic_ns()
    errors = []
    for each in found:
        box = (each["at-raw"] - apart - bench.box.first_beat) / bench.box.period / 2
        errors.append(abs((each["quarter"] / 1e6 - box + 1.75) % 3.5 - 1.75) * each["us-per-quarter"])
    assert epochs(found) == 1 and max(errors) < 1000, f"the bar lines are {max(errors):.0f} µs apart, {epochs(found)} epochs"
    assert all(each["playing"] == 1 for each in found), "a stopped peer that joins stops the box"
    assert abs(peer.ask("state")["tempo"] - 111) < 0.001, "the peer has not the tempo of the box"
    assert max(peer.errors(found[-4:], 3.5)) < 150, "the peer has another phase"
    return f"bar lines within {max(errors):.0f} µs"


def visitors(bench):
    """A third peer joins and leaves 100 times: no epoch, and positions continuous within 100 µs."""
    peer = bench.peer(133.7)
    time.sleep(1)
    bench.companion()
    bench.joined()
    time.sleep(1)
    first = len(bench.box.sources)
    guests = [bench.peer(60 + 20 * number, "apart") for number in range(2)]
    for number, guest in enumerate(guests):
        guest.begin("visit", times=50, stay=0.3, own=60 + 20 * number, tempo=133.7)
    met = sum(guest.answer()["joined"] for guest in guests)
    found = bench.box.sources[first:]
    assert met == 100, f"only {met} of 100 visits joined the session"
    assert max(each["peers"] for each in found) >= 2, "no guest was seen"
    assert epochs(found) == 1, "the epoch changed"
    assert max(steps(found)) <= 100, f"a step of {max(steps(found)):.1f} µs"
    assert abs(peer.ask("state")["tempo"] - 133.7) < 0.001, "a visit changed the tempo"
    return f"{met} visits, {len(found)} messages, steps of at most {max(steps(found)):.1f} µs"


def cable(bench):
    """The link between two machines is down for 10 s: the box goes on by itself, and afterwards they agree again."""
    bench.cable("a", "b")
    peer = bench.peer(133.7, space="b")
    time.sleep(1)
    bench.companion()
    bench.joined(seconds=8)
    time.sleep(1)
    errors = peer.errors(bench.collect(2), 4)
    ip("-n", bench.space("a"), "link", "set", "cable", "down")
    gone = bench.joined(0, 8)
    time.sleep(10 - gone)
    assert abs(60e6 / bench.source["us-per-quarter"] - 133.7) < 0.001, "alone, the tempo was lost"
    ip("-n", bench.space("a"), "link", "set", "cable", "up")
    back = bench.joined(1, 8)
    time.sleep(1)
    errors += peer.errors(bench.collect(2), 4)
    assert abs(peer.ask("state")["tempo"] - 133.7) < 0.001, "the tempo was lost"
    assert max(errors) <= 150, f"{max(errors):.1f} µs off"
    return f"alone after {gone:.1f} s, back after {back:.1f} s, positions within {max(errors):.1f} µs"


def transport(bench):
    """Start and stop both ways, on the quantum."""
    peer = bench.peer(120)
    time.sleep(1)
    companion = bench.companion("--start-stop")
    bench.joined()
    time.sleep(1)
    assert bench.source["playing"] == 0 and bench.source["transport"] == 1, "another transport than the session's"
    worst = 0.0

    def off(at, quantum):
        phase = peer.ask("phase", at=[at], quantum=quantum)["phase"][0]
        return min(phase, quantum - phase) * 5e5

    for number in range(4):
        bench.box.set(signature=(4, 4) if number % 2 else (3, 4))
        quantum = 4 if number % 2 else 3
        time.sleep(0.4)
        began = peer.ask("play", playing=True)["playing_at"]
        bench.wait("the start of the peer", lambda: bench.source["playing"] == 1, 2)
        start = bench.source["play-at-raw"] // 1000
        assert began - 3001 <= start <= began + quantum * 5e5 + 1000, "another bar line"
        worst = max(worst, off(start, quantum))
        time.sleep(0.3)
        peer.ask("play", playing=False)
        bench.wait("the stop of the peer", lambda: bench.source["playing"] == 0, 2)
        time.sleep(0.3)
        bench.box.wish("playing=1")
        bench.wait("the start of the box", lambda: peer.ask("state")["playing"], 2)
        at = peer.ask("state")["playing_at"]
        worst = max(worst, off(at, quantum))
        bench.wait("its message", lambda: bench.source["playing"] == 1, 2)
        assert abs(bench.source["play-at-raw"] // 1000 - at) <= 150, "the box would start at another instant than the peer"
        time.sleep(0.3)
        bench.box.wish("playing=0")
        bench.wait("the stop of the box", lambda: not peer.ask("state")["playing"], 2)
        time.sleep(0.3)
    assert worst <= 150, f"{worst:.0f} µs off the bar line"
    Bench.end(companion)
    bench.companion()
    bench.joined(seconds=4)
    peer.ask("play", playing=True)
    bench.box.wish("playing=0")
    time.sleep(0.5)
    shared = peer.ask("state")["playing"] and bench.source["playing"] == 1 and bench.source["transport"] == 0
    assert shared, "start and stop are shared without the option"
    return f"starts within {worst:.1f} µs of the bar line"


def linkhut(bench):
    """LinkHut, Ableton's own program, under JACK."""
    environment = os.environ | {"JACK_DEFAULT_SERVER": f"link{os.getpid()}", "JACK_NO_AUDIO_RESERVATION": "1"}
    bench.start("a", ["jackd", "-r", "-d", "dummy"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    keys, terminal = pty.openpty()
    hut = bench.start("a", ["LinkHut"], env=environment, stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    assert hut.poll() is None, "LinkHut did not start"
    os.write(keys, b"a")
    bench.companion("--start-stop")
    bench.joined(seconds=5)
    os.write(keys, b"s")
    for count in range(1, 4):
        os.write(keys, b"e")
        bench.wait("its tempo", lambda: bench.source["us-per-quarter"] == round(60e6 / (120 + count)), 1)
    os.write(keys, b" ")
    bench.wait("its start", lambda: bench.source["playing"] == 1, 2)
    os.write(keys, b" ")
    bench.wait("its stop", lambda: bench.source["playing"] == 0, 2)
    os.write(keys, b"a")
    bench.joined(0)
    return "tempo, start and stop shared"


def restarts(bench):
    """The box comes late, and goes for a while. Garbage, floods and a box that does not read do no harm."""
    bench.box.close()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(f"{bench.folder}/notify")
    manager.settimeout(3)
    companion = bench.companion(env=os.environ | {"NOTIFY_SOCKET": f"{bench.folder}/notify"})
    assert manager.recv(100) == b"READY=1", "not ready without a box"
    time.sleep(2.5)
    assert bench.said().count("no metronome at") == 1, bench.said()
    bench.box.open()
    bench.wait("a message", lambda: bench.source, 2)
    time.sleep(1)
    peer = bench.peer(133.7)
    bench.joined()
    epoch = bench.source["epoch"]
    bench.box.close()
    time.sleep(2)
    bench.box.open()
    heard = len(bench.box.sources)
    back = bench.wait("a message", lambda: len(bench.box.sources) > heard, 2)
    assert bench.source["epoch"] == epoch and bench.source["peers"] == 1, "the session was left with the box"
    size = memory(companion)
    noise = [b"\0" * 4096, b"state signature=9999999999/0 tempo=1e999", b'state rhythm="', b'state rhythm="\\', b"=", b" ", b"wish at=x",
             b"timeline at=9223372036854775807 next=,,,9 places=0,0,0,0 quarter-us=450000", b"x" * 8000, b"state " + b"a=1 " * 1000,
             b"state signature=/ tempo=-1", b"hello", os.urandom(500), b"timeline place=0 at=-9223372036854775808 quarter-us=448766"]
    until = time.monotonic() + 3
    count = 0
    while time.monotonic() < until:
        for each in noise:
            bench.box.send(each)
            count += 1
    bench.box.report()
    found = bench.collect(2)
    assert companion.poll() is None and len(found) >= 6 and abs(peer.ask("state")["tempo"] - 120) < 0.001, "the flood did harm"
    bench.box.reads = False
    time.sleep(2)
    grown = memory(companion) - size
    assert grown <= 512, f"grown by {grown} KiB"
    companion.send_signal(signal.SIGTERM)
    assert companion.wait(2) == 0, "no clean end while the box does not read"
    return f"connected again after {back:.2f} s, {count} messages of garbage in 3 s, grown by {grown} KiB"


def memory(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1])


def without_netlink():
    """Refuses sockets of AF_NETLINK, as RestrictAddressFamilies= does."""
    number = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
    rules = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, socket.AF_NETLINK),
             (0x06, 0, 0, 0x00050000 | 97), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    text = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HP", len(rules), ctypes.addressof(text))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)
    assert libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) == 0


def netlink(bench):
    """Without AF_NETLINK the program says what is missing, and goes on."""
    companion = bench.companion(preexec_fn=without_netlink)
    bench.wait("a message", lambda: bench.source, 3)
    bench.wait("the reason", lambda: "AF_NETLINK" in bench.said(), 3)
    assert bench.said().count("AF_NETLINK") == 1 and companion.poll() is None, "not said once"
    return "said once"


def main():
    every = [joining, tempo, alone, transport, linkhut, restarts, netlink, cable, visitors]
    chosen = [each for each in every if not sys.argv[2:] or each.__name__ in sys.argv[2:]]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = 0
    for scenario in chosen:
        with Bench() as bench:
            try:
                print(f"ok     {scenario.__name__:10} {scenario(bench)}", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED {scenario.__name__:10} {type(error).__name__}: {error}\n{bench.said()}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
