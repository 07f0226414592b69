"""What the commands do to the box of the mock, and which of them it refuses.

The function `do_tap` is the command `tap`. `time` is when the person pressed.
"""

import re
from fractions import Fraction

from mock_messages import decimal, now

PATTERNS = {
    "ramp": r"(\d+(?:\.\d{1,3})?)[+-]\d+(?:\.\d{1,3})?/\d+(?:bar|beat|s)\.\.(\d+(?:\.\d{1,3})?)(?:!(?:stay|stop|again|reverse))?",
    "gap": r"\d{1,3}/\d{1,3}", "drop": r"\d{1,3}", "timer": r"\d+(?:\.\d+)?(?:h|m|s|ms|us)"}
"""The values of the trainer, as the configuration has them. A command without a value switches its part on or off."""


class Refused(Exception):
    pass


def refuse_in_score(box):
    if "ramp" in box.trainer:
        raise Refused("this is not possible in a ramp; end the ramp first (ramp none)")
    if box.score:
        raise Refused("the song has its own tempo; unload the song first")
    if box.refuses:
        raise Refused("a MIDI clock sets the tempo")


def do_start(box, time):
    if not box.playing or box.waiting:
        box.start(time)


def do_stop(box, time):
    box.playing = False


def do_play(box, time):
    do_stop(box, time) if box.playing and not box.waiting else box.start(time)


def do_tempo(box, time, text):
    refuse_in_score(box)
    tempo = Fraction(text)
    if not 1 <= tempo <= 999 or (tempo * 1000).denominator != 1:
        raise Refused("a tempo is a number from 1 to 999 with at most three decimals")
    box.change(time, lambda: box.set(tempo=tempo))


def step(box, time, by):
    if box.is_loaded():
        box.change(time, lambda: box.set(speed=max(1, min(400, box.speed + (1 if by > 0 else -1)))))
    else:
        do_tempo(box, time, decimal(max(Fraction(1), min(Fraction(999), box.tempo + by))))


def do_faster(box, time, by="1"):
    step(box, time, Fraction(by))


def do_slower(box, time, by="1"):
    step(box, time, -Fraction(by))


def do_reset_tempo(box, time):
    box.change(time, lambda: box.set(**({"speed": 100} if box.is_loaded() else {"tempo": Fraction(120)})))


def do_tap(box, time):
    box.taps = [tap for tap in box.taps if time - tap < 2_500_000_000][-7:] + [time]
    if len(box.taps) >= 3 and not box.is_loaded():
        mean = (box.taps[-1] - box.taps[0]) / (len(box.taps) - 1)
        do_tempo(box, time, str(round(60e9 / mean)))


def do_signature(box, time, text):
    refuse_in_score(box)
    if not re.fullmatch(r"\d+(\+\d+)*/(1|2|4|8|16|32)", text) or sum(map(int, text.split("/")[0].split("+"))) > 32:
        raise Refused(f'invalid signature "{text}"; write one such as 7/8')
    box.change(time, lambda: box.set(signature=text))


def do_beat(box, time, text):
    refuse_in_score(box)
    box.change(time, lambda: box.set(beat=text))


def do_rhythm(box, time, *words):
    text = " ".join(words)
    refuse_in_score(box)
    if not re.fullmatch(r"[XYxo.0-9:*|]*( ?(sub|swing)=[\d:%@.]+)*( ?& ?[XYxo.0-9:@/|a-z=]+( sound=\w+)?)*", text):
        raise Refused(f'rhythm, column 1: invalid rhythm "{text}"')
    box.change(time, lambda: box.set(rhythm=text))


def do_volume(box, time, text):
    if not -36 <= float(text) <= 0:
        raise Refused("a volume is from -36 to 0")
    box.volume = text


def do_set(box, time, text):
    if text not in ["click", "wood", "rim", "hihat", "beep", "mechanical", "soft", "dry"]:
        raise Refused(f'unknown set "{text}"')
    box.set_of_clicks = text


def do_silent(box, time):
    box.silent = not box.silent


def do_next_preset(box, time, by=1):
    names = [preset[0] for preset in box.presets]
    place = names.index(box.recalled) + by if box.recalled in names else 0
    box.edit({"action": "recall", "name": names[place % len(names)]})


def do_previous_preset(box, time):
    do_next_preset(box, time, -1)


def move(box, by):
    if not box.score:
        raise Refused("no score is loaded")
    box.change(now(), lambda: box.enter(box.section + by))


def do_next_section(box, time):
    move(box, 1)


def do_previous_section(box, time):
    move(box, -1)


def do_restart_section(box, time):
    move(box, 0)


def do_next_song(box, time, by=1):
    if not box.score:
        raise Refused("no score is loaded")
    box.song = (box.song + by) % len(box.SONGS)
    box.change(time, lambda: box.enter(0))


def do_previous_song(box, time):
    do_next_song(box, time, -1)


def train(box, name, text):
    if text in ("none", "never"):
        box.trainer.discard(name)
        return
    found = re.fullmatch(PATTERNS[name], text or box.trained[name])
    if not found or (name == "ramp" and float(found[1]) == float(found[2])):
        raise Refused(f'invalid {name} "{text}"')
    if text is None and name in box.trainer:
        box.trainer.remove(name)
        return
    box.trained[name] = found[0]
    box.trainer.add(name)


def do_ramp(box, time, text=None):
    if box.score:
        raise Refused("the song has its own tempo; unload the song first")
    train(box, "ramp", text)
    box.speed = 100


def do_gap(box, time, text):
    train(box, "gap", text)


def do_drop(box, time, text=None):
    train(box, "drop", text)


def do_timer(box, time, text=None):
    train(box, "timer", text)
