"""The scenario with the program itself, instead of a box that only speaks its protocol."""

import os
import socket
import subprocess
import time
from pathlib import Path

from box import fields


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
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The file exists a moment before connections are accepted.
        bench.wait("the control socket", lambda: self.client.connect_ex(self.path) == 0, 5)
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
    companion = bench.start("a", [bench.program, "--socket", box.path, "--start-stop"], stderr=bench.log)
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
