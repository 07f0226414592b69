"""The programs that the tests run: a simulated box, and the server of the phone page."""

import contextlib
import os
import re
import socket
import subprocess
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "Sources/metronome-remote/Page"
folder = CHECKOUT / ".build/debug"


class Box:
    """A simulated metronome, with its control socket. `within` is the beginning of its command line."""

    def __init__(self, state, within=()):
        self.folder = state
        self.process = subprocess.Popen(
            [*within, folder / "metronome", "simulate", "--state", state, "--for", "1h"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(5)
        wait_for(lambda: self.try_connect(), "the metronome does not start", 20)
        self.ask("hello v=1")

    def try_connect(self):
        with contextlib.suppress(OSError):
            self.socket.connect(f"{self.folder}/control")
            return True
        return False

    def ask(self, message):
        """Sends a message; returns the next one from the box."""
        self.socket.send(message.encode())
        return self.socket.recv(4096).decode()

    def do(self, command):
        answer = self.ask(f'do command="{command}"')
        if answer != "done":
            raise AssertionError(f"{command}: {answer}")

    def watch_pairing(self):
        """Another connection, which hears of the pairing of phones."""
        watcher = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        watcher.settimeout(30)
        watcher.connect(f"{self.folder}/control")
        for message in ["hello v=1", "subscribe to=pairing"]:
            watcher.send(message.encode())
            watcher.recv(4096)
        return watcher

    def confirm(self, number):
        """What a person does who follows the page: opens the window, waits for the number, and confirms it."""
        with contextlib.closing(self.watch_pairing()) as watcher:
            self.do("pair")
            shown = None
            while shown != str(number):
                found = re.search(r"shown=(\d+)", watcher.recv(4096).decode())
                shown = found and found[1]
            # So long it takes to read the number; the box ignores a press that comes sooner.
            time.sleep(1.6)
            self.do("pair")
            message = watcher.recv(4096).decode()
            if f"confirmed={number}" not in message:
                raise AssertionError(message)

    def state(self):
        """The current state."""
        self.ask("subscribe to=state")
        text = self.socket.recv(4096).decode()
        if self.ask("subscribe to=none") != "done":
            wait_for(lambda: self.socket.recv(4096) == b"done", "the subscription does not end")
        return dict(re.findall(r'([a-z-]+)=("[^"]*"|\S*)', text))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class Server:
    """A running metronome-remote. `within` is the beginning of its command line."""

    def __init__(self, control, state, address="127.0.0.1", port=0, within=(), trusts_local=False):
        self.control, self.state, self.address, self.within = control, state, address, within
        shown = f"[{address}]" if ":" in address else address
        self.process = subprocess.Popen(
            [*within, folder / "metronome-remote", "--listen", f"{shown}:{port}", "--control", control, "--page", PAGE,
             *(["--trust-local"] if trusts_local else [])],
            env={**os.environ, "STATE_DIRECTORY": state}, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"serving http://((?:[\d.]+|\[[\da-f:]+\])(?::(\d+))?)/", line)
        if not found:
            raise AssertionError(f"the server says: {line}")
        self.host, self.port = found[1], int(found[2] or 80)
        said = self.process.stderr.readline()
        if "connected" not in said:
            raise AssertionError(f"the server does not find the metronome: {said}")

    def status(self, key):
        return re.search(rf"^{key}:\s*(\d+)", Path(f"/proc/{self.process.pid}/status").read_text(), re.M)[1]

    def memory(self):
        """The most memory that it had so far, in bytes."""
        return int(self.status("VmHWM")) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()


def wait_for(test, complaint, seconds=5.0):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise AssertionError(complaint)
        time.sleep(0.01)
