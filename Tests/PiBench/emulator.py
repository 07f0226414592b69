"""The emulated Raspberry Pi: its archive of files, the script of its header, and one run of it."""

import gzip
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = {"play": 5, "slower": 6, "faster": 16, "numerator": 26, "denominator": 25, "tap": 24}
"""The lines of the buttons, as the standard wiring has them."""
END_OF_BENCH = re.compile(rb"^bench: end (\d+)\r?$", re.MULTILINE)


def press(second, button, held=0.08, bounces=0):
    """Steps of the header's script: a press of a button, whose contact opens and closes this many times more at both ends.

    The first contact is at `second` of virtual time since power-on. A bounce takes 0.6 ms.
    """
    steps = []
    for instant, first, last in ((second, "0", "z"), (second + held, "z", "0")):
        for bounce in range(bounces + 1):
            at = round(instant * 1e9) + bounce * 600_000
            steps.append((at, LINES[button], first))
            if bounce < bounces:
                steps.append((at + 300_000, LINES[button], last))
    return steps


def play_until(second):
    """A test in the Pi: plays with the scenario's configuration, and stops at this second since power-on."""
    return f"""#!/bin/sh
. /helpers.sh
/metronome run --config /metronome.yaml 2>/tmp/log &
metronome=$!
sleep_until {second}
stop_metronome
"""


def play_loop(light, tempo):
    """A test in the Pi: plays the loop in C for comparison, which obeys the presses and ends with the last one."""
    return f"""#!/bin/sh
/grid-loop /dev/gpiochip0 {light} {LINES["play"]} {LINES["faster"]} {tempo} 80
"""


def archive(files):
    """A cpio archive ("newc") of files {path: (mode, bytes)}, compressed."""
    parts = []
    entries = sorted(files.items()) + [("TRAILER!!!", (0, b""))]
    for number, (path, (mode, data)) in enumerate(entries, 1):
        name = path.encode() + b"\0"
        fields = (number, 0o100000 | mode if mode else 0, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        part = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        part += b"\0" * (-len(part) % 4) + data
        parts.append(part + b"\0" * (-len(part) % 4))
    return gzip.compress(b"".join(parts), compresslevel=1, mtime=0)


@dataclass(frozen=True)
class Edge:
    """A change of a line's level or direction, in nanoseconds of virtual time since power-on."""

    time: int
    line: int
    level: int
    is_output: bool


@dataclass(frozen=True)
class Record:
    """What one run left: the console, the log of edges, and the exit code of the scenario's test."""

    console: str
    log: bytes
    code: int | None
    seconds: float
    """Of real time."""

    @property
    def edges(self):
        rows = (line.split() for line in self.log.decode().splitlines())
        return [Edge(int(at), int(line), int(level), way == "out") for at, line, level, way in rows]

    def output(self, name):
        """The lines that the test printed between `bench: begin NAME` and the next line of the bench."""
        found = re.search(rf"^bench: begin {name}\n(.*?)^bench: ", self.console, re.MULTILINE | re.DOTALL)
        return found[1] if found else ""


def run(folder, kit, scenario, test, limit):
    """Boots the Pi with a test of the scenario in a folder for its files, and returns its record. `kit` has the prepared files."""
    folder.mkdir(parents=True, exist_ok=True)
    prepared = [path for path in (kit / "files").rglob("*") if path.is_file()]
    files = {str(path.relative_to(kit / "files")): (0o755, path.read_bytes()) for path in prepared}
    files["test"] = (0o755, test.encode())
    for name, text in getattr(scenario, "FILES", {}).items():
        files[name] = (0o644, text.encode())
    (folder / "initrd.gz").write_bytes((kit / "boot/base.cpio.gz").read_bytes() + archive(files))
    display = ",tm1637={}:{}".format(*scenario.DISPLAY) if hasattr(scenario, "DISPLAY") else ""
    wires = "".join(f",wire={line}:{other}" for line, other in getattr(scenario, "WIRES", {}).items())
    # On one core, a thread waits only for threads of higher priority, not for other cores; see README.
    isolated = " isolcpus=1-3" if getattr(scenario, "IS_ON_ONE_CORE", False) else ""
    steps = sorted(scenario.PRESSES)
    (folder / "script").write_text("".join(f"{at} {line} {action}\n" for at, line, action in steps))
    console = folder / "console"
    for path in (console, folder / "edges"):
        path.write_bytes(b"")
    # The folder with both this run's files and the kit is /work in the root folder with QEMU.
    base = kit.parent
    here, boot = (Path("/work") / path.relative_to(base) for path in (folder, kit / "boot"))
    command = [
        ROOT / "Scripts/lib/pi-tools", "run", base, "qemu-system-aarch64", "-M", "raspi3b", "-nodefaults", "-display", "none",
        "-kernel", boot / "vmlinuz.gz", "-dtb", boot / "bcm2837-rpi-3-b.dtb", "-initrd", here / "initrd.gz",
        "-append", "console=ttyS1,115200 loglevel=4 nokaslr" + isolated,
        # One instruction takes 2 ns of virtual time, see README; while all cores sleep, time jumps to the next timer.
        "-icount", "shift=1,sleep=off", "-rtc", "clock=vm,base=2026-01-01",
        "-serial", "null", "-serial", f"file:{here / 'console'}",
        "-plugin", f"file=/work/{(kit / 'gpio-block.so').relative_to(base)},script={here / 'script'},log={here / 'edges'}{display}{wires}",
    ]  # fmt: skip
    began = time.monotonic()
    with (folder / "qemu.log").open("wb") as log:
        machine = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            ended = None
            while not ended and machine.poll() is None and time.monotonic() < began + limit:
                time.sleep(0.05)
                ended = END_OF_BENCH.search(console.read_bytes())
        finally:
            machine.terminate()
            machine.wait()
    (folder / "initrd.gz").unlink()
    text = console.read_text(errors="replace").replace("\r", "")
    if problem := (folder / "qemu.log").read_text().strip():
        text += f"\nQEMU: {problem}\n"
    return Record(text, (folder / "edges").read_bytes(), int(ended[1]) if ended else None, time.monotonic() - began)
