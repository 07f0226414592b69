"""The scenarios with a hostile network or a hostile box: nothing that arrives silences the program, and nothing is undefined behaviour."""

import json
import os
import random
import signal
import time

from bench import epochs

THOROUGH = bool(os.environ.get("THOROUGH"))


def result(stranger):
    text = stranger.communicate()[0]
    assert stranger.returncode == 0, "the stranger failed"
    return json.loads(text)


def starts(bench):
    """A start that a peer announces for a far time is not told to the box, which would refuse the message."""
    peer = bench.peer(120)
    time.sleep(1)
    bench.companion("--start-stop")
    bench.joined()
    for away in (10**12, 8 * 10**15, 10**16, 9 * 10**18):
        peer.ask("play", playing=False)
        bench.wait("the stop of the peer", lambda: bench.source["playing"] == 0, 2)
        peer.ask("play", playing=True, at=away)
        found = bench.collect(1)
        far = [each["play-at-raw"] for each in found if abs(each.get("play-at-raw", each["at-raw"]) - each["at-raw"]) > 60e9]
        assert len(found) >= 3 and not far, f"a start at {away} µs became {far[:1]} ns, in {len(found)} messages"
    return "the box is told no start that is further away than 60 s"


def deaf(bench):
    """The library without the patch, which one empty datagram at each port makes deaf: the session is opened anew."""
    bench.cable("a", "b")
    bench.only_ipv4("a")
    bench.companion(program=os.environ["UNPATCHED"])
    bench.wait("a message", lambda: bench.source, 3)
    result(bench.stranger("empty"))
    began = time.monotonic()
    peer = bench.peer(133.7, space="b")
    time.sleep(7)
    assert bench.source["peers"] == 0 and peer.ask("state")["peers"] == 0, "the library is not deaf without the patch"
    bench.joined(1, 13)
    took = time.monotonic() - began
    assert bench.said().count("opened anew") == 1, "opened anew more than once"
    return f"deaf for {took:.1f} s"


def datagrams(bench):
    """Empty datagrams, ones of a byte and ones of 60,000 bytes at each port: the session goes on, and a new peer is seen."""
    count = 1_000_000 if THOROUGH else 100_000
    bench.cable("a", "b")
    bench.only_ipv4("a")
    bench.cable("a", "c", "cord", 1)
    peer = bench.peer(133.7, space="c")
    time.sleep(1)
    companion = bench.companion()
    bench.joined(seconds=8)
    time.sleep(1)
    first = len(bench.box.sources)
    sent = result(bench.stranger("flood", count))
    flooded = bench.box.sources[first:]
    took = bench.wait("the new peer", bench.peer(90, space="b").sees, 5)
    took += bench.joined(2, 5 - took)
    found = bench.box.sources[first:]
    gap = max(two["heard"] - one["heard"] for one, two in zip(found, found[1:])) / 1e9
    errors = peer.errors(bench.collect(2), 4)
    assert companion.poll() is None and epochs(found) == 1, "the session did not go on"
    assert min(each["peers"] for each in flooded) == 1, "the peer was lost"
    assert gap <= 1, f"the box heard nothing for {gap:.1f} s"
    assert max(errors) <= 150, f"{max(errors):.1f} µs off"
    assert "opened anew" not in bench.said(), "opened anew without a reason"
    return f"{count} datagrams in {sent['seconds']:.1f} s; the new peer is seen after {took:.1f} s; positions within {max(errors):.1f} µs"


EDGES = [0, 1, -1, 20, 255, 256, 257, 999, 1 << 31, -(1 << 31), 1 << 53, (1 << 63) - 1, -(1 << 63), 1 << 63, 10**30,
         59 * 10**9, -61 * 10**9]
TEXTS = ["", "nan", "inf", "-inf", "1e999", "1e-320", "-0", "0x10", "4/4", "1/256", "256/1", "0/4", "4/0", "/", "7/", "9" * 20 + "/1",
         '"', '"\\', '"a b"', "=", "\0", "é"]
KEYS = ["playing", "tempo", "quarters", "signature", "loaded", "at", "next", "places", "place", "quarter-us", "role", "why", "score", ""]


def garbage(chance):
    """A message as the box sends it, with fields that it never sends."""
    now = time.monotonic_ns()

    def value():
        kind = chance.random()
        if kind < 0.3:
            return str(chance.choice(EDGES))
        if kind < 0.5:
            return str(now + chance.randrange(-(10**9), 10**9))
        if kind < 0.7:
            return str(round(chance.choice([20, 120, 999, 1e300]) * chance.random(), 3))
        if kind < 0.8:
            return ",".join(str(chance.choice(EDGES)) for _ in range(chance.randrange(40)))
        return chance.choice(TEXTS)

    word = chance.choice(["state", "timeline", "wish", "hello", "refused", "done", ""])
    fields = {"state": {"playing": "1", "tempo": "120", "quarters": "120", "signature": "4/4", "loaded": "0"},
              "timeline": {"at": str(now), "place": "1", "next": "0,500000000", "places": "2,0", "quarter-us": "500000"},
              "wish": {"tempo": "120", "playing": "1", "at": str(now)}}.get(word, {})
    for _ in range(chance.randrange(4)):
        fields[chance.choice([*fields, *KEYS])] = value()
    text = " ".join([word, *(f"{key}={each}" for key, each in fields.items())]).encode()
    kind = chance.random()
    if kind < 0.05:
        text = text[:chance.randrange(len(text) + 1)]
    elif kind < 0.08:
        text = chance.randbytes(chance.randrange(1, 6000))
    elif kind < 0.1:
        text += b" x=" + b"y" * chance.randrange(6000)
    return text or b" "


def fuzz(bench):
    """Address and undefined-behaviour sanitizers, with a box and then also a stranger that send what they like."""
    seconds = 150 if THOROUGH else 5
    seed = random.randrange(1 << 32) if THOROUGH else 1
    chance = random.Random(seed)
    bench.cable("a", "b")
    companion = bench.companion("--start-stop", program=os.environ["SANITIZED"])
    bench.wait("a message", lambda: bench.source, 5)
    time.sleep(1)
    messages, heard, stranger = 0, 0, None
    for _ in range(2):
        until = time.monotonic() + seconds
        while time.monotonic() < until and companion.poll() is None:
            for _ in range(20):
                bench.box.send(garbage(chance))
            messages += 20
            if chance.random() < 0.002:
                bench.box.close()
                bench.box.open()
            time.sleep(0.002)
        stranger = stranger or bench.stranger("fuzz", seconds - 1, seed)
    assert companion.poll() is None, f"ended with seed {seed}"
    sent = result(stranger)["count"]
    heard = len(bench.box.sources)
    took = bench.wait("the new peer", bench.peer(90, space="b").sees, 5)
    bench.wait("a message", lambda: len(bench.box.sources) > heard, 3)
    companion.send_signal(signal.SIGTERM)
    assert companion.wait(10) == 0, f"ended with seed {seed}"
    return f"{messages} messages of the box and {sent} datagrams, seed {seed}; the new peer is seen after {took:.1f} s"
