"""MIDI clock, as a receiver got it: 24 clocks per quarter at the exact fractions of each beat, and the messages around them."""

from dataclasses import dataclass, field
from fractions import Fraction

import sound
from session import instant_within

LATE = 5
"""How late a clock may be, in microseconds, unless the run allows more; never early."""
START = (1_000_000, 3_000_000)
"""How long before the first beat's clock the start is sent."""
STOP = 1_000_000
"""How soon after the press a stop is sent."""
KEYS = {"strong": 76, "medium": 77, "weak": 77, "ghost": 77}
"""The notes of the main voice by default."""
OTHER_KEY = 56
"""The note of the other voices by default."""
VELOCITIES = {"strong": 127, "medium": 100, "weak": 80, "ghost": 40}
LENGTH = 20_000_000
"""How long a note sounds by default, if it does not sound again before."""
PAUSE = 1_000_000
"""How long before the same note sounds again it ends, at the latest in the middle between both."""
END_LATE = 200_000
"""How late a note may end: no beat depends on it."""
FIRST_NOTE, SONG = 32, 64
"""The first note of the sequencer's song, and its length in quarters."""
NOTE_LATE = 100_000
"""How late after the quarter's clock the sequencer's note may be."""
RETURN = 1_100_000_000
"""A port that returns is open again after this time at the latest."""


@dataclass
class Findings:
    clocks: int = 0
    starts: int = 0
    latest: int = 0
    notes: int = 0
    """Notes of a sequencer that follows the clock."""
    latest_note: int = 0
    hits: int = 0
    """Notes of the metronome itself."""
    latest_hit: int = 0
    first_lights: list = field(default_factory=list)
    """How far the lights of first beats are from the source's clocks, and the clicks from the lights of first and of other beats."""
    first_clicks: list = field(default_factory=list)
    clicks: list = field(default_factory=list)
    problems: list = field(default_factory=list)


@dataclass(frozen=True)
class Received:
    """What a receiver got."""

    messages: list
    """(instant, bytes) of each message, in order."""
    absences: list
    """(from, to): when there was no receiver."""


def read(text):
    """Reads the log of midi-ear. `# gone SECONDS` and `# back SECONDS` surround the time without a receiver."""
    messages, absences, partial = [], [], []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("# gone"):
            absences.append([int(float(words[2]) * 10**9) - 10**8, None])
        elif line.startswith("# back"):
            absences[-1][1] = int(float(words[2]) * 10**9)
        elif len(words) == 2:
            instant, byte = int(words[0]), int(words[1], 16)
            if byte >= 0xF8:
                messages.append((instant, (byte,)))
                continue
            if byte >= 0x80:
                partial = [byte]
            elif partial:
                partial.append(byte)
            else:
                raise ValueError(f"unexpected byte {byte:02X}")
            if partial[0] == 0xF0 or partial == [0xF7]:
                # A system exclusive message.
                partial = partial[:1] if partial[0] == 0xF0 else []
            elif len(partial) == (2 if 0xC0 <= partial[0] < 0xE0 else 3):
                messages.append((instant, tuple(partial)))
                # Running status: the next data bytes belong to a message with the same status.
                partial = [] if partial[0] >= 0xF0 else partial[:1]
    return Received(messages, [tuple(one) for one in absences])


def expected(session, until):
    """The instants of all clocks of a session before an instant, and whether each is that of a beat."""
    for place, stretch in enumerate(session.stretches):
        later = session.stretches[place + 1 :]
        metre = stretch.settings.metre
        number = 96 * metre.notes_in_beat // metre.denominator
        index = stretch.first
        while not later or index < later[0].first:
            start = stretch.beat(index).instant
            if start >= until:
                return
            ends = [one for one in later if one.first == index + 1] if later and later[0].first == index + 1 else []
            for clock in range(number):
                part = Fraction(clock, number)
                instant = instant_within(stretch, ends, index + part) if clock else start
                if instant < until:
                    yield instant
            index += 1


