"""Writes lives of the fault finder for the kernel: python3 judge/life.py write FOLDER OUT NAME.

FOLDER has the files of the life NAME, as `metronome-fuzz --write` writes them. OUT gets a folder NAME with `configuration.yaml`,
`events` for the tool life-player, the configurations and scores that these name, and `ppm`, the drift of the card, for every third
life with sound.
"""

import random
import re
import shutil
import sys
from pathlib import Path

BUTTONS = {
    "play": "GPIO5", "slower": "GPIO6", "faster": "GPIO16", "numerator": "GPIO26", "denominator": "GPIO25", "tap": "GPIO24",
    "preset_next": "EXTRA6", "preset_previous": "EXTRA7", "preset_1": "EXTRA8", "preset_2": "EXTRA9", "preset_3": "EXTRA10",
    "preset_4": "EXTRA11",
}  # fmt: skip
"""The buttons of a life, and the names of their lines."""
OUTPUTS = {
    "light": "GPIO17", "pendulum": "GPIO27", "buzzer": "GPIO22", "green": "RGB1", "blue": "RGB2", "added_1": "ADDED1",
    "added_2": "ADDED2", "added_3": "ADDED3", "added_4": "ADDED4",
}  # fmt: skip
DISPLAY = ["DISPLAY1", "DISPLAY2"]
"""The clock and the data of a display."""
ADDED = [name for name in [*BUTTONS.values(), *OUTPUTS.values(), *DISPLAY] if not name.startswith("GPIO")]
"""The lines that a header does not have, in the order of their numbers."""
FIRST_ADDED = 28
UNITS = {"h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3}
RATE = 48_000
"""Of the card; the ear listens at no other."""
SHORTEST, LONGEST = 1_024, 4_096
MOST = 8
"""Periods of the card: with shorter ones a life takes long, and a longer buffer than a second is refused."""
BOUNCE = 1_200_000
"""The kernel's simulated lines report an edge at the next tick, which comes every millisecond: changes that are closer are one."""
BOUNCES = 4
"""How many times a contact changes again, at most: for up to 5 ms."""


def line_of(name):
    """The number of a line."""
    return int(name[4:]) if name.startswith("GPIO") else FIRST_ADDED + ADDED.index(name)


def nanoseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]*)", text).groups()
    whole, _, part = number.partition(".")
    unit = UNITS[unit or "s"]
    return int(whole) * unit + int((part + "0" * 9)[:9]) * unit // 10**9


def length(script):
    """The length of a life, from the command in its first line."""
    return nanoseconds(re.match(r"#.* --for (\S+)", script)[1])


class Contacts:
    """The changes of the contacts. Presses of one button may overlap."""

    def __init__(self):
        self.moves = {}

    def move(self, button, time, step):
        self.moves.setdefault(button, []).append((time, step))

    def changes(self, dice):
        """Tuples (time, line, whether it is closed). With dice they bounce. Changes that are too close are left out."""
        found = []
        for button, moves in self.moves.items():
            fingers, clean = 0, []
            for time, step in sorted(moves):
                before, fingers = fingers, max(0, fingers + step)
                if (fingers > 0) == (before > 0):
                    continue
                if clean and time - clean[-1][0] < BOUNCE:
                    clean.pop()
                else:
                    clean.append((time, fingers > 0))
            for (time, is_closed), (following, _) in zip(clean, clean[1:] + [(clean[-1][0] + 10**9, None)] if clean else []):
                line = line_of(BUTTONS[button])
                found.append((time, line, is_closed))
                room = min(BOUNCES, (following - time) // BOUNCE - 1)
                places = sorted(dice.sample(range(1, room + 1), dice.randint(0, room // 2) * 2)) if dice and room > 1 else []
                for number, place in enumerate(places):
                    found.append((time + place * BOUNCE, line, is_closed == (number % 2 == 1)))
        return found


def events(script, seed):
    """The lines for the player. The contacts of every second life bounce."""
    end, contacts, found = length(script), Contacts(), []
    for line in script.splitlines():
        if line.startswith("#"):
            continue
        time, action, *words = line.split()
        time = nanoseconds(time)
        if action == "press":
            contacts.move(words[0], time, 1)
            contacts.move(words[0], time + (nanoseconds(words[1]) if len(words) > 1 else 80_000_000), -1)
        elif action in ("down", "up"):
            contacts.move(words[0], time, 1 if action == "down" else -1)
        elif action == "reload":
            found.append((time, f"reload {words[0]}"))
        elif action == "do":
            ago = nanoseconds(words[0]) if words[1:2] == ["ago"] else 0
            # The lead is 1 ms. What comes later takes effect when the program reads it, which the record does not say.
            ago = ago if ago > 2 * 10**9 else ago % 1_000_000
            found.append((time, f"do {ago} {' '.join(words[2:] if ago else words)}"))
        else:
            raise ValueError(f"the kernel bench cannot play {line!r}")
    dice = random.Random(seed) if seed % 2 else None
    for time, number, is_closed in contacts.changes(dice):
        found.append((time, f"contact {number} {'closed' if is_closed else 'open'}"))
    kept = sorted((one for one in found if one[0] < end), key=lambda one: one[0])
    return "".join(f"{time} {event}\n" for time, event in kept) + f"{end} end\n"


def playable(text, has_sound, has_display):
    """A configuration with the ports and the card of the kernel."""
    lines, found, block = text.splitlines(), [], None
    left_out = ([] if has_display else ["display:"]) + ([] if has_sound else ["audio:"])
    for line in lines:
        if not line.startswith(" "):
            block = line
        if block in left_out or line.startswith("  clock_when_stopped:"):
            continue
        line = re.sub(r"device: Port([12])$", lambda port: f'device: "hw:CARD=VirMIDI,DEV={int(port[1]) - 1}"', line)
        line = re.sub(r"^  rate: .*", f'  device: "hw:Loopback,0"\n  rate: {RATE}', line)
        line = re.sub(r"^  period: (\d+)$", lambda period: f"  period: {min(max(SHORTEST, int(period[1])), LONGEST)}", line)
        found.append(re.sub(r"^  periods: (\d+)$", lambda periods: f"  periods: {min(MOST, int(periods[1]))}", line))
    if "audio:" not in found and len(found) > 1:
        found += ["audio:", '  device: "hw:Loopback,0"' if has_sound else "  device: none"]
    return "".join(f"{line}\n" for line in found) or "tap: {}\n"


def write(folder, out, name):
    folder, out = Path(folder), Path(out) / name
    out.mkdir(parents=True)
    seed = int(name.rsplit("-", 1)[1])
    script = (folder / f"{name}.script").read_text()
    for file in folder.glob(f"{name}-*.txt"):
        shutil.copy(file, out)
    # The simulation records sound only if the card is there at the start.
    files = [folder / f"{name}.yaml", *folder.glob(f"{name}-*.yaml")]
    has_sound = "\n  rate:" in files[0].read_text()
    for file in files:
        target = file.name if file != files[0] else "configuration.yaml"
        (out / target).write_text(playable(file.read_text(), has_sound, seed % 20 == 0))
    (out / "events").write_text(events(script, seed))
    if has_sound and seed % 3 == 0:
        (out / "ppm").write_text(f"{random.Random(seed).randrange(-150, 151, 10)}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["lines"]:
        print(*ADDED)
    elif len(sys.argv) == 5 and sys.argv[1] == "write":
        write(*sys.argv[2:])
    else:
        sys.exit("usage: python3 judge/life.py lines | write FOLDER OUT NAME")
