"""Compares light, pendulum and buzzer with the expected beats, by the kernel's trace of every write to a line."""

from bisect import bisect_right

from edges import FAR, NAMES, calls, edges, matched, merged
from music import Hit
from runs import BUZZER, LIGHT, PENDULUM, seconds

EARLY = 0
"""How early an edge may come: not at all."""
EARLY_AFTER_TAPS = -2
"""The same after taps: the instant and period of a fit are fractions, and may be rounded one after the other."""
EARLY_AFTER_OTHERS = -20_000
"""The same after a command of another program, for which only the time of the request is known."""
DARK_AFTER = 1_000_000
"""The time after a stop or a signal by which every line must be off."""
BACK_AFTER = 1_000_000
"""The time after a stall, or after the chip's return, by which the lines must be correct."""
KILLED = 128 + 9
"""The exit code after SIGKILL, which the program cannot handle: its lines keep their levels."""


class Findings:
    """The problems found, and statistics of the correct edges."""

    def __init__(self):
        self.problems = []
        self.beats = 0
        self.hits = 0
        """Of both lines, within beats."""
        self.latest = 0
        self.reaction = 0
        """The time from the press that starts playback to the first flash."""
        self.lit = []
        """(beat, instant) of every flash that must click, and of beats that must click during a reply instead."""
        self.chords = []
        """The same with all hits: ([hits], instant), where the instant is that of the flash if the light shows a hit."""
        self.replies = 0
        self.colors = {}
        """{instant: the lines of an RGB light that are on from then on}"""

    def problem(self, text):
        self.problems.append(text)


def judge(run):
    findings = Findings()
    if run.colors:
        changes = merged(run.writes)[1]
        findings.colors = {change.instant: change.lines for change in changes}
        findings.problems += [
            f"the color changes at {seconds(change.instant)} while the light is on"
            for change in changes if change.was_lit and change.lines
        ]  # fmt: skip
    found = edges(writes_of(run))
    sessions = run.sessions
    found = judge_replies(run, found, findings)
    end = run.exit if run.exit is not None else run.mark.instant
    for number, session in enumerate(sessions):
        following = sessions[number + 1].start if number + 1 < len(sessions) else end + 2 * FAR
        first = session.start if number else run.mark.instant
        judge_session(run, session, [edge for edge in found if first - FAR <= edge.instant < following - FAR], findings)
    if not sessions:
        findings.problems += [f"{describe(edge)} although nothing was playing" for edge in found]
    findings.lit.sort(key=lambda one: one[1])
    findings.chords.sort(key=lambda one: one[1])
    judge_calls(run, edges(writes_of(run)), findings)
    judge_end(run, findings)
    if findings.beats < run.required_beats:
        findings.problem(f"only {findings.beats} beats judged, {run.required_beats} are required")
    if findings.hits < run.required_hits:
        findings.problem(f"only {findings.hits} hits judged, {run.required_hits} are required")
    if len(run.presses) < run.required_presses:
        findings.problem(f"only {len(run.presses)} presses counted, {run.required_presses} are required")
    if findings.replies < run.required_replies:
        findings.problem(f"only {findings.replies} replies judged, {run.required_replies} are required")
    return findings


def writes_of(run):
    """The writes to light, pendulum and buzzer. An RGB light is one line."""
    return merged(run.writes)[0] if run.colors else run.writes


# --- Replies ---


def judge_replies(run, found, findings):
    """Checks the flashes of the replies. Returns the edges that do not belong to a reply."""
    for reply in run.played.replies:
        for on, off in reply.flashes:
            if on < run.end:
                found = judge_flash(run, reply, on, min(off, run.end), found, findings)
        findings.replies += reply.is_whole and reply.end < run.end
    return found


def judge_flash(run, reply, on, off, found, findings):
    is_cut = off in (reply.end, run.end)
    wanted = [LIGHT, BUZZER] if reply.sounds else [LIGHT]
    rises = [e for e in found if e.line in wanted and e.rises and on <= e.instant <= on + run.lateness]
    falls = [e for e in found if e.line in wanted and not e.rises and off <= e.instant <= off + allowed_after(run, is_cut)]
    for what, those in (("on", rises), ("off", falls)):
        if sorted(edge.line for edge in those) != sorted(wanted) or len({edge.call for edge in those}) != 1:
            lines = " and ".join(NAMES[line] for line in wanted)
            findings.problem(f"{lines} not {what} together at {seconds(on if what == 'on' else off)}, in a reply")
    return [edge for edge in found if edge not in rises and edge not in falls]