def judge(run, received):
    findings = Findings()
    end = run.exit if run.exit is not None else run.end
    messages = [one for one in received.messages if run.mark.instant <= one[0] < end]
    clocks = [instant for instant, message in messages if message == (0xF8,)]
    used = set()
    # What the program could not send, or nobody received.
    dark = [(since, back) for since, back in run.stalls]
    deaf = [(since, back + RETURN) for since, back in received.absences]
    for session in run.sessions:
        until = session.end or run.end
        wanted = list(expected(session, until))
        late = run.number("midi_late_us", LATE) * 1000
        judge_clocks(wanted, until, clocks, used, dark + deaf, late, findings)
        judge_messages(run, wanted[0], until, messages, dark, deaf, findings)
        if run.number("midi_hits", 0):
            judge_hits(run, session, until, messages, dark + deaf, findings)
        else:
            judge_notes(messages, session, until, findings)
    if findings.notes < run.number("midi_notes", 0):
        findings.problems.append(f"only {findings.notes} notes of the sequencer, {run.number('midi_notes', 0)} are required")
    if findings.hits < run.number("midi_hits", 0):
        findings.problems.append(f"only {findings.hits} notes of hits, {run.number('midi_hits', 0)} are required")
    judge_idle(run, clocks, used, dark + deaf, findings)
    if findings.clocks < run.number("midi_clocks", 1):
        findings.problems.append(f"only {findings.clocks} MIDI clocks, {run.number('midi_clocks', 1)} are required")
    return findings


def is_in(instant, spans):
    return any(since <= instant <= back for since, back in spans)


def judge_clocks(wanted, until, clocks, used, dark, allowed, findings):
    place = 0
    for instant in wanted:
        while place < len(clocks) and clocks[place] < instant:
            place += 1
        got = clocks[place] if place < len(clocks) else None
        if got is not None and got - instant <= allowed:
            used.add(got)
            findings.clocks += 1
            findings.latest = max(findings.latest, got - instant)
        elif not is_in(instant, dark) and instant + allowed < until:
            late = "missing" if got is None else f"{(got - instant) / 1000:+.3f} µs off"
            findings.problems.append(f"MIDI clock at {instant / 1e9:.6f} s {late}")


def judge_messages(run, first, until, messages, dark, deaf, findings):
    """The start before the first clock, the stop, and a second start only after clocks were lost by a stall."""
    inside = [(instant, message) for instant, message in messages if first - START[1] <= instant < until]
    starts = [instant for instant, message in inside if message == (0xFA,)]
    positions = [instant for instant, message in inside if message == (0xF2, 0, 0)]
    if not is_in(first, deaf):
        if not starts or not START[0] <= first - starts[0] <= START[1]:
            findings.problems.append(f"no MIDI start 1 to 3 ms before {first / 1e9:.6f} s")
    if len(starts) != len(positions):
        findings.problems.append("a MIDI start without a song position")
    again = [instant for instant in starts if instant > first]
    stalls = [back for since, back in dark if first < since < until]
    if len(again) > len(stalls) or any(not any(back < one for back in stalls) for one in again):
        findings.problems.append("a second MIDI start although no clock was lost")
    if stalls and stalls[0] + 10**10 < until and not again:
        findings.problems.append("no second MIDI start after clocks were lost")
    findings.starts += len(starts)
    if until + STOP < run.end and not is_in(until, dark + deaf):
        if not any(message == (0xFC,) and until <= instant <= until + STOP for instant, message in messages):
            findings.problems.append(f"no MIDI stop at {until / 1e9:.6f} s")


def judge_notes(messages, session, until, findings):
    """The notes of a sequencer that follows the clock: its song has one per quarter, from FIRST_NOTE up."""
    quarters = quarters_of(session, until)
    notes = [(instant, message[1]) for instant, message in messages if message[0] & 0xF0 == 0x90 and message[2]]
    notes = [(instant, note) for instant, note in notes if quarters[0] <= instant < until]
    if not notes:
        return
    for (instant, note), (number, wanted) in zip(notes, enumerate(quarters)):
        findings.notes += 1
        findings.latest_note = max(findings.latest_note, instant - wanted)
        if note != FIRST_NOTE + number or not 0 <= instant - wanted <= NOTE_LATE:
            findings.problems.append(f"note {note} {(instant - wanted) / 1000:+.3f} µs off quarter {number + 1}")
    if len(notes) < min(len([one for one in quarters if one + NOTE_LATE < until]), SONG):
        findings.problems.append(f"only {len(notes)} notes from {quarters[0] / 1e9:.6f} s")


