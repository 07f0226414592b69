"""What the program said of itself on SIGUSR1, against what the music and the record of its lines say.

A scenario says `mark figures KEY=VALUE…` at the instant of the signal, in the middle between two flashes; the log has one
line of figures for each, in order. `skipped` and `reopenings` are what it is to have counted by then, 0 if not said.
"""

import json
import re

from edges import edges
from runs import LIGHT, seconds

LINE = re.compile(r"^(?:<\d>)?metronome: figures (\{.*\})$", re.MULTILINE)
KEYS = ["uptime_s", "beats", "skipped", "late_us", "missed_clicks", "xruns", "reopenings", "wakeups", "failed_sets"]
CLOCK_S = 0.1
"""By how much the program's own time may be less than the run's: it takes a moment to begin."""

NEAR = 5_000_000
"""So near to a beat nobody can say whether it is to be counted."""


class Findings:
    def __init__(self):
        self.told = 0
        self.problems = []


def judge(run, log):
    """`log`: what the program wrote to standard error."""
    findings = Findings()
    told = LINE.findall(log)
    if len(told) != len(run.figures):
        findings.problems.append(f"{len(told)} lines of figures for {len(run.figures)} signals")
    before = {}
    for mark, text in zip(run.figures, told):
        try:
            figures = json.loads(text)
        except ValueError:
            findings.problems.append(f"no JSON: {text}")
            continue
        findings.told += 1
        findings.problems += [f"figures at {seconds(mark.instant)}: {text}" for text in problems(run, mark, figures, before)]
        before = figures
    return findings


def problems(run, mark, figures, before):
    if list(figures) != KEYS:
        yield f"the keys are {', '.join(figures)}"
        return
    at = mark.instant
    beats = sum(len(session.beats(min(session.end or run.end, at))) for session in run.sessions)
    if any(abs(beat.instant - at) < NEAR for session in run.sessions for beat in session.beats(session.end or run.end)):
        yield "asked for at a beat: not the moment to be tested"
    # What the kernel saw, and what it could not see because there were no lines.
    seen = sum(edge.line == LIGHT and edge.rises and edge.instant < at for edge in edges(run.writes))
    away = sum(
        since <= beat.instant < back
        for session in run.sessions for beat in session.beats(session.end or run.end) for since, back in run.absences
        if back < at)
    if figures["beats"] + figures["skipped"] != beats:
        yield f"{figures['beats']} shown and {figures['skipped']} skipped are not the {beats} that there were"
    if not seen <= figures["beats"] <= seen + away:
        yield f"{figures['beats']} beats, and the light rose {seen} times, {away} fell while there was no chip"
    for key in ("skipped", "reopenings"):
        wanted = int(mark.setting(key, 0))
        if figures[key] != wanted:
            yield f"{key} is {figures[key]} and not {wanted}"
    for key in ("missed_clicks", "xruns", "failed_sets"):
        if mark.setting(key, "0") == "0" and figures[key]:
            yield f"{key} is {figures[key]}"
        elif mark.setting(key, "0") == "some" and not figures[key]:
            yield f"{key} is 0"
    yield from problems_of_time(run, mark, figures)
    for key in ("beats", "skipped", "missed_clicks", "xruns", "reopenings", "failed_sets", "uptime_s"):
        if figures[key] < before.get(key, 0):
            yield f"{key} was {before[key]} and is {figures[key]}"


def problems_of_time(run, mark, figures):
    late = figures["late_us"]
    if list(late) != ["p50", "p99", "p99.9", "max"]:
        yield f"the quantiles are {', '.join(late)}"
    elif figures["beats"] and not 0 <= late["p50"] <= late["p99"] <= late["p99.9"] <= late["max"]:
        yield f"quantiles out of order: {late}"
    elif figures["beats"] and late["p50"] > run.lateness / 1000:
        yield f"every other beat more than {run.lateness / 1000} µs late: {late}"
    elif not figures["skipped"] and figures["beats"] and late["max"] > float(mark.setting("max_us", run.lateness / 1000)):
        yield f"a beat was {late['max']} µs late"
    elapsed = (mark.instant - run.mark.instant) / 1e9
    if not elapsed - CLOCK_S <= figures["uptime_s"] <= elapsed:
        yield f"uptime_s is {figures['uptime_s']}, {elapsed:.3f} s after the start"
    if figures["wakeups"]["beats"] < figures["beats"]:
        yield f"{figures['wakeups']['beats']} steps for {figures['beats']} beats"
    if bool(figures["wakeups"]["audio"]) != (run.sound != "none"):
        yield f"{figures['wakeups']['audio']} steps of the audio loop"
