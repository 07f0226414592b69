"""The bench of a scenario: network namespaces with a box, the program under test, and peers."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from box import Box

HERE = Path(__file__).resolve().parent


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Bench(contextlib.ExitStack):
    """Network namespaces, a box, the program under test, and peers. All of them end with the bench."""

    def __init__(self, program):
        super().__init__()
        self.program, self.names = program, {}
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

    def cable(self, one, other, name="cable", network=0):
        """A cable between two namespaces, and the name of its ends."""
        ip("link", "add", name, "netns", self.space(one), "type", "veth", "peer", "name", name, "netns", self.space(other))
        for number, space in enumerate((one, other), 1):
            ip("-n", self.space(space), "address", "add", f"10.83.{network}.{number}/24", "dev", name)
            ip("-n", self.space(space), "link", "set", name, "up")

    def only_ipv4(self, space):
        """Link 3.1 would also meet over IPv6."""
        command = ["sh", "-c", "test ! -e /proc/sys/net/ipv6 || echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"]
        assert self.start(space, command).wait() == 0

    def start(self, space, command, **options):
        process = subprocess.Popen(["nsenter", f"--net=/run/netns/{self.space(space)}", *command], **options)
        self.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def companion(self, *words, space="a", program=None, **options):
        return self.start(space, [program or self.program, "--socket", self.box.path, *words], stderr=self.log, **options)

    def peer(self, bpm, *words, space="a"):
        return Peer(self.start(space, [sys.executable, "-B", str(HERE / "peer.py"), str(bpm), *words],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def stranger(self, *words):
        """A stranger at the other end of a cable. Its last output is a line of JSON."""
        command = [sys.executable, "-B", str(HERE / "stranger.py"), *map(str, words)]
        return self.start("b", command, stdout=subprocess.PIPE, stderr=self.log, text=True)

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

    def sees(self):
        return self.ask("state")["peers"] >= 1

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
