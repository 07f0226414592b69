"""Compares the statistics that the program logs after SIGUSR1 with the expected beats and the trace of its lines.

A scenario writes `mark figures KEY=VALUE…` at the instant of the signal, midway between two flashes; the log has one
line of statistics per signal, in order. `skipped` and `reopenings` are the counts expected by then, by default 0.
"""

import json
import re
from bisect import bisect_right

from edges import edges
from runs import LIGHT, seconds

LINE = re.compile(r"^(?:<\d>)?metronome: figures (\{.*\})$", re.MULTILINE)
KEYS = {"uptime_s", "beats", "skipped", "late_us", "missed_clicks", "xruns", "reopenings", "wakeups", "failed_sets"}
CLOCK_S = 0.1
"""The program's uptime may be shorter than the run by up to this time, because the program takes a moment to start."""

NEAR = 5_000_000
"""A signal this close to a beat is ambiguous: the beat may be counted or not."""


class Findings:
    def __init__(self):
        self.count = 0
        self.problems = []


def judge(run, log):
    """`log`: the program's standard error."""
    findings = Findings()
    logged = LINE.findall(log)
    if len(logged) != len(run.figures):
        findings.problems.append(f"{len(logged)} lines of figures for {len(run.figures)} signals")
    before = {}
    for mark, text in zip(run.figures, logged):
        try:
            figures = json.loads(text)
        except ValueError:
            findings.problems.append(f"invalid JSON: {text}")
            continue
        findings.count += 1
        findings.problems += [f"figures at {seconds(mark.instant)}: {text}" for text in problems(run, mark, figures, before)]
        before = figures
    return findings


def problems(run, mark, figures, before):
    if set(figures) != KEYS:
        yield f"the keys are {', '.join(figures)}, not {', '.join(sorted(KEYS))}"
        return
    at = mark.instant
    played = [beat for session in run.sessions for beat in session.beats(min(session.end or run.end, at))]
    beats, rests = len(played), sum(beat.level == "rest" for beat in played)
    if any(abs(beat.instant - at) < NEAR for session in run.sessions for beat in session.beats(session.end or run.end)):
        yield "invalid test: the signal was sent at a beat"
    # The flashes on beats that the kernel traced, and the beats without a flash: rests, and those while the chip was missing.
    starts = [beat.instant for beat in played]
    flashes = [edge.instant for edge in edges(run.writes) if edge.line == LIGHT and edge.rises and edge.instant < at]
    seen = sum(is_at_beat(run, flash, starts) for flash in flashes)
    away = sum(
        since <= beat.instant < back
        for session in run.sessions for beat in session.beats(session.end or run.end) for since, back in run.absences
        if back < at)
    if figures["beats"] + figures["skipped"] != beats:
        yield f"{figures['beats']} shown and {figures['skipped']} skipped beats, but there were {beats}"
    if not seen <= figures["beats"] <= seen + away + rests:
        yield f"{figures['beats']} beats, but {seen} flashes, {rests} rests, and {away} beats while the chip was missing"
    for key in ("skipped", "reopenings"):
        wanted = int(mark.setting(key, 0))
        if figures[key] != wanted:
            yield f"{key} is {figures[key]}, not {wanted}"
    for key in ("missed_clicks", "xruns", "failed_sets"):
        if mark.setting(key, "0") == "0" and figures[key]:
            yield f"{key} is {figures[key]}, not 0"
        elif mark.setting(key, "0") == "some" and not figures[key]:
            yield f"{key} is 0, but must not be"
    yield from problems_of_time(run, mark, figures)
    for key in ("beats", "skipped", "missed_clicks", "xruns", "reopenings", "failed_sets", "uptime_s"):
        if figures[key] < before.get(key, 0):
            yield f"{key} decreased from {before[key]} to {figures[key]}"


def is_at_beat(run, flash, starts):
    """Whether a flash is not within a beat. Without hits all flashes count, also those that are late after a stall."""
    if not any(session.has_hits for session in run.sessions):
        return True
    place = bisect_right(starts, flash)
    return place > 0 and flash - starts[place - 1] <= run.lateness


def problems_of_time(run, mark, figures):
    late = figures["late_us"]
    if set(late) != {"p50", "p99", "p99.9", "max"}:
        yield f"the quantiles are {', '.join(late)}"
    elif figures["beats"] and not 0 <= late["p50"] <= late["p99"] <= late["p99.9"] <= late["max"]:
        yield f"quantiles out of order: {late}"
    elif figures["beats"] and late["p50"] > run.lateness / 1000:
        yield f"half of the beats are more than {run.lateness / 1000} µs late: {late}"
    elif not figures["skipped"] and figures["beats"] and late["max"] > float(mark.setting("max_us", run.lateness / 1000)):
        yield f"a beat was {late['max']} µs late"
    elapsed = (mark.instant - run.mark.instant) / 1e9
    if not elapsed - CLOCK_S <= figures["uptime_s"] <= elapsed:
        yield f"uptime_s is {figures['uptime_s']}, {elapsed:.3f} s after the start"
    if figures["wakeups"]["beats"] < figures["beats"]:
        yield f"only {figures['wakeups']['beats']} steps for {figures['beats']} beats"
    if bool(figures["wakeups"]["audio"]) != (run.sound != "none"):
        yield f"{figures['wakeups']['audio']} steps of the audio loop, with sound {run.sound}"