def notes_of(hits):
    """{instant: {key: velocity}}: two voices with the same note at the same instant are one note, the louder one."""
    found = {}
    for hit in hits:
        key = OTHER_KEY if hit.voice else KEYS[hit.level]
        chord = found.setdefault(hit.instant, {})
        chord[key] = max(chord.get(key, 0), VELOCITIES[hit.level])
    return found


def judge_hits(run, session, until, messages, dark, findings):
    """A note for each hit at its instant, with the key and velocity of its voice and level, and the end of each note."""
    late = run.number("midi_late_us", LATE) * 1000
    wanted = notes_of(session.hits(until))
    begins = session.start
    ons = [(at, what[1], what[2]) for at, what in messages if what[0] == 0x99 and begins <= at < until + late]
    offs = [(at, what[1]) for at, what in messages if what[0] == 0x89 and begins <= at]
    used = set()
    starts = {}
    for instant, chord in sorted(wanted.items()):
        for key, velocity in chord.items():
            starts.setdefault(key, []).append(instant)
            got = next(
                (one for one in ons if one not in used and one[1] == key and 0 <= one[0] - instant <= late), None)
            if got is None:
                if not is_in(instant, dark) and instant + late < until:
                    findings.problems.append(f"no note {key} at {instant / 1e9:.6f} s")
                continue
            used.add(got)
            findings.hits += 1
            findings.latest_hit = max(findings.latest_hit, got[0] - instant)
            if got[2] != velocity:
                findings.problems.append(f"note {key} with velocity {got[2]} instead of {velocity} at {instant / 1e9:.6f} s")
    for at, key, _ in ons:
        if not any(one[0] == at and one[1] == key for one in used):
            findings.problems.append(f"note {key} without a hit at {at / 1e9:.6f} s")
    judge_ends(until, ons, offs, starts, dark, findings)


