"""From the edges of contacts to gestures: debouncing and gesture recognition.

A contact is a button at one place, (origin, button), where the origin is "box" or the name of an external input device.
"""

from dataclasses import dataclass, field

MS = 1_000_000
LONG = 500 * MS
"""A press held at least this long is no short press."""
FIRST_INTERVAL, SHORTEST_INTERVAL = 300, 40
"""The repetition intervals, in milliseconds; each is four fifths of the previous one."""
QUICKER_AFTER, MOST_STEPS = 2000 * MS, 5
FULL = 16
"""This many edges of one button of the box in one read mean that its queue may have overflowed."""
MUST_BE_HELD = ("pair", "forget_phones")
"""Commands of chords that act only when both buttons have been held for this time."""
LOOK_EVERY = 100 * MS
"""How often the level of a held button is read."""

URGENT = ("play", "start", "stop", "tap", "faster", "slower", "tempo", "reset_tempo")
"""Commands that act at the edge even if the button also has a hold action."""
TABLE = {
    "play": {"short": "play", "long": "silent"},
    "slower": {"short": "slower", "repeat": "slower"},
    "faster": {"short": "faster", "repeat": "faster"},
    "numerator": {"short": "next_numerator", "repeat": "previous_numerator"},
    "denominator": {"short": "next_denominator", "repeat": "previous_denominator"},
    "tap": {"short": "tap"},
    "preset_next": {"short": "next_preset"},
    "preset_previous": {"short": "previous_preset"},
    **{f"preset_{n}": {"short": f"recall {n}", "long": f"store {n}"} for n in range(1, 5)},
}
CHORDS = {
    frozenset(("slower", "faster")): "reset_tempo",
    frozenset(("play", "faster")): "tell_tempo",
    frozenset(("play", "numerator")): "tell_signature",
    frozenset(("play", "denominator")): "pair",
    frozenset(("numerator", "denominator")): "next_subdivision",
    frozenset(("denominator", "tap")): "previous_subdivision",
    frozenset(("numerator", "tap")): "next_accents",
    frozenset(("slower", "denominator")): "volume_down",
    frozenset(("faster", "denominator")): "volume_up",
}


@dataclass(frozen=True)
class Edge:
    """A contact closed or opened: the time of the event, and the time at which the program could read it."""

    instant: int
    contact: tuple
    is_down: bool
    """None: the whole device was unplugged."""
    read: int


@dataclass(frozen=True)
class Gesture:
    """A command, in the words of a configuration."""

    instant: int
    command: str
    press: int
    steps: int = 1
    undoes: int = None


@dataclass
class Contact:
    place: tuple
    is_down: bool = False
    """Whether the contact counts as pressed."""
    is_unsure: bool = False
    """Whether edges are missing: it counts as released, without a press, until it was open for a lock-out."""
    is_closed: bool = False
    changed: int = 0
    """The time of its last edge, or of a level that contradicted it."""
    known_until: int = -1
    """Possible edge losses up to this time have been resolved by reading the level."""
    locked_until: int = None
    press: int = None
    missed: int = None
    """A press without a release edge although the level showed the contact open: it may still be a short press."""
    look: int = None
    """When its level is read although no deadline is due."""
    due: int = None
    """When the press becomes long, or repeats."""
    interval: int = FIRST_INTERVAL
    steps: int = 1
    has_acted: bool = False
    is_spent: bool = True
    """The press has no further effect until the release."""
    chord: tuple = None
    """The command of a chord that must be held, the time of its second press, and the press that it undoes."""

    @property
    def button(self):
        return self.place[1]


