"""Compares the edges of a session, from a start to a stop, with its beats and hits: of the light, the buzzer and the pendulum."""

from bisect import bisect_right

from edges import NAMES, describe, matched
from music import Hit
from runs import BUZZER, KILLED, LIGHT, PENDULUM, seconds
from showing import (
    BACK_AFTER, DARK_AFTER, EITHER, LEFT_OUT, SHOWN, earliness, is_back, is_dark, is_in_gap, showing, sounding, without_late_flashes)


def judge_session(run, session, found, findings):
    until = session.end or run.end
    beats = session.beats(until + session.slack)
    has_hits = session.has_hits
    shown = [(beat, showing(run, session, beat)) for beat in beats if beat.level != "rest"]
    certain = [beat for beat, how in shown if how == SHOWN]
    uncertain = [beat for beat, how in shown if how == EITHER and not is_dark(beat.instant, run.blackouts)]
    light = [edge for edge in found if edge.line == LIGHT and edge.rises]
    pairs, extra = matched(certain, light, lambda beat: beat.instant)
    hits, sought = {LIGHT: {}, BUZZER: {}}, found
    if has_hits:
        hits[LIGHT], extra = judge_hits(run, session, LIGHT, extra, findings)
        of_beats = {edge.call for _, edge in pairs if edge is not None}
        buzzes = [edge for edge in found if edge.line == BUZZER and edge.rises and edge.call not in of_beats]
        hits[BUZZER], _ = judge_hits(run, session, BUZZER, buzzes, findings)
        buzzed = set(hits[BUZZER].values())
        sought = [edge for edge in found if edge not in buzzed]
    extra = without_late_flashes(extra, run.blackouts)
    extra = [edge for edge in extra if not any(0 <= edge.instant - beat.instant <= DARK_AFTER for beat in uncertain)]
    findings.problems += [f"{describe(edge)} with no beat" for edge in extra]
    risen = {}
    for beat, edge in pairs:
        if edge is None:
            findings.problem(f"light missing on beat {beat.index} at {seconds(beat.instant)}")
            continue
        risen[beat] = edge
        findings.beats += 1
        if sounding(run, beat) == SHOWN:
            findings.lit.append((beat, edge.instant))
        judge_edge(run, session, beat, edge, findings)
        if beat.index == 0 and session.asked is not None:
            judge_reaction(run, edge.instant - session.asked, findings)
    without_light = [beat for beat, how in shown if how == LEFT_OUT and not is_in_gap(beat, session)]
    findings.lit += [(beat, beat.instant) for beat in without_light if sounding(run, beat) == SHOWN]
    findings.chords += chords(run, session, until + session.slack, risen, hits[LIGHT])
    alone = buzzer_alone(run, without_light, found, findings)
    judge_buzzer(run, risen, {edge.call for edge in alone.values()}, uncertain, sought, findings)
    swung = [beat for beat in beats if beat.level == "rest" and showing(run, session, beat) == SHOWN]
    judge_pendulum(run, session, risen, without_light + swung, found, findings)
    judge_falls(run, session, LIGHT, risen | hits[LIGHT], found, findings, has_hits)
    judge_falls(run, session, BUZZER, risen | alone | hits[BUZZER], found, findings, has_hits)


def judge_edge(run, session, beat, edge, findings):
    late = edge.instant - beat.instant
    findings.latest = max(findings.latest, late)
    if not earliness(run, session) <= late <= run.lateness:
        findings.problem(f"light {late / 1000:+.3f} µs off {named(beat)} at {seconds(beat.instant)}")
    if edge.line == LIGHT and run.colors and findings.colors[edge.instant] != run.colors[beat.level]:
        findings.problem(f"the light has the wrong color on {named(beat)} at {seconds(beat.instant)}")


def named(pulse):
    part = f" + {pulse.part}" if getattr(pulse, "part", 0) else ""
    return f"beat {pulse.index}{part}"


def judge_hits(run, session, line, rises, findings):
    """Compares rising edges that belong to no beat with the hits within beats. Returns {hit: edge}, and the edges left over."""
    until = (session.end or run.end) + session.slack
    shown = [pulse for pulse in session.pulses(run.shows[line], until) if isinstance(pulse, Hit)]
    unsettled = session.unsettled_hits(run.shows[line], until)
    if line == BUZZER:
        unsettled |= {hit for hit in shown if sounding(run, hit) == EITHER}
        shown = [hit for hit in shown if sounding(run, hit) != LEFT_OUT]
    how = {hit: EITHER if hit in unsettled else showing(run, session, hit) for hit in shown}
    certain = [hit for hit in shown if how[hit] == SHOWN]
    either = [hit.instant for hit in shown if how[hit] == EITHER] + [hit.instant for hit in unsettled]
    pairs, extra = matched(certain, rises, lambda hit: hit.instant)
    risen = {}
    for hit, edge in pairs:
        if edge is None:
            findings.problem(f"{NAMES[line]} missing on {named(hit)} at {seconds(hit.instant)}")
            continue
        risen[hit] = edge
        findings.hits += 1
        judge_edge(run, session, hit, edge, findings)
    return risen, [edge for edge in extra if not any(0 <= edge.instant - one <= DARK_AFTER for one in either)]


def chords(run, session, until, *shown):
    """([hits], instant) for all hits that must be heard, together if they fall at the same instant."""
    flashes = {pulse.instant: edge.instant for risen in shown for pulse, edge in risen.items()}
    found = {}
    for hit in session.hits(until):
        how = showing(run, session, hit)
        if sounding(run, hit) == SHOWN and (how == SHOWN or how == LEFT_OUT and not is_in_gap(hit, session)):
            found.setdefault(hit.instant, []).append(hit)
    return [(hits, flashes.get(instant, instant)) for instant, hits in found.items()]