def judge_ends(until, ons, offs, starts, dark, findings):
    """Each note ends after its length, earlier only before the same note sounds again, and at a stop."""
    for at, key, _ in ons:
        again = next((one for one in starts[key] if one > at), None) if key in starts else None
        end = at + LENGTH
        if again is not None:
            end = min(end, max(again - PAUSE, (at + again) // 2))
        end = min(end, until)
        got = next((one for one, other in offs if other == key and one >= at), None)
        if got is None or not -10_000 <= got - end <= END_LATE:
            if not is_in(end, dark):
                away = "does not end" if got is None else f"ends {(got - end) / 1000:+.3f} µs off"
                findings.problems.append(f"note {key} at {at / 1e9:.6f} s {away}")


def quarters_of(session, until):
    """The instants of the quarters of a session."""
    return list(expected(session, until))[::24]


def judge_idle(run, clocks, used, dark, findings):
    """No two clocks are closer together than half a clock of the fastest tempo in the run, and none is missing while stopped."""
    for before, after in zip(clocks, clocks[1:]):
        shortest = 60 * 10**9 // 24 // (run.number("midi_bpm", 300)) * 9 // 10
        is_start = before not in used and after in used
        if after - before < (shortest // 2 if is_start else shortest) and not is_in(after, dark):
            findings.problems.append(f"two MIDI clocks {(after - before) / 1e6:.3f} ms apart at {after / 1e9:.6f} s")
        if before not in used and after not in used and after - before > 200_000_000 and not is_in(after, dark):
            findings.problems.append(f"no MIDI clock for {(after - before) / 1e9:.3f} s after {before / 1e9:.6f} s")


# --- Following ---

SETTLING = 4
"""So many beats after the start may be further off, because the tempo is not known yet."""
SETTLED = 10_000_000_000
"""From this time after the start the limit of the run applies; before it, a millisecond."""


def judge_following(run, received, lights):
    """Checks the light of a metronome that follows a clock: each beat at the instant at which its clock was received, and no beat
    double or missing, also while no clocks arrive."""
    findings = Findings()
    limit = run.number("follow_us", 150) * 1000
    messages = [one for one in received.messages if run.mark.instant <= one[0] < run.end]
    starts = [place for place, (_, message) in enumerate(messages) if message == (0xFA,)]
    for place in starts:
        clocks = [instant for instant, message in messages[place:] if message == (0xF8,)]
        stop = next((instant for instant, message in messages[place:] if message == (0xFC,)), run.end)
        clocks = [clock for clock in clocks if clock < stop]
        if run.number("follow_line", 0):
            clocks = line_through(clocks)
        judge_beats(clocks, stop, lights, limit, findings)
    if findings.clocks < run.required_beats:
        findings.problems.append(f"only {findings.clocks} beats followed, {run.required_beats} are required")
    return findings


def line_through(clocks):
    """The line through clocks of one tempo, by least squares."""
    count = len(clocks)
    middle, mean = Fraction(count - 1, 2), Fraction(sum(clocks), count)
    slope = sum((index - middle) * (clock - mean) for index, clock in enumerate(clocks))
    slope /= sum((index - middle) ** 2 for index in range(count))
    return [int(mean + (index - middle) * slope) for index in range(count)]


def judge_beats(clocks, stop, lights, limit, findings):
    shown = [light for light in lights if clocks[0] - 10**9 < light < stop]
    gaps = [after - before for before, after in zip(shown, shown[1:])]
    for before, gap, light in zip(gaps[SETTLING:], gaps[SETTLING + 1 :], shown[SETTLING + 2 :]):
        if not before * 8 < gap * 10 < before * 12:
            findings.problems.append(f"beats {before / 1e6:.3f} and then {gap / 1e6:.3f} ms apart at {light / 1e9:.6f} s")
    # The clocks went on, but were not sent.
    silences = [(before, after) for before, after in zip(clocks, clocks[1:]) if after - before > 10**9]
    for number, light in enumerate(shown):
        near = min(clocks, key=lambda clock: abs(clock - light))
        if number < SETTLING or any(before < light < after for before, after in silences):
            continue
        findings.clocks += 1
        allowed = limit if light - clocks[0] > SETTLED else 10**6
        findings.latest = max(findings.latest, abs(light - near) if light - clocks[0] > SETTLED else 0)
        if abs(light - near) > allowed:
            findings.problems.append(f"light {(light - near) / 1000:+.3f} µs off its clock at {light / 1e9:.6f} s")
    until = silences[0][0] if silences else clocks[-1]
    for number, clock in enumerate(one for one in clocks[::24] if one < until):
        if number >= SETTLING and not any(abs(light - clock) < 10**6 for light in shown):
            findings.problems.append(f"no light at the beat's clock at {clock / 1e9:.6f} s")


# --- A source that jumps, stalls, restarts and loops ---

OFF, OFF_FIRST = 2_000_000, 3_000_000
"""How far a light may be from its beat at the source, and how late the first one after a start or continue."""
SENT_LATE = 100_000
"""How late a message of the source may arrive; otherwise the test is invalid. A clock waits for the box's light at the same instant:
the kernel of the bench has one processor."""
FREE = 2
"""So many beats after a jump of the tempo may be further off, up to 0.4 beats."""
STRONG = 85_000_000
"""The light of the first beat of a bar is longer than this."""


@dataclass(frozen=True)
class SourceBeat:
    due: int
    number: int
    is_first: bool
    """Whether it is the first one after a start or continue."""
    slack: int
    """How far its light may be off; 0: the limits apply."""

    def allows(self, light):
        late = self.slack or (OFF_FIRST if self.is_first else OFF)
        return -(self.slack or OFF) <= light - self.due <= late


def read_source(text):
    """The messages of midi-source: (instant, word, bytes)."""
    lines = [line.split() for line in text.splitlines()]
    return [(int(at), word, tuple(int(byte, 16) for byte in message)) for at, word, *message in lines]


def source_beats(messages):
    """The beats of a source, 24 clocks each, by counting alone. The first clock after a start or continue is the position. A clock
    that is held or lost counts when it is due."""
    position, state, is_first, free, slack = 0, "stopped", False, 0, 0
    before = interval = None
    for at, word, message in messages:
        if message == (0xFA,):
            position, state = 0, "armed"
        elif message == (0xFB,):
            state = "running" if state == "running" else "armed"
        elif message == (0xFC,):
            state = "stopped"
        elif message[0] == 0xF2:
            position = (message[1] + 128 * message[2]) * 6
        elif word != "late" and state != "stopped":
            if state == "armed":
                state, is_first, free, interval = "running", True, 0, None
            else:
                if interval and abs(at - before - interval) * 50 > interval:
                    free, slack = FREE, min(at - before, interval) * 24 * 2 // 5
                interval = at - before
            before = at
            if position % 24 == 0:
                yield SourceBeat(at, position // 24, is_first, slack if free else 0)
                is_first, free = False, max(0, free - 1)
            position += 1


def judge_source(run, received, messages, lights, clicks=None):
    """Each beat of the source has one light, of the length of its place in a bar of four, and with a card one click. There is no other
    light or click: a loop does not click twice. `lights`: (instant, duration). `clicks`: None without a card."""
    findings = Findings()
    messages = [one for one in messages if run.mark.instant <= one[0] < run.end]
    sent = [(at, message) for at, word, message in messages if word != "held"]
    got = [one for one in received.messages if run.mark.instant <= one[0] < run.end]
    if [message for _, message in sent] != [message for _, message in got]:
        findings.problems.append(f"invalid test: {len(got)} messages arrived, {len(sent)} were sent, or others")
    elif any(not 0 <= back - at <= SENT_LATE for (at, _), (back, _) in zip(sent, got)):
        findings.problems.append("invalid test: the source was late")
    lights, clicks = list(lights), None if clicks is None else list(clicks)
    for beat in source_beats(messages):
        at = f"the source's beat {beat.number} at {beat.due / 1e9:.6f} s"
        near = [one for one in lights if beat.allows(one[0])]
        lights = [one for one in lights if one not in near]
        if len(near) != 1:
            findings.problems.append(f"{len(near)} lights for {at}")
            continue
        ((light, duration),) = near
        findings.clocks += 1
        if (duration > STRONG) != (beat.number % 4 == 0):
            findings.problems.append(f"the light of {at} has another place in the bar")
        if beat.is_first:
            findings.first_lights.append(light - beat.due)
        else:
            findings.latest = max(findings.latest, abs(light - beat.due))
        if clicks is not None:
            until = beat.due + run.lead if beat.is_first else light
            near = [one for one in clicks if light - sound.APART <= one.instant <= until + sound.APART]
            clicks = [one for one in clicks if one not in near]
            judge_source_clicks(beat, light, near, at, findings)
    findings.problems += [f"a light at {light / 1e9:.6f} s without a beat of the source" for light, _ in lights]
    findings.problems += [f"a click at {one.instant / 1e9:.6f} s without a beat of the source" for one in clicks or []]
    if findings.clocks < run.required_beats:
        findings.problems.append(f"only {findings.clocks} beats followed, {run.required_beats} are required")
    return findings


def judge_source_clicks(beat, light, clicks, at, findings):
    if len(clicks) != 1:
        findings.problems.append(f"{len(clicks)} clicks for {at}")
        return
    if clicks[0].is_high != (beat.number % 4 == 0):
        findings.problems.append(f"the click of {at} has the wrong pitch")
    (findings.first_clicks if beat.is_first else findings.clicks).append(clicks[0].instant - light)


# --- Two boxes ---

SETTLED_PAIR = 10_000_000_000
"""Two boxes have this time until the limit of the run applies."""


def judge_pair(run, leader, follower):
    """Two metronomes in one kernel, of which one follows the other: each light of the leader has one of the follower. While the
    cable is unplugged, and a second after it is back, the lights may be further off, but none may be double or missing."""
    findings = Findings()
    limit = run.number("pair_us", 100) * 1000
    leader = [light for light in leader if run.mark.instant <= light < run.end]
    follower = [light for light in follower if run.mark.instant <= light < run.end]
    if not leader:
        findings.problems.append("the leader did not play")
        return findings
    if len(follower) != len(leader):
        findings.problems.append(f"{len(follower)} beats of the follower, {len(leader)} of the leader")
    for number, (light, other) in enumerate(zip(leader, follower)):
        findings.clocks += 1
        is_cut = any(since <= light <= back + 10**9 for since, back in run.mutes)
        is_settled = light - leader[0] > SETTLED_PAIR
        allowed = 20 * 10**6 if number < SETTLING or is_cut else limit if is_settled else 10**6
        if is_settled and not is_cut:
            findings.latest = max(findings.latest, abs(other - light))
        if abs(other - light) > allowed:
            findings.problems.append(f"the follower's light {(other - light) / 1000:+.3f} µs off at {light / 1e9:.6f} s")
    if findings.clocks < run.required_beats:
        findings.problems.append(f"only {findings.clocks} beats followed, {run.required_beats} are required")
    return findings
