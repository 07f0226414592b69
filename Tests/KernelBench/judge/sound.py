"""Compares the recorded clicks with the flashes."""

from math import ceil

import ear
from runs import seconds

APART = 1_500_000
"""A click further than this from a flash, in nanoseconds, does not belong to that flash."""
RATE_ERROR = 10
"""The tolerance in ppm of a card's measured rate: the Loopback card's rate wanders a little."""


def hear(folder, run):
    """The clicks of all ears of a scenario, in order of time, and the frame maps of the ears that read the card."""
    lead = run.number("voices_lead_ms", run.lead // 1_000_000) * 1_000_000
    voices = ear.voices(ear.Recording((folder / "voices").read_text()), lead)
    files = sorted(file for file in folder.glob("ear.*") if file.suffix[1:].isdigit())
    if not files:
        raise ear.Unheard("the scenario has no recording of an ear")
    recordings = [ear.Recording(file.read_text()) for file in files]
    clicks = [click for recording in recordings for click in recording.timed(voices, run.positions)]
    return sorted(clicks, key=lambda click: click.instant), [one.map for one in recordings if one.map]


class Findings:
    def __init__(self):
        self.problems = []
        self.clicks = 0
        self.deviations = []
        """Deviations from the flash, in nanoseconds, of all clicks outside settling times."""


def judge(run, lit, clicks):
    """Every flash has a click of the right pitch, and there is no click without a flash.

    Near the end of playback a click is optional: it may still be in the card's buffer at the stop. The same holds for a
    stall, and after it until the card's buffer is full again. While the card is unplugged there is no click; after its
    return no click may be late.
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
    # A known latency is compensated: the click must be recorded this much after the light.
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
                findings.problems.append(f"the click of {at} has the wrong pitch")
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
            findings.problems.append(f"invalid test: no beat was silent after {seconds(since)}")
    allowed = run.mark.setting("sound_p99_us", None)
    if allowed and quantile_99(findings.deviations) > int(allowed) * 1000:
        of = quantile_99(findings.deviations) / 1e6
        findings.problems.append(f"the p99 deviation of the clicks is {of:.4f} ms, more than {int(allowed) / 1000} ms")
    return findings


def unsettled_times(run):
    """The times at which clicks may deviate up to the detection limit: at the start, and after each fault."""
    settle = run.number("sound_settle_s", 0) * 10**9
    begins = [session.start for session in run.sessions[:1]]
    begins += [resumed for _, resumed in run.stalls] + [until for _, until in run.mutes]
    return [(begin, begin + settle) for begin in begins]


def quantile_99(deviations):
    """The 99th percentile of the absolute deviations."""
    ordered = sorted(abs(deviation) for deviation in deviations)
    return ordered[ceil(len(ordered) * 0.99) - 1] if ordered else 0


def judge_cards(run, maps):
    """The card's rate must be the one set by the scenario; otherwise the test is invalid. Returns rates and
    problems."""
    rates, problems = [], []
    for (since, wanted), (until, _) in zip(run.cards, run.cards[1:] + [(run.exit, 0)]):
        found = next((rate for one in maps if (rate := one.rate(since + 10**9, until)) is not None), None)
        if found is None or abs(found - wanted) > RATE_ERROR:
            ran = "has no measured rate" if found is None else f"ran at {found:+.1f} ppm"
            problems.append(f"invalid test: the card {ran} after {seconds(since)}, not at {wanted:+d} ppm")
        else:
            rates.append(found)
    return rates, problems


def is_near_end(instant, ends, lead):
    return any(end - 2_000_000 <= instant <= end + lead + 2_000_000 for end in ends)
