"""A metronome that only computes: it answers the messages of the control socket as Documentation/ControlSocket.md words them.

It has no lines and no sound, and its rules are simpler than those of the box: a change of tempo keeps the phase and takes effect at
once, and a rhythm is not checked beyond its letters.
"""

import re
import time
from fractions import Fraction

SONGS = [
    ("Take Five", [("vamp", 8, "3+2/4", 172, 172), ("theme", 8, "3+2/4", 172, 172), ("bridge", 8, "3+2/4", 172, 172),
                   ("end", 4, "3+2/4", 172, 120)]),
    ("Waltz", [("slow", 16, "3/4", 90, 90), ("fast", 16, "3/4", 90, 180)])]


def now():
    return time.monotonic_ns()


def quoted(value):
    text = str(value)
    if text and not re.search(r'[ "\\]', text):
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def message(word, **fields):
    """A message; underscores in names become hyphens."""
    return " ".join([word, *(f"{key.rstrip('_').replace('_', '-')}={quoted(value)}" for key, value in fields.items())])


def parse(text):
    word, _, rest = text.partition(" ")
    fields = {
        key: re.sub(r'\\(["\\])', r"\1", inner) if inner or '="' in whole else plain
        for whole, key, inner, plain in re.findall(r'((\S+?)=(?:"((?:[^"\\]|\\.)*)"|(\S*)))', rest)}
    return word, fields


class Refused(Exception):
    pass


