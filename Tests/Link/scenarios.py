"""The scenarios of Tests/Link/run: scenarios.py PROGRAM [SCENARIO…]

Those in this file are about what a session shares: tempo, bar lines, start and stop.
"""

import os
import pty
import signal
import statistics
import subprocess
import sys
import time

from bench import Bench, epochs
from disturbances import cable, netlink, restarts, visitors
from hostile import datagrams, deaf, fuzz, starts
from metronome import metronome


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
    assert companion.wait(3) == 0, "no clean end"
    # Its last message may still be on the way.
    bench.wait("the last message", lambda: bench.source["peers"] == 0, 2)
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
        # A busy machine measures the peer's clock wrongly at first.
        bench.wait("one instant of box and peer", lambda: abs(bench.source["play-at-raw"] // 1000 - peer.ask("state")["playing_at"]) <= 150, 0.2)
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
    environment = os.environ | {"JACK_DEFAULT_SERVER": "metronome", "JACK_NO_AUDIO_RESERVATION": "1", "JACK_NO_START_SERVER": "1"}
    output = {"env": environment, "stdout": bench.log, "stderr": bench.log}
    bench.start("a", ["jackd", "-r", "-d", "dummy"], **output)
    bench.wait("the socket of jackd", lambda: os.path.exists("/dev/shm/jack_metronome_0_0"), 10)
    keys, terminal = pty.openpty()
    hut = bench.start("a", ["LinkHut"], **output, stdin=terminal)
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


def main():
    every = [metronome, joining, tempo, alone, ramp, transport, linkhut, restarts, netlink, cable, visitors, starts, deaf, datagrams, fuzz]
    chosen = [each for each in every if not sys.argv[2:] or each.__name__ in sys.argv[2:]]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = 0
    for scenario in chosen:
        with Bench(sys.argv[1]) as bench:
            try:
                print(f"ok     {scenario.__name__:10} {scenario(bench)}", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED {scenario.__name__:10} {type(error).__name__}: {error}\n{bench.said()[-4000:]}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