@dataclass
class Hands:
    lock_out: int = 25 * MS
    table: dict = field(default_factory=lambda: TABLE)
    chords: dict = field(default_factory=lambda: CHORDS)

    def __post_init__(self):
        self.contacts = {}
        self.gestures = []
        self.presses = []
        """The instant of every press that counted."""
        self.lost_until = -1
        """Edges of the box may have been lost up to this time."""

    # --- Contacts ---

    def process(self, edge):
        """Processes an edge, after all deadlines before it."""
        self.settle(edge.instant, released=edge.contact)
        if edge.is_down is None:
            self.lose(edge.contact[0])
            return
        contact = self.contacts.setdefault(edge.contact, Contact(edge.contact))
        if not edge.is_down and contact.missed is not None:
            self.act_on_release(contact, contact.missed, until=edge.instant, at=edge.instant)
            contact.missed = None
        contact.is_closed, contact.changed = edge.is_down, edge.instant
        if contact.locked_until is None or contact.is_unsure:
            was_down = contact.is_down
            contact.locked_until = edge.instant + self.lock_out
            contact.is_unsure = contact.is_unsure or contact.is_closed == was_down
            contact.is_down = contact.is_closed and not contact.is_unsure
            if contact.is_unsure and contact.look is None:
                contact.look = edge.instant
            if contact.is_down:
                self.pressed(contact, edge.instant)
            elif was_down:
                self.released(contact, edge.instant)
        elif contact.is_unsure and contact.look is None:
            contact.look = edge.instant

    def lose(self, origin):
        """A device was unplugged: its buttons are released without any effect."""
        for place in [place for place in self.contacts if place[0] == origin]:
            del self.contacts[place]

    def settle(self, now, level=None, released=None):
        """Processes all deadlines up to now, in order of time. `level`: whether a contact is closed at this moment, if it
        can be read. `released`: the contact released at this moment, which must not repeat."""
        while level:
            looks = [contact for contact in self.contacts.values() if contact.look is not None and contact.look <= now]
            if not looks:
                break
            contact = min(looks, key=lambda one: one.look)
            if not level(contact.place):
                self.saw_open(contact, now)
            self.looked(contact, now)
        while True:
            due = [(at, rank, contact) for contact in self.contacts.values() for at, rank in self.deadlines(contact, now)]
            if not due:
                return
            at, _, contact = min(due, key=lambda one: one[:2])
            is_down = level(contact.place) if level else None
            if at == contact.locked_until:
                contact.locked_until = None
                self.unlock(contact, at, now, is_down)
                if level:
                    self.looked(contact, now)
            elif is_down is False and contact.look != now + LOOK_EVERY:
                self.looked(contact, now)
                self.saw_open(contact, now)
            else:
                self.hold(contact, repeats=(at, contact.place) != (now, released))

    def deadlines(self, contact, now):
        """The deadlines without level reads. A lock-out is shorter than a hold and ends first."""
        if contact.locked_until is not None:
            return [(contact.locked_until, 0)] if contact.locked_until <= now else []
        return [(contact.due, 1)] if contact.due is not None and contact.due <= now else []

    def may_lack(self, contact):
        """Whether edges may be missing after the last one that was read."""
        is_open_question = self.lost_until > contact.known_until and contact.changed <= self.lost_until
        return contact.place[0] == "box" and is_open_question

    def unlock(self, contact, end, now, is_down):
        """Ends a lock-out; is_down is the level of the contact, or None if unknown: then its last edge counts."""
        may_lack = self.may_lack(contact)
        if is_down is not None:
            contact.known_until = self.lost_until
            # If no edge was lost, the closing edge is still to come.
            if (not is_down or may_lack or contact.is_unsure) and is_down != contact.is_closed:
                contact.is_closed, contact.changed = is_down, now
        if contact.is_down and not contact.is_closed:
            contact.is_down, contact.is_unsure = False, may_lack
            contact.locked_until = (now if may_lack else contact.changed) + self.lock_out
            self.released(contact, end)
        elif contact.is_closed and not contact.is_down and not contact.is_unsure:
            # The contact opened only briefly: that is not a press, and nothing else results from it.
            contact.is_down, contact.is_spent, contact.due, contact.chord = True, True, None, None
            contact.locked_until, contact.look = contact.changed + self.lock_out, end + LOOK_EVERY
        elif not contact.is_closed and not contact.is_down:
            if not may_lack:
                contact.is_unsure = False
            elif contact.is_unsure and is_down is not None:
                # It may have opened just now, and be bouncing.
                contact.locked_until = now + self.lock_out

    def saw_open(self, contact, now):
        """A level shows the contact open outside a lock-out, or while edges may be missing."""
        if contact.locked_until is not None and not (contact.is_unsure and self.may_lack(contact)):
            return
        contact.is_down, contact.is_closed, contact.changed = False, False, now
        contact.known_until, contact.locked_until, contact.look = self.lost_until, now + self.lock_out, None
        is_first = contact.due is None or contact.due - contact.press == LONG
        waits = "short" in self.table.get(contact.button, {}) and not self.acts_at_edge(contact.button)
        contact.missed = contact.press if waits and is_first and not contact.is_spent else None
        contact.is_spent, contact.due, contact.chord = True, None, None

    def looked(self, contact, now):
        contact.look = now + LOOK_EVERY if contact.is_down or contact.is_unsure else None

    # --- Gestures ---

    def pressed(self, contact, instant):
        self.presses.append(instant)
        contact.press, contact.missed, contact.look = instant, None, instant + LOOK_EVERY
        contact.has_acted, contact.is_spent, contact.due = False, False, None
        contact.interval, contact.steps, contact.chord = FIRST_INTERVAL, 1, None
        for other in sorted(self.contacts.values(), key=lambda one: -(one.press or 0)):
            chord = self.chords.get(frozenset((contact.button, other.button)))
            if chord and not other.is_spent and other.is_down and instant - other.press < LONG:
                back = other.press if other.has_acted else None
                held = (chord, instant, back) if chord in MUST_BE_HELD else None
                for one in (contact, other):
                    one.is_spent, one.due, one.chord = True, instant + LONG if held else None, held
                if not held:
                    self.gestures.append(Gesture(instant, chord, instant, undoes=back))
                return
        meanings = self.table.get(contact.button, {})
        if "long" in meanings or "repeat" in meanings:
            contact.due = instant + LONG
        if self.acts_at_edge(contact.button):
            self.gestures.append(Gesture(instant, meanings["short"], instant))
            contact.has_acted = True

    def acts_at_edge(self, button):
        meanings = self.table.get(button, {})
        if "short" not in meanings:
            return False
        waits = "long" in meanings or "repeat" in meanings or any(button in chord for chord in self.chords)
        return meanings["short"].split()[0] in URGENT or not waits

    def released(self, contact, instant):
        if not contact.is_spent:
            # In a lock-out the release is when the contact opened; if that edge was lost, when the loss was found.
            self.act_on_release(contact, contact.press, until=contact.changed, at=instant)
        contact.is_spent, contact.due, contact.chord = True, None, None
        contact.look = instant if contact.is_unsure else None

    def act_on_release(self, contact, press, until, at):
        meanings, held = self.table.get(contact.button, {}), until - press
        is_short = held < LONG or held == LONG and "repeat" in meanings
        if is_short and "short" in meanings and not self.acts_at_edge(contact.button):
            self.gestures.append(Gesture(at, meanings["short"], press))

    def hold(self, contact, repeats):
        due = contact.due
        if contact.chord:
            command, since, back = contact.chord
            both = [one for one in self.contacts.values() if one.chord == contact.chord]
            for one in both:
                one.due, one.chord = None, None
            if len(both) == 2:
                self.gestures.append(Gesture(due, command, since, undoes=back))
            return
        meanings = self.table[contact.button]
        if "long" in meanings:
            back = contact.press if contact.has_acted else None
            self.gestures.append(Gesture(due, meanings["long"], contact.press, undoes=back))
            contact.is_spent, contact.due = True, None
            return
        if not repeats:
            # Released at this instant: a short press if it has not repeated yet.
            contact.due = None
            contact.is_spent = due - contact.press > LONG
            return
        if due - contact.press >= QUICKER_AFTER:
            contact.steps = min(contact.steps + 1, MOST_STEPS)
        self.gestures.append(Gesture(due, meanings["repeat"], contact.press, contact.steps))
        contact.due = due + contact.interval * MS
        contact.interval = max(contact.interval * 4 // 5, SHORTEST_INTERVAL)


def gestures(edges, pauses, end, hands):
    """The gestures, in the order in which a program performs them that reads immediately except during its pauses.

    `edges`: all edges; those dropped by a full queue have `read` None. `pauses`: (from, to) when it was stopped.
    """
    levels = {}
    for edge in edges:
        levels.setdefault(edge.contact, []).append((edge.instant, edge.is_down))

    def level_at(now):
        return lambda contact: next((down for at, down in reversed(levels.get(contact, [])) if at <= now), False)

    def run_until(now):
        """Processes every deadline at its time."""
        while True:
            found = [at for contact in hands.contacts.values() for at, _ in hands.deadlines(contact, now)]
            found += [one.look for one in hands.contacts.values() if one.look is not None and one.look <= now]
            if not found:
                return
            hands.settle(min(found), level_at(min(found)))

    moments = {edge.read: edge.read for edge in edges if edge.read is not None}
    moments.update({resumed: stopped for stopped, resumed in pauses})
    for read, asleep_since in sorted(moments.items()):
        run_until(min(asleep_since, read) - 1)
        batch = [edge for edge in edges if edge.read == read]
        of_box = [edge.contact for edge in batch if edge.contact[0] == "box"]
        if any(of_box.count(contact) >= FULL for contact in of_box):
            hands.lost_until = read
        for edge in batch:
            hands.process(edge)
        hands.settle(read, level_at(read))
    run_until(end)
    return hands.gestures
