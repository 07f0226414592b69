"""A metronome that only computes: it answers the messages of the control socket as Documentation/ControlSocket.md words them.

It has no lines and no sound, and its rules are simpler than those of the box: a change of tempo keeps the phase and takes effect at
once, and a rhythm is not checked beyond its letters.
"""

import re
from fractions import Fraction

import mock_commands
from mock_commands import Refused
from mock_messages import list_learned, list_presets, list_scores, list_sections, list_songs, message, now, parse


class Box:
    SONGS = [
        ("Take Five", [("vamp", 8, "3+2/4", 172, 172), ("theme", 8, "3+2/4", 172, 172), ("bridge", 8, "3+2/4", 172, 172),
                       ("end", 4, "3+2/4", 172, 120)]),
        ("Waltz", [("slow", 16, "3/4", 90, 90), ("fast", 16, "3/4", 90, 180)])]

    def __init__(self):
        self.tempo, self.signature, self.beat, self.rhythm = Fraction(120), "4/4", "1/4", ""
        self.playing, self.silent, self.waiting, self.volume = False, False, False, 0
        self.set_of_clicks = "click"
        self.session, self.number, self.place, self.bar, self.at = 0, 0, 0, 0, now()
        self.trainer = set()
        self.trained = {"ramp": "80+5/4bar..120!stop", "gap": "", "drop": "20", "timer": ""}
        self.score, self.song, self.section, self.speed = "", 0, 0, 100
        self.presets = [
            ["Blue in Green", Fraction(54), "4/4", "1/4", ""], ["Jig", Fraction(112), "6/8", "3/8", "sub=2"],
            ["Rachenitsa", Fraction(420), "2+2+3/8", "1/4", ""]]
        self.recalled, self.scores, self.more_sections = None, ["setlist", "lesson"], 0
        self.taps, self.follows, self.refuses = [], "none", False
        self.commands, self.learned = [], []

    # The bar

    def numbers(self):
        groups, denominator = self.signature.split("/")
        return [int(group) for group in groups.split("+")], int(denominator)

    def notes_in_beat(self):
        (groups, denominator), (count, value) = self.numbers(), map(int, self.beat.split("/"))
        notes = Fraction(count * denominator, value)
        return int(notes) if count == 3 and notes > 1 and notes.denominator == 1 and sum(groups) % notes == 0 else 1

    def beats(self):
        return sum(self.numbers()[0]) // self.notes_in_beat()

    def length(self):
        """The nanoseconds of a beat."""
        unit = Fraction(self.beat)
        beat = Fraction(self.notes_in_beat(), self.numbers()[1])
        return float(60_000_000_000 / (self.tempo * self.speed / 100) * beat / unit)

    def levels(self):
        step, (groups, _) = self.notes_in_beat(), self.numbers()
        first = re.match(r"[XYxo.]+(?= |$)", self.rhythm)
        if first and len(first[0]) % sum(groups) == 0:
            letters = first[0][:sum(groups)]
        elif len(groups) == 1 and step > 1:
            letters = ("Y" + "x" * (step - 1)) * self.beats()
            letters = "X" + letters[1:]
        else:
            letters = "X" + "".join("Y" + "x" * (group - 1) for group in groups)[1:]
        return "".join("smwgr"["XYxo.".index(letter)] for letter in letters[::step])

    # Time

    def advance(self, time):
        """Moves the anchor to the last beat at or before an instant."""
        length = self.length()
        passed = int((time - self.at) // length) if self.playing and time > self.at else 0
        self.at += passed * length
        self.number += passed
        place = self.place + passed
        self.bar += place // self.beats()
        self.place = place % self.beats()

    def change(self, time, apply):
        """A change keeps the phase within the beat."""
        self.advance(time)
        phase = max(0, (time - self.at) / self.length()) if self.playing else 0
        apply()
        self.place %= self.beats()
        if phase:
            self.at = time - phase * self.length()

    def start(self, time):
        self.playing, self.waiting, self.session = True, False, self.session + 1
        self.number, self.place, self.bar, self.at = 0, 0, 0, time + 24_000_000
        if self.score:
            self.bar = self.section_bar() - 1

    def is_silenced(self, bar):
        if "gap" not in self.trainer or bar < 0:
            return False
        sounding, silent = map(int, self.trained["gap"].split("/"))
        return bar % (sounding + silent) >= sounding

    # Songs

    def sections(self):
        more = [(f"more {number}", 1, "4/4", 100, 100) for number in range(self.more_sections)]
        return self.SONGS[self.song][1] + more if self.score else []

    def section_bar(self):
        return 1 + sum(section[1] for section in self.sections()[:self.section])

    def enter(self, section):
        self.section = section % len(self.sections())
        self.signature, self.tempo = self.sections()[self.section][2], Fraction(self.sections()[self.section][3])
        self.bar, self.place = self.section_bar() - 1, 0

    def leave_ended_section(self):
        if self.score and self.playing:
            self.advance(now())
            if self.bar >= self.section_bar() - 1 + self.sections()[self.section][1]:
                self.change(now(), lambda: self.enter(self.section + 1))

    # Requests

    def answer(self, text):
        """The messages that answer one message."""
        word, fields = parse(text)
        same = {"id": fields["id"]} if "id" in fields else {}
        try:
            if word == "do":
                self.do(fields)
                return [message("done", **same)]
            if word == "preset":
                self.press(fields)
                self.edit(fields)
                return [message("done", **same, saving="done")]
            if word == "score":
                self.press(fields)
                self.load(fields)
                return [message("done", **same)]
            if word == "learn" and fields["action"] != "list":
                if fields["action"] == "forget":
                    del self.learned[int(fields["number"]) - 1]
                return [message("done", **same)]
            listed = {"learn": list_learned, "presets": list_presets, "scores": list_scores, "song": list_sections, "songs": list_songs}.get(word)
            if listed is None:
                raise Refused(f"unknown message {word}")
            items = [message(kind, **same, **each) for kind, each in listed(self)]
            if word not in ("presets", "learn"):
                items = items[int(fields.get("from", 1)) - 1:][:100]
            return [*items, message("done", **same, count=len(items))]
        except (Refused, ValueError, IndexError, KeyError, ZeroDivisionError) as why:
            return [message("refused", **same, why=str(why) or "malformed")]

    def learn(self, fields, device="", control=""):
        """The answer after a person has moved a control, or nothing for too long."""
        same = {"id": fields["id"]}
        if not device:
            return [message("refused", **same, why="nothing was pressed within 20 seconds")]
        use = {key: fields[key] for key in ("command", "dial") if key in fields}
        self.learned.append({"device": device, "control": control, **use})
        return [message("done", **same, device=device, control=control)]

    def edit(self, fields):
        action, name = fields["action"], fields.get("name", "")
        place = next((index for index, preset in enumerate(self.presets) if preset[0] == name), None)
        if action == "save":
            entry = [name, self.tempo, self.signature, self.beat, self.rhythm]
            self.presets[place if place is not None else len(self.presets):place + 1 if place is not None else None] = [entry]
            self.recalled = name
            return
        if place is None:
            raise Refused(f'there is no preset "{name}"')
        preset = self.presets[place]
        if action == "delete":
            self.presets.remove(preset)
        elif action == "rename":
            preset[0] = fields["to"]
        elif action == "move":
            self.presets.insert(int(fields["place"]) - 1, self.presets.pop(place))
        elif action == "recall":
            self.recalled = name
            self.change(now(), lambda: self.set(tempo=preset[1], signature=preset[2], beat=preset[3], rhythm=preset[4]))
        else:
            raise Refused(f"unknown action {action}")

    def load(self, fields):
        if self.playing:
            raise Refused("stop first: a score is loaded, or unloaded, only while the metronome is stopped")
        self.score, self.song = (fields["name"] if fields["action"] == "load" else ""), 0
        if self.score:
            self.beat, self.rhythm, self.speed = "1/4", "", 100
            self.enter(0)
        else:
            self.set(tempo=Fraction(120), signature="4/4")

    def set(self, **values):
        for key, value in values.items():
            setattr(self, key, value)

    # Commands

    def press(self, fields):
        """When the person pressed."""
        time = int(fields.get("at", now()))
        if not 0 <= now() - time <= 2_000_000_000:
            raise Refused("at is in the future, or more than two seconds ago")
        return time

    def do(self, fields):
        self.commands.append({"command": fields["command"], "age": now() - int(fields.get("at", now())), "now": now()})
        time = self.press(fields)
        word, *arguments = fields["command"].split(" ")
        command = getattr(mock_commands, "do_" + word, None)
        if command is None:
            raise Refused(f'unknown command "{word}"')
        command(self, time, *arguments)

    def is_loaded(self):
        """Whether a score or a ramp is played, which has a tempo of its own."""
        return self.score != "" or "ramp" in self.trainer
