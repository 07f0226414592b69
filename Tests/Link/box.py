"""A box that speaks the protocol of Documentation/ControlSocket.md: as much of it as a companion for Link needs."""

import os
import select
import shlex
import socket
import threading
import time


def fields(text):
    word, *rest = shlex.split(text)
    return word, dict(part.split("=", 1) for part in rest)


class Box:
    """Listens at `path`, sends its state and timeline four times a second, and keeps the messages it receives."""

    def __init__(self, path):
        self.path, self.client, self.listener = path, None, None
        self.tempo, self.signature, self.playing, self.score = 120.0, (4, 4), False, ""
        self.loaded = False
        self.first_beat = time.monotonic_ns()
        self.sources, self.others, self.connections = [], [], 0
        self.reads = True
        self.lock = threading.RLock()
        self.open()
        threading.Thread(target=self.run, daemon=True).start()

    def open(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(self.path)
        listener.listen(4)
        self.listener = listener

    def close(self):
        """As if the box had been stopped."""
        with self.lock:
            for each in (self.listener, self.client):
                if each:
                    each.close()
            self.listener = self.client = None
            os.unlink(self.path)

    def send(self, text):
        with self.lock:
            if self.client:
                try:
                    self.client.send(text if isinstance(text, bytes) else text.encode())
                except OSError:
                    self.client = None

    def wish(self, text, after=0.0):
        self.send(f"wish {text} at={time.monotonic_ns() + int(after * 1e9)}")

    def set(self, **values):
        with self.lock:
            for key, value in values.items():
                setattr(self, key, value)
            self.report()

    def start(self):
        with self.lock:
            self.first_beat = time.monotonic_ns()
            self.playing = True
            self.report()

    @property
    def period(self):
        return 240e9 / self.signature[1] / self.tempo

    @property
    def clocks(self):
        return f"now={time.monotonic_ns()} raw={time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)}"

    def report(self):
        numerator, denominator = self.signature
        self.send(f"state playing={int(self.playing)} tempo={self.tempo:g} quarters={self.tempo:g} current={self.tempo:.3f} signature={numerator}/{denominator}"
                  f' beat=1/{denominator} rhythm="" text="{numerator}/{denominator}" silent=0 source="say \\"hi\\" = x" follows=none'
                  f' refuses-tempo=0 score="{self.score}" loaded={int(self.loaded or self.score != "")} {self.clocks}')
        if not self.playing:
            return
        beat = max(0, int((time.monotonic_ns() - self.first_beat) / self.period))
        following = range(beat + 1, beat + 3 + int(1e9 / self.period))[:16]
        offsets = ",".join(str(round((each - beat) * self.period)) for each in following)
        places = ",".join(str(each % numerator) for each in following)
        self.send(f"timeline session=1 playing=1 beat={beat} bar={beat // numerator} place={beat % numerator} beats={numerator}"
                  f" at={self.first_beat + round(beat * self.period)} next={offsets} places={places}"
                  f" quarter-us={self.period * denominator / 4e3:.3f} {self.clocks}")

    def run(self):
        due = time.monotonic()
        while True:
            with self.lock:
                waits = [each for each in (self.listener, self.client if self.reads else None) if each]
            try:
                ready = select.select(waits, [], [], max(0.0, min(0.05, due - time.monotonic())))[0]
            except (OSError, ValueError):
                continue
            with self.lock:
                for each in ready:
                    self.receive(each)
                if time.monotonic() >= due:
                    due += 0.25
                    self.report()

    def receive(self, ready):
        if ready is self.listener:
            self.client = ready.accept()[0]
            self.connections += 1
        elif ready is self.client:
            try:
                text = ready.recv(65536)
            except OSError:
                text = b""
            if text:
                self.hear(text)
            else:
                self.client = None

    def hear(self, text):
        assert len(text) <= 1024, "a message of more than 1,024 bytes"
        word, values = fields(text.decode())
        if word == "source":
            self.sources.append({key: float(value) if "." in value else int(value) for key, value in values.items()}
                                | {"heard": time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)})
            return
        self.others.append(text.decode())
        if word == "hello":
            self.send(f"hello v=1 role=link program=0.2.0 {self.clocks}")
        elif word == "subscribe":
            self.report()
