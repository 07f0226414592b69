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

from box import Box, fields

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


def ramp(bench):
    """The bar lines of the session stay where they are while the box plays a ramp alone, which has no name."""
    bench.companion()
    bench.box.start()
    time.sleep(2)

    def apart():
        """The positions of box and session in the bar, one minus the other, in quarters."""
        offset = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - time.monotonic_ns()
        each = bench.source
        return (each["quarter"] / 1e6 - (each["at-raw"] - offset - bench.box.first_beat) / bench.box.period + 2) % 4 - 2

    assert abs(apart()) < 0.01, f"alone, the bar lines are {apart():.2f} quarters apart"
    bench.box.loaded = True
    # A quarter of a second is half a quarter.
    bench.box.set(first_beat=bench.box.first_beat - 250_000_000)
    time.sleep(1)
    moved = apart()
    assert abs(moved + 0.5) < 0.01, f"the session followed the bar lines of the ramp: {moved:.2f} quarters"
    bench.box.set(loaded=False)
    time.sleep(1)
    assert abs(apart()) < 0.01, f"after the ramp, the bar lines are {apart():.2f} quarters apart"
    return "the session keeps its bar lines"


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


class Metronome:
    """The real program with a simulated board, in real time, and a client of its control socket."""

    def __init__(self, bench):
        self.bench, self.folder = bench, Path(bench.folder) / "metronome"
        (self.folder / "scores").mkdir(parents=True)
        # 60 BPM, rising to 240 in 40 s.
        (self.folder / "scores" / "ramp.txt").write_text("25 4/4 60>240\n")
        bench.start("a", [os.environ["METRONOME"], "simulate", "--for", "300s", "--state", str(self.folder)], stdout=subprocess.DEVNULL,
                    stderr=bench.log)
        self.path = f"{self.folder}/control"
        bench.wait("the control socket", lambda: os.path.exists(self.path), 5)
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.client.connect(self.path)
        self.client.settimeout(2)
        self.ask("hello v=1")

    def ask(self, text):
        """The last message of the answer."""
        self.client.send(text.encode())
        while not (answer := self.client.recv(8192).decode()).startswith(("done", "refused", "hello")):
            pass
        return answer

    def do(self, words):
        assert (answer := self.ask(f'do command="{words}"')) == "done", answer

    def snapshot(self, topic):
        self.ask(f"subscribe to={topic}")
        word = None
        while word != topic:
            word, found = fields(self.client.recv(8192).decode())
        self.ask("subscribe to=none")
        return found

    def beats(self, seconds):
        """The instants of the beats that are played from now on, in nanoseconds of the raw clock, with their places in the bar."""
        found, until = {}, time.monotonic() + seconds
        while time.monotonic() < until:
            seen = self.snapshot("timeline")
            raw = int(seen["at"]) + int(seen["raw"]) - int(seen["now"])
            found[int(seen["beat"])] = (raw, int(seen["place"]))
            time.sleep(0.02)
        return list(found.values())

    def off(self, peer, beats, quantum=4):
        """How far the beats are from those of the session, with their places in the bar, in microseconds."""
        phases = peer.ask("phase", at=[at // 1000 for at, _ in beats], quantum=quantum)["phase"]
        length = 60e6 / peer.ask("state")["tempo"]
        return max(abs((phase - place + quantum / 2) % quantum - quantum / 2) * length for phase, (_, place) in zip(phases, beats))


def metronome(bench):
    """The program itself: joins without a change, plays the session's beats, changes its tempo for all, and keeps that of a score."""
    peer = bench.peer(133.7)
    box = Metronome(bench)
    box.do("start")
    time.sleep(2)
    companion = bench.start("a", [PROGRAM, "--socket", box.path, "--start-stop"], stderr=bench.log)
    bench.wait("the session", lambda: box.snapshot("state")["follows"] == "link", 5)
    time.sleep(6)
    assert abs(peer.ask("state")["tempo"] - 133.7) < 0.001, "joining changed the tempo of the session"
    worst = {}
    for bpm in (133.7, 20.0, 999.0, 111.0):
        peer.ask("tempo", bpm=bpm)
        time.sleep(4 + 240 / bpm)
        beats = box.beats(4 + 120 / bpm)
        worst[bpm] = box.off(peer, beats)
        assert len(beats) >= 2 and worst[bpm] <= 200, f"beats up to {worst[bpm]:.0f} µs off at {bpm} BPM"
    guest = bench.peer(60, "apart")
    guest.begin("visit", times=20, stay=0.1, own=60, tempo=111.0)
    visited = box.off(peer, box.beats(8))
    met = guest.answer()["joined"]
    assert met == 20 and visited <= 200, f"beats up to {visited:.0f} µs off while {met} peers came and went"
    box.do("faster 5.5")
    bench.wait("the tempo of the box", lambda: abs(peer.ask("state")["tempo"] - 116.5) < 0.001, 2)
    box.do("tempo 97")
    bench.wait("the tempo of the box", lambda: abs(peer.ask("state")["tempo"] - 97) < 0.001, 2)
    bench.wait("that it is played", lambda: abs(float(box.snapshot("state")["current"]) - 97) < 0.01, 3)
    peer.ask("play", playing=True)
    time.sleep(0.5)
    peer.ask("play", playing=False)
    bench.wait("the stop of the peer", lambda: box.snapshot("state")["playing"] == "0", 2)
    peer.ask("play", playing=True)
    bench.wait("the start of the peer", lambda: box.snapshot("state")["playing"] == "1", 2)
    time.sleep(3)
    started = box.off(peer, box.beats(3))
    assert started <= 200, f"beats up to {started:.0f} µs off after a start of the peer"
    box.do("stop")
    bench.wait("the stop of the box", lambda: not peer.ask("state")["playing"], 2)
    # A score leads itself.
    assert (answer := box.ask("score action=load name=ramp")) == "done", answer
    box.do("start")
    time.sleep(3)
    before = float(box.snapshot("state")["current"])
    peer.ask("tempo", bpm=50)
    time.sleep(3)
    after = float(box.snapshot("state")["current"])
    assert 60 < before < after < 240 and peer.ask("state")["tempo"] == 50, "the score and the session change each other's tempo"
    box.do("stop")
    assert (answer := box.ask("score action=unload")) == "done", answer
    box.do("start")
    bench.wait("the tempo of the session", lambda: abs(float(box.snapshot("state")["current"]) - 50) < 0.01, 3)
    companion.kill()
    bench.wait("the end of the session", lambda: box.snapshot("state")["follows"] == "none", 4)
    time.sleep(1)
    assert box.snapshot("state")["playing"] == "1", "the beat did not go on by itself"
    said = ", ".join(f"{each:.0f} µs at {bpm:g} BPM" for bpm, each in worst.items())
    return f"beats within {said}; {visited:.0f} µs during {met} visits"


def main():
    every = [metronome, joining, tempo, alone, ramp, transport, linkhut, restarts, netlink, cable, visitors]
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
