"""Whether the outputs show a beat, and how early or late their edges may be."""

from edges import FAR

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
SHOWN, LEFT_OUT, EITHER = "shown", "left out", "either"


def showing(run, session, beat):
    """Whether light and buzzer show a beat."""
    at, until = beat.instant, session.end or run.end
    if until <= at <= until + session.slack:
        return EITHER
    if at + run.lateness >= until:
        # A beat just before the stop may be shown or not.
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


def allowed_after(run, is_cut):
    """The allowed delay of a falling edge: a pulse cut short by a command may end as late as after a stop."""
    return DARK_AFTER if is_cut else run.lateness


def earliness(run, session):
    """The smallest allowed deviation of an edge; negative if it may be early."""
    if session.is_anchored_by_light:
        return -run.lateness
    if any(session.start <= at for at, _ in run.elsewhere):
        return EARLY_AFTER_OTHERS
    return EARLY_AFTER_TAPS if session.follows_taps else EARLY


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
