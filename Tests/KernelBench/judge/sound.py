"""Clicks against flashes: what the ears heard, and when."""

from math import ceil

import ear
from runs import seconds

APART = 1_500_000
"""A click this far from a flash, in nanoseconds, is not that flash's."""
RATE_ERROR = 10
"""How far, in ppm, a card's measured rate may be from what the scenario made it: the Loopback card's wanders a little."""


def hear(folder, run):
    """The clicks of all ears of a scenario, in order of time, and the maps of those that saw the card."""
    lead = run.number("voices_lead_ms", run.lead // 1_000_000) * 1_000_000
    voices = ear.voices(ear.Recording((folder / "voices").read_text()), lead)
    files = sorted(file for file in folder.glob("ear.*") if file.suffix[1:].isdigit())
    if not files:
        raise ear.Unheard("nobody listened")
    recordings = [ear.Recording(file.read_text()) for file in files]
    clicks = [click for recording in recordings for click in recording.timed(voices, run.positions)]
    return sorted(clicks, key=lambda click: click.instant), [one.map for one in recordings if one.map]


class Findings:
    def __init__(self):
        self.problems = []
        self.clicks = 0
        self.deviations = []
        """From the flash, in nanoseconds, of all clicks but those while it settles."""


def judge(run, lit, clicks):
    """Every flash has its click, of the right pitch, and there is no click without one.

    Near the end of playing a click may be there or not: it may be on its way through the card when the stop comes. So it
    may when the program is stalled, and after the stall until the card's buffer is full again. While the card is taken away
    there is none; when it is back none may be late.
    """
    findings = Findings()
    heard = [click for click in clicks if run.mark.instant <= click.instant <= run.exit]
    ends = [session.end or run.signal for session in run.sessions] + [stalled for stalled, _ in run.stalls]
    ends += [moment for session in run.sessions for gap in session.gaps for moment in gap]
    ends += [moment for silence in run.played.silences for moment in silence if moment is not None]
    silent = ends + [resumed for _, resumed in run.stalls]
    mute = [0 for _ in run.mutes]
    unsettled = unsettled_times(run)
    worst = run.number("sound_worst_us", 1500) * 1000
    # What is known to be late is sent early: so much after the light its click is to be heard.
    offset = run.number("sound_offset_us", 0) * 1000
    extra, place = [], 0
    for beat, flash in ((beat, flash + offset) for beat, flash in lit):
        at = f"beat {beat.index} at {seconds(flash)}"
        while place < len(heard) and heard[place].instant < flash - APART:
            extra.append(heard[place])
            place += 1
        if place < len(heard) and heard[place].instant <= flash + APART:
            click = heard[place]
            place += 1
            findings.clicks += 1
            away = click.instant - flash
            if click.is_high != beat.is_first:
                findings.problems.append(f"the click of {at} has the other pitch")
            if not any(since <= flash < until for since, until in unsettled):
                findings.deviations.append(away)
                if abs(away) > worst:
                    findings.problems.append(f"the click of {at} is {away / 1e6:+.4f} ms off")
        elif muted := [number for number, (since, until) in enumerate(run.mutes) if since <= flash < until]:
            mute[muted[0]] += 1
        elif not is_near_end(flash, silent, run.lead):
            findings.problems.append(f"no click within 1.5 ms of {at}")
    for click in extra + heard[place:]:
        if not is_near_end(click.instant, ends, run.lead):
            findings.problems.append(f"a click at {seconds(round(click.instant))} without a flash")
    for (since, _), silent_beats in zip(run.mutes, mute):
        if silent_beats == 0:
            findings.problems.append(f"no beat was silent after {seconds(since)}: the card was not away")
    allowed = run.mark.setting("sound_p99_us", None)
    if allowed and quantile_99(findings.deviations) > int(allowed) * 1000:
        of = quantile_99(findings.deviations) / 1e6
        findings.problems.append(f"one click of a hundred is {of:.4f} ms off or more, not {int(allowed) / 1000} ms")
    return findings


def unsettled_times(run):
    """When clicks may be as far off as they are recognised: at the start, and after each fault."""
    settle = run.number("sound_settle_s", 0) * 10**9
    begins = [session.start for session in run.sessions[:1]]
    begins += [resumed for _, resumed in run.stalls] + [until for _, until in run.mutes]
    return [(begin, begin + settle) for begin in begins]


def quantile_99(deviations):
    """What 99 of a hundred do not exceed."""
    ordered = sorted(abs(deviation) for deviation in deviations)
    return ordered[ceil(len(ordered) * 0.99) - 1] if ordered else 0


def judge_cards(run, maps):
    """The card ran as fast as the scenario wanted: else nothing was tested. The rates, and what is wrong."""
    rates, problems = [], []
    for (since, wanted), (until, _) in zip(run.cards, run.cards[1:] + [(run.exit, 0)]):
        found = next((rate for one in maps if (rate := one.rate(since + 10**9, until)) is not None), None)
        if found is None or abs(found - wanted) > RATE_ERROR:
            ran = "was not heard" if found is None else f"ran at {found:+.1f} ppm"
            problems.append(f"the card {ran} after {seconds(since)}, not at {wanted:+d} ppm")
        else:
            rates.append(found)
    return rates, problems


def is_near_end(instant, ends, lead):
    return any(end - 2_000_000 <= instant <= end + lead + 2_000_000 for end in ends)
