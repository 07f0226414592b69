"""Writes and reads the messages of the mock, and makes those that describe the box. Documentation/ControlSocket.md defines them."""

import re
import time


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


def decimal(value):
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


def timeline(box):
    time = now()
    box.advance(time)
    length, count = box.length(), box.beats()
    following = max(2, min(16, int((time + 1_000_000_000 - box.at) // length)))
    levels, places = box.levels(), range(box.place, box.place + following + 1)
    return message(
        "timeline", session=box.session if box.playing else 0, playing=int(box.playing), beat=box.number, bar=box.bar,
        place=box.place, beats=count, at=int(box.at),
        next=",".join(str(int(length * (each + 1))) for each in range(following)),
        places=",".join(str((box.place + each + 1) % count) for each in range(following)),
        levels="".join("-" if box.is_silenced(box.bar + each // count) else levels[each % count] for each in places),
        quarter_us=f"{60e6 / float(box.tempo):.3f}", now=now(), raw=now())


def state(box):
    box.leave_ended_section()
    section = box.sections()[box.section][0] if box.score else ""
    text = " ".join(filter(None, [box.signature, "" if box.beat == "1/4" else f"beat {box.beat}", box.rhythm]))
    return message(
        "state", playing=int(box.playing), tempo=decimal(box.tempo), current=decimal(box.tempo * box.speed / 100),
        signature=box.signature, beat=box.beat, rhythm=box.rhythm, text=text, levels=box.levels(), silent=int(box.silent),
        volume=box.volume, set=box.set_of_clicks, trainer=trainer_words(box), source="", follows=box.follows, refuses_tempo=int(box.refuses),
        trainer_on=",".join(name for name in box.trained if name in box.trainer),
        **next_step(box), **{**box.trained, "gap": box.trained["gap"] if "gap" in box.trainer else ""}, score=box.score, song=box.SONGS[box.song][0] if box.score else "",
        songs=len(box.SONGS) if box.score else 0, song_number=box.song + 1 if box.score else 0, section=section,
        section_bar=box.section_bar() if box.score else 0, speed=box.speed, waiting=int(box.waiting), loaded=int(box.is_loaded()), late_us=3, skipped=0,
        xruns=0, audio="locked +2 ppm", lines=1, now=now(), raw=now())


def next_step(box):
    """The first step of a ramp in bars. The mock's tempo stays at what it is."""
    found = re.match(r"([\d.]+)\+([\d.]+)/(\d+)bar", box.trained["ramp"])
    if "ramp" not in box.trainer or not box.playing or not found:
        return {}
    bars = int(found[3])
    beats = bars * box.beats() - (box.bar * box.beats() + box.place) % (bars * box.beats())
    return {"next_tempo": decimal(float(found[1]) + float(found[2])), "next_beats": beats}


def trainer_words(box):
    units = {"drop": " %"}
    return ", ".join(f"{name} {box.trained[name]}{units.get(name, '')}" for name in box.trained if name in box.trainer)


def list_presets(box):
    for place, (name, tempo, signature, beat, rhythm) in enumerate(box.presets, 1):
        yield "preset", {
            "place": place, "name": name, "tempo": decimal(tempo), "signature": signature, "beat": beat, "rhythm": rhythm,
            "recalled": int(name == box.recalled), "score": ""}


def list_learned(box):
    for number, control in enumerate(box.learned, 1):
        yield "control", {"number": number, **control}


def list_scores(box):
    for name in box.scores:
        yield "stored", {"name": name}


def list_sections(box):
    bar = 1
    for number, (label, bars, signature, tempo, to) in enumerate(box.sections(), 1):
        yield "section", {
            "number": number, "label": label, "bar": bar, "bars": bars, "signature": signature, "tempo": tempo, "to": to,
            "now": int(number == box.section + 1)}
        bar += bars


def list_songs(box):
    for number, (name, _) in enumerate(box.SONGS if box.score else [], 1):
        yield "title", {"number": number, "name": name}