def judge_reaction(run, reaction, findings):
    findings.reaction = max(findings.reaction, reaction)
    if reaction > run.number("reaction_us", 10**9) * 1000:
        findings.problem(f"the first flash is {reaction / 1e6:.6f} ms after the press")


def buzzer_alone(run, without_light, found, findings):
    """The beats that only the buzzer shows because the light shows a refusal, each with its edge."""
    rises = [edge for edge in found if edge.line == BUZZER and edge.rises]
    refusals = [reply for reply in run.played.replies if reply.is_for_the_eye]
    alone = {}
    for beat in without_light:
        if sounding(run, beat) != SHOWN or not any(one.start <= beat.instant < one.end for one in refusals):
            continue
        edge = next((edge for edge in rises if 0 <= edge.instant - beat.instant <= run.lateness), None)
        if edge is None:
            findings.problem(f"buzzer missing on beat {beat.index} at {seconds(beat.instant)}, while the light refuses")
        else:
            alone[beat] = edge
    return alone


def judge_buzzer(run, risen, alone, uncertain, found, findings):
    """The buzzer rises with every flash, in the same call, and at no other time; never in silent mode.

    `alone`: the calls in which it correctly rises without the light."""
    buzzer = {edge.call: edge for edge in found if edge.line == BUZZER and edge.rises}
    for beat, edge in risen.items():
        how, sounds = sounding(run, beat), buzzer.pop(edge.call, None) is not None
        if how == SHOWN and not sounds:
            findings.problem(f"buzzer not in the light's call on beat {beat.index} at {seconds(beat.instant)}")
        elif how == LEFT_OUT and sounds:
            findings.problem(f"buzzer on beat {beat.index} at {seconds(beat.instant)}, which is silent")
    flashes = alone | {edge.call for edge in found if edge.line == LIGHT and edge.rises}
    flashes |= {e.call for e in buzzer.values() if any(0 <= e.instant - one.instant <= DARK_AFTER for one in uncertain)}
    findings.problems += [f"{describe(edge)} without the light" for edge in buzzer.values() if edge.call not in flashes]


def judge_pendulum(run, session, risen, without_light, found, findings):
    """The pendulum is on from each odd beat to the next beat. It changes in the light's call, or at the beat's instant
    while the light shows a reply."""
    changes = [edge for edge in found if edge.line == PENDULUM]
    explained = {edge.call for edge in risen.values()}
    calls_of = [(beat, edge.call) for beat, edge in risen.items()]
    for beat in without_light:
        mine = [edge for edge in changes if 0 <= edge.instant - beat.instant <= run.lateness]
        explained.update(edge.call for edge in mine)
        place = bisect_right(changes, beat.instant + run.lateness, key=lambda change: change.instant)
        if beat.is_odd != (place > 0 and changes[place - 1].rises):
            findings.problem(f"pendulum not changed on beat {beat.index} at {seconds(beat.instant)}")
    for beat, call in calls_of:
        place = bisect_right(changes, call, key=lambda change: change.call)
        if beat.is_odd != (place > 0 and changes[place - 1].rises):
            findings.problem(f"pendulum not in the light's call on beat {beat.index} at {seconds(beat.instant)}")
    ends = [session.end or run.end] + [since for since, _ in session.gaps]
    dark = DARK_AFTER + session.slack
    for edge in changes:
        if edge.call in explained or is_back(edge.instant, run.blackouts):
            continue
        if edge.rises and not session.slack or not any(end <= edge.instant <= end + dark for end in ends):
            findings.problem(f"{describe(edge)} with no beat")


def judge_falls(run, session, line, risen, found, findings, has_hits):
    """Each pulse has its length, cut short only by half a beat, the end, a reply, or silent mode."""
    mine = [edge for edge in found if edge.line == line]
    fall_after = {edge.call: mine[place + 1] if place + 1 < len(mine) else None for place, edge in enumerate(mine)}
    cuts = [session.end or run.end] + [since for since, _ in session.gaps]
    if line == BUZZER:
        cuts += [since for since, _ in run.played.silences]
    begun = [reply.start for reply in run.played.replies if line == LIGHT or not reply.is_for_the_eye]
    early = -earliness(run, session)
    following = session.following
    if has_hits:
        following = session.following_pulses(run.shows[line], (session.end or run.end) + 10**10)
    for beat, edge in risen.items():
        if edge.call not in fall_after and line == BUZZER:
            continue
        fall = fall_after.get(edge.call)
        width = run.shows[line].widths[beat.level]
        ends = [beat.instant + min(width, (next_one - beat.instant) // 2) for next_one in following(beat)]
        ends = [min([one] + [start for start in begun if start >= beat.instant]) for one in ends]
        earliest, latest = min(ends) - early, max(ends) + run.lateness
        for cut in (cut for cut in cuts if cut >= beat.instant):
            dark = cut + DARK_AFTER + (session.slack if cut == session.end else 0)
            if earliest >= cut:
                earliest, latest = cut, max(dark, latest if session.slack else 0)
            elif latest >= cut:
                latest = dark
        if run.wanted_code == KILLED and latest >= run.signal:
            continue
        for stalled, resumed in run.blackouts:
            if earliest <= resumed and latest >= stalled:
                latest = max(latest, resumed + BACK_AFTER)
        if fall is None or not earliest <= fall.instant <= latest:
            at = "never" if fall is None else f"after {(fall.instant - beat.instant) / 1e6:.4f} ms"
            findings.problem(
                f"{NAMES[line]} off {at} on {named(beat)} at {seconds(beat.instant)}, "
                f"not after {(ends[0] - beat.instant) / 1e6:.4f} ms"
            )