def allowed_after(run, is_cut):
    """The allowed delay of a falling edge: a pulse cut short by a command may end as late as after a stop."""
    return DARK_AFTER if is_cut else run.lateness


# --- Whether a beat is shown ---


SHOWN, LEFT_OUT, EITHER = "shown", "left out", "either"


def showing(run, session, beat):
    """Whether light and buzzer show a beat."""
    at, until = beat.instant, session.end or run.end
    if until <= at <= until + session.slack:
        return EITHER
    if at + run.lateness >= until:
        # A beat at the very instant of the stop may be shown or not.
        return EITHER if at < until else LEFT_OUT
    if is_dark(at, run.blackouts):
        return EITHER
    for since, back in session.gaps:
        if since - run.lateness <= at < back + run.lead + run.lateness:
            return LEFT_OUT if since <= at < back else EITHER
    for reply in run.played.replies:
        if reply.start <= at < reply.end:
            return LEFT_OUT
        if not reply.is_whole and reply.end <= at <= reply.end + DARK_AFTER:
            return EITHER
    return SHOWN


def sounding(run, beat):
    """Whether the buzzer also shows a beat."""
    if beat.is_silent:
        return LEFT_OUT
    for since, until in run.played.silences:
        if since <= beat.instant < (until or run.end + FAR):
            return EITHER if beat.instant <= since + DARK_AFTER else LEFT_OUT
        if until is not None and until <= beat.instant <= until + DARK_AFTER:
            return EITHER
    return SHOWN


# --- Sessions ---


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


def earliness(run, session):
    """The smallest allowed deviation of an edge; negative if it may be early."""
    if session.is_anchored_by_light:
        return -run.lateness
    if any(session.start <= at for at, _ in run.elsewhere):
        return EARLY_AFTER_OTHERS
    return EARLY_AFTER_TAPS if session.follows_taps else EARLY


def judge_reaction(run, reaction, findings):
    findings.reaction = max(findings.reaction, reaction)
    if reaction > run.number("reaction_us", 10**9) * 1000:
        findings.problem(f"the first flash is {reaction / 1e6:.6f} ms after the press")


def is_in_gap(beat, session):
    return any(since <= beat.instant <= back for since, back in session.gaps)


def is_dark(instant, stalls):
    return any(stalled <= instant <= resumed for stalled, resumed in stalls)


def is_back(instant, stalls):
    """Whether the program has just resumed, or the chip has just returned."""
    return any(resumed <= instant <= resumed + BACK_AFTER for _, resumed in stalls)


def without_late_flashes(extra, stalls):
    """The unexplained flashes. A beat due during a stall, or before the chip was present, may be shown right after it,
    but only one per stall."""
    left = list(extra)
    for stall in stalls:
        late = next((edge for edge in left if is_back(edge.instant, [stall])), None)
        if late:
            left.remove(late)
    return left


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


def judge_calls(run, all_edges, findings):
    """Each call must write every line. Otherwise the trace could not distinguish one call from two in quick succession."""
    groups = calls(run.writes)
    for number in sorted({edge.call for edge in all_edges}):
        if len(groups[number]) != len(NAMES):
            written = ", ".join(NAMES[write.line] for write in groups[number])
            findings.problems.append(f"a call wrote only {written} at {seconds(groups[number][0].instant)}")


def judge_end(run, findings):
    """After the signal to end, every line is off, the exit code is correct, and no line is set again."""
    if run.signal is None or run.exit is None:
        findings.problems.append("the run has no signal or no exit")
        return
    if run.exit_code != run.wanted_code:
        findings.problems.append(f"exit code {run.exit_code}, not {run.wanted_code}")
    if run.wanted_code == KILLED:
        return
    lit = [edge for edge in edges([w for w in writes_of(run) if w.instant < run.signal]) if edge.line == LIGHT]
    is_lit = bool(lit) and lit[-1].rises
    if run.mark.setting("lit", None) not in (None, str(int(is_lit))):
        moment = "on" if is_lit else "off"
        findings.problems.append(f"invalid test: the light was {moment} at the signal")
    for line, name in NAMES.items():
        written = [write for write in run.writes if write.line == line]
        if not written:
            findings.problems.append(f"{name} was never written")
        elif written[-1].value != 0:
            findings.problems.append(f"{name} left on")
        elif (on := [w for w in written if w.value and w.instant > run.signal + DARK_AFTER]):
            findings.problems.append(f"{name} set at {seconds(on[0].instant)}, after the signal")


def describe(edge):
    return f"{NAMES[edge.line]} {'on' if edge.rises else 'off'} at {seconds(edge.instant)}"
