"""Compares the recorded clicks with the flashes."""

from math import ceil

import ear
import voices
from runs import seconds

APART = 1_500_000
"""A click further than this from a flash, in nanoseconds, does not belong to that flash."""
LONGEST = 36_000_000
"""The length of a click, in nanoseconds: a change of the volume may fall into it."""
RATE_ERROR = 10
"""The tolerance in ppm of a card's measured rate: the Loopback card's rate wanders a little."""


def recognize(folder, run):
    """The chords that the ears recognized, in order of time; None if they were not given the program's sounds."""
    if not (folder / "sounds.wav").exists():
        return None
    voices.check(folder / "sounds.wav")
    found = []
    for recording in (ear.Recording(file.read_text()) for file in ears(folder)):
        instant = recording.map.instant if recording.map else ear.dummy_map(run.positions)
        found += [voices.Sound(instant(frame), kind, gain) for frame, kind, gain in recording.sounds]
    return voices.together(found)


def wanted(run, chords):
    """The chords with the volumes that they may have. A change of the volume takes effect within a lead."""
    found, volumes = [], run.played.volumes
    for hits, instant in chords:
        last = max(number for number, (since, _) in enumerate(volumes) if since <= instant + LONGEST)
        first = last
        while first > 0 and volumes[first][0] + run.lead + LONGEST > instant:
            first -= 1
        steps = tuple(sorted({volume for _, volume in volumes[first : last + 1]}))
        found.append((voices.Chord(hits[0].index, tuple(hits), steps), instant))
    return found


def ears(folder):
    files = sorted(file for file in folder.glob("ear.*") if file.suffix[1:].isdigit())
    if not files:
        raise ear.Unheard("the scenario has no recording of an ear")
    return files


def hear(folder, run):
    """The clicks of all ears of a scenario, in order of time, and the frame maps of the ears that read the card."""
    lead = run.number("voices_lead_ms", run.lead // 1_000_000) * 1_000_000
    lags = ear.voices(ear.Recording((folder / "voices").read_text()), lead)
    recordings = [ear.Recording(file.read_text()) for file in ears(folder)]
    clicks = [click for recording in recordings for click in recording.timed(lags, run.positions)]
    return sorted(clicks, key=lambda click: click.instant), [one.map for one in recordings if one.map]


class Findings:
    def __init__(self):
        self.problems = []
        self.clicks = 0
        self.deviations = []
        """Deviations from the flash, in nanoseconds, of all clicks outside settling times."""
        self.sounds = self.right = 0
        """How many sounds of chords were expected, and how many of these were recognized."""


def judge(run, lit, clicks):
    """Every flash has a click of the right pitch, and there is no click without a flash. With chords the same holds for
    every hit.

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
            away = compare(beat, click, flash, at, findings)
            if not any(since <= flash < until for since, until in unsettled):
                findings.deviations.append(away)
                if abs(away) > worst:
                    findings.problems.append(f"the click of {at} is {away / 1e6:+.4f} ms off")
        elif muted := [number for number, (since, until) in enumerate(run.mutes) if since <= flash < until]:
            mute[muted[0]] += 1
        elif not is_near_end(flash, silent, run.lead):
            findings.sounds += getattr(beat, "count", 0)
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


def compare(beat, click, flash, at, findings):
    """Compares the sound of a click, or of a chord. Returns the deviation from the flash."""
    if isinstance(beat, voices.Chord):
        mistakes = beat.mistakes(click)
        findings.problems += [f"the click of {at} has {mistake}" for mistake in mistakes]
        findings.sounds += beat.count
        findings.right += max(0, beat.count - len(mistakes))
        return click.away(flash)
    if click.is_high != beat.is_first:
        findings.problems.append(f"the click of {at} has the wrong pitch")
    return click.instant - flash


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