class Box:
    def __init__(self):
        self.tempo, self.signature, self.beat, self.rhythm = Fraction(120), "4/4", "1/4", ""
        self.playing, self.silent, self.waiting, self.volume = False, False, False, 0
        self.session, self.number, self.place, self.bar, self.at = 0, 0, 0, 0, now()
        self.trainer = set()
        self.trained = {"ramp": "80+5/4bar..120!stop", "gap": "", "drop": "20", "timer": ""}
        self.score, self.song, self.section, self.speed = "", 0, 0, 100
        self.presets = [
            ["Blue in Green", Fraction(54), "4/4", "1/4", ""], ["Jig", Fraction(112), "6/8", "3/8", "sub=2"],
            ["Rachenitsa", Fraction(420), "2+2+3/8", "1/4", ""]]
        self.recalled, self.scores, self.more_sections = None, ["setlist", "lesson"], 0
        self.taps, self.follows, self.refuses = [], "none", False
        self.commands = []

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

    def timeline(self):
        time = now()
        self.advance(time)
        length, count = self.length(), self.beats()
        following = max(2, min(16, int((time + 1_000_000_000 - self.at) // length)))
        levels, places = self.levels(), range(self.place, self.place + following + 1)
        return message(
            "timeline", session=self.session if self.playing else 0, playing=int(self.playing), beat=self.number, bar=self.bar,
            place=self.place, beats=count, at=int(self.at),
            next=",".join(str(int(length * (each + 1))) for each in range(following)),
            places=",".join(str((self.place + each + 1) % count) for each in range(following)),
            levels="".join("-" if self.is_silenced(self.bar + each // count) else levels[each % count] for each in places),
            quarter_us=f"{60e6 / float(self.tempo):.3f}", now=now(), raw=now())

    # Songs

    def sections(self):
        more = [(f"more {number}", 1, "4/4", 100, 100) for number in range(self.more_sections)]
        return SONGS[self.song][1] + more if self.score else []

    def section_bar(self):
        return 1 + sum(section[1] for section in self.sections()[:self.section])

    def enter(self, section):
        self.section = section % len(self.sections())
        self.signature, self.tempo = self.sections()[self.section][2], Fraction(self.sections()[self.section][3])
        self.bar, self.place = self.section_bar() - 1, 0

    def state(self):
        if self.score and self.playing:
            self.advance(now())
            if self.bar >= self.section_bar() - 1 + self.sections()[self.section][1]:
                self.change(now(), lambda: self.enter(self.section + 1))
        section = self.sections()[self.section][0] if self.score else ""
        text = " ".join(filter(None, [self.signature, "" if self.beat == "1/4" else f"beat {self.beat}", self.rhythm]))
        return message(
            "state", playing=int(self.playing), tempo=decimal(self.tempo), current=decimal(self.tempo * self.speed / 100),
            signature=self.signature, beat=self.beat, rhythm=self.rhythm, text=text, levels=self.levels(), silent=int(self.silent),
            volume=self.volume, trainer=self.trainer_words(), source="", follows=self.follows, refuses_tempo=int(self.refuses),
            trainer_on=",".join(name for name in self.PATTERNS if name in self.trainer),
            **{**self.trained, "gap": self.trained["gap"] if "gap" in self.trainer else ""}, score=self.score, song=SONGS[self.song][0] if self.score else "",
            songs=len(SONGS) if self.score else 0, song_number=self.song + 1 if self.score else 0, section=section,
            section_bar=self.section_bar() if self.score else 0, speed=self.speed, waiting=int(self.waiting), loaded=int(self.is_loaded()), late_us=3, skipped=0,
            xruns=0, audio="locked +2 ppm", lines=1, now=now(), raw=now())

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
            listed = {"presets": self.list_presets, "scores": self.list_scores, "song": self.list_sections}.get(word)
            if listed is None:
                raise Refused(f"unknown message {word}")
            items = [message(kind, **same, **each) for kind, each in listed()]
            if word != "presets":
                items = items[int(fields.get("from", 1)) - 1:][:100]
            return [*items, message("done", **same, count=len(items))]
        except (Refused, ValueError, IndexError, KeyError, ZeroDivisionError) as why:
            return [message("refused", **same, why=str(why) or "malformed")]

    def list_presets(self):
        for place, (name, tempo, signature, beat, rhythm) in enumerate(self.presets, 1):
            yield "preset", {
                "place": place, "name": name, "tempo": decimal(tempo), "signature": signature, "beat": beat, "rhythm": rhythm,
                "recalled": int(name == self.recalled), "score": ""}

    def list_scores(self):
        for name in self.scores:
            yield "stored", {"name": name}

    def list_sections(self):
        bar = 1
        for number, (label, bars, signature, tempo, to) in enumerate(self.sections(), 1):
            yield "section", {
                "number": number, "label": label, "bar": bar, "bars": bars, "signature": signature, "tempo": tempo, "to": to,
                "now": int(number == self.section + 1)}
            bar += bars

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
            raise Refused("the metronome plays; stop it before another score is loaded")
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
        method = getattr(self, "do_" + word, None)
        if method is None:
            raise Refused(f'unknown command "{word}"')
        method(time, *arguments)

    def is_loaded(self):
        """Whether a score or a ramp is played, which has a tempo of its own."""
        return self.score != "" or "ramp" in self.trainer

    def refuse_in_score(self):
        if "ramp" in self.trainer:
            raise Refused("this is not possible in a ramp; ramp none ends it")
        if self.score:
            raise Refused("a score is loaded; its tempo and signature cannot be set")
        if self.refuses:
            raise Refused("a MIDI clock sets the tempo")

    def do_start(self, time):
        if not self.playing or self.waiting:
            self.start(time)

    def do_stop(self, time):
        self.playing = False

    def do_play(self, time):
        self.do_stop(time) if self.playing and not self.waiting else self.start(time)

    def do_tempo(self, time, text):
        self.refuse_in_score()
        tempo = Fraction(text)
        if not 1 <= tempo <= 999 or (tempo * 1000).denominator != 1:
            raise Refused("a tempo is a number from 1 to 999 with at most three decimals")
        self.change(time, lambda: self.set(tempo=tempo))

    def step(self, time, by):
        if self.is_loaded():
            self.change(time, lambda: self.set(speed=max(1, min(400, self.speed + (1 if by > 0 else -1)))))
        else:
            self.do_tempo(time, decimal(max(Fraction(1), min(Fraction(999), self.tempo + by))))

    def do_faster(self, time, by="1"):
        self.step(time, Fraction(by))

    def do_slower(self, time, by="1"):
        self.step(time, -Fraction(by))

    def do_tempo_reset(self, time):
        self.change(time, lambda: self.set(**({"speed": 100} if self.is_loaded() else {"tempo": Fraction(120)})))

    def do_tap(self, time):
        self.taps = [tap for tap in self.taps if time - tap < 2_500_000_000][-7:] + [time]
        if len(self.taps) >= 3 and not self.is_loaded():
            mean = (self.taps[-1] - self.taps[0]) / (len(self.taps) - 1)
            self.do_tempo(time, str(round(60e9 / mean)))

    def do_signature(self, time, text):
        self.refuse_in_score()
        if not re.fullmatch(r"\d+(\+\d+)*/(1|2|4|8|16|32)", text) or sum(map(int, text.split("/")[0].split("+"))) > 32:
            raise Refused(f'invalid signature "{text}"; write one such as 7/8')
        self.change(time, lambda: self.set(signature=text))

    def do_beat(self, time, text):
        self.refuse_in_score()
        self.change(time, lambda: self.set(beat=text))

    def do_rhythm(self, time, *words):
        text = " ".join(words)
        self.refuse_in_score()
        if not re.fullmatch(r"[XYxo.0-9:*|]*( ?(sub|swing)=[\d:%@.]+)*( ?& ?[XYxo.0-9:@/|a-z=]+( sound=\w+)?)*", text):
            raise Refused(f'rhythm, column 1: invalid rhythm "{text}"')
        self.change(time, lambda: self.set(rhythm=text))

    def do_volume(self, time, text):
        if not -36 <= float(text) <= 0:
            raise Refused("a volume is from -36 to 0")
        self.volume = text

    def do_silent(self, time):
        self.silent = not self.silent

    def do_preset_next(self, time, by=1):
        names = [preset[0] for preset in self.presets]
        place = names.index(self.recalled) + by if self.recalled in names else 0
        self.edit({"action": "recall", "name": names[place % len(names)]})

    def do_preset_previous(self, time):
        self.do_preset_next(time, -1)

    def move(self, by):
        if not self.score:
            raise Refused("no score is loaded")
        self.change(now(), lambda: self.enter(self.section + by))

    def do_next_section(self, time):
        self.move(1)

    def do_previous_section(self, time):
        self.move(-1)

    def do_restart_section(self, time):
        self.move(0)

    def do_next_song(self, time, by=1):
        if not self.score:
            raise Refused("no score is loaded")
        self.song = (self.song + by) % len(SONGS)
        self.change(time, lambda: self.enter(0))

    def do_previous_song(self, time):
        self.do_next_song(time, -1)

    # The trainer: the values are those of the configuration's keys; a command without a value switches its part on or off.

    PATTERNS = {
        "ramp": r"(\d+(?:\.\d{1,3})?)[+-]\d+(?:\.\d{1,3})?/\d+(?:bar|beat|s)\.\.(\d+(?:\.\d{1,3})?)(?:!(?:stay|stop|again|reverse))?",
        "gap": r"\d{1,3}/\d{1,3}", "drop": r"\d{1,3}", "timer": r"\d+(?:\.\d+)?(?:h|m|s|ms|us)"}

    def train(self, name, text):
        if text in ("none", "never"):
            self.trainer.discard(name)
            return
        found = re.fullmatch(self.PATTERNS[name], text or self.trained[name])
        if not found or (name == "ramp" and float(found[1]) == float(found[2])):
            raise Refused(f'invalid {name} "{text}"')
        if text is None and name in self.trainer:
            self.trainer.remove(name)
            return
        self.trained[name] = found[0]
        self.trainer.add(name)

    def do_ramp(self, time, text=None):
        if self.score:
            raise Refused("a score is loaded; a ramp cannot begin")
        self.train("ramp", text)
        self.speed = 100

    def do_gap(self, time, text):
        self.train("gap", text)

    def do_drop(self, time, text=None):
        self.train("drop", text)

    def do_timer(self, time, text=None):
        self.train("timer", text)

    def trainer_words(self):
        units = {"drop": " %"}
        return ", ".join(f"{name} {self.trained[name]}{units.get(name, '')}" for name in self.PATTERNS if name in self.trainer)


def decimal(value):
    return f"{float(value):.3f}".rstrip("0").rstrip(".")
