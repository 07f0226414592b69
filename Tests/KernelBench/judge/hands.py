"""From the edges of contacts to what hands meant by them: debouncing, and gestures.

A contact is a button in one place, (origin, button): "box", or the name of a device beside it.
"""

from dataclasses import dataclass, field

MS = 1_000_000
LONG = 500 * MS
"""Held so long it is no short press any more."""
FIRST_INTERVAL, SHORTEST_INTERVAL = 300, 40
"""Of repetitions, in milliseconds; each is four fifths of the one before."""
QUICKER_AFTER, MOST_STEPS = 2000 * MS, 5
FULL = 16
"""So many edges of one button of the box read at one go may be all that a full queue has kept."""
LOOK_EVERY = 100 * MS
"""How often the level of a button is looked at that is held."""

URGENT = ("play", "start", "stop", "tap", "faster", "slower", "tempo", "tempo_reset")
"""What acts at the edge even if the button means more when it is held."""
TABLE = {
    "play": {"short": "play", "long": "silent"},
    "slower": {"short": "slower", "repeat": "slower"},
    "faster": {"short": "faster", "repeat": "faster"},
    "numerator": {"short": "numerator_next", "repeat": "numerator_previous"},
    "denominator": {"short": "denominator_next", "repeat": "denominator_previous"},
    "tap": {"short": "tap"},
    "preset_next": {"short": "preset_next"},
    "preset_previous": {"short": "preset_previous"},
    **{f"preset_{n}": {"short": f"recall {n}", "long": f"store {n}"} for n in range(1, 5)},
}
CHORDS = {
    frozenset(("slower", "faster")): "tempo_reset",
    frozenset(("play", "faster")): "tell_tempo",
    frozenset(("play", "numerator")): "tell_signature",
}


@dataclass(frozen=True)
class Edge:
    """A contact closed or opened: when it happened, and when the program could read it."""

    instant: int
    contact: tuple
    is_down: bool
    """None: the whole device is gone."""
    read: int


@dataclass(frozen=True)
class Gesture:
    """A command, in the words of a configuration."""

    instant: int
    command: str
    press: int
    steps: int = 1
    takes_back: int = None


@dataclass
class Contact:
    place: tuple
    is_down: bool = False
    is_doubtful: bool = False
    """It counts as up because of an edge in a lock-out at whose end nobody could look, and more edges may have been lost."""
    is_torn: bool = False
    """Its lock-out began with an edge that shows that others were lost."""
    locked_until: int = None
    seen: tuple = (False, 0)
    """Where it was seen last, and since when."""
    press: int = None
    look: int = None
    """When its level is looked at again though nothing is due."""
    due: int = None
    """When it becomes long, or repeats."""
    interval: int = FIRST_INTERVAL
    steps: int = 1
    has_acted: bool = False
    is_spent: bool = True
    """It means nothing more until it is let go."""

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
        """Until when edges of the box may have been lost."""

    # --- Contacts ---

    def take(self, edge):
        """An edge, after everything that was due before it."""
        self.settle(edge.instant, released=edge.contact)
        if edge.is_down is None:
            self.lose(edge.contact[0])
            return
        contact = self.contacts.setdefault(edge.contact, Contact(edge.contact))
        contact.seen = (edge.is_down, edge.instant)
        if contact.locked_until is not None and not contact.is_doubtful:
            return
        may_be_pressed = not contact.is_down and not contact.is_doubtful
        contact.is_torn = contact.is_doubtful or contact.is_down == edge.is_down
        contact.is_doubtful, contact.locked_until = False, edge.instant + self.lock_out
        if not contact.is_torn or contact.is_down:
            # If it is down that closes, edges were lost: it is let go, and a level has to say whether it is pressed anew.
            self.count(contact, not contact.is_down, edge.instant)

    def lose(self, origin):
        """A device is gone: its buttons are up, and nothing comes of what was under way."""
        for place in [place for place in self.contacts if place[0] == origin]:
            del self.contacts[place]

    def settle(self, now, level=None, released=None):
        """What is due by now, in order of time. `level`: whether a contact is down at this moment, if that can be told.
        `released`: the contact that is let go at this moment: too early to repeat."""
        while True:
            due = [(at, rank, contact) for contact in self.contacts.values() for at, rank in self.deadlines(contact, now)]
            if not due:
                return
            at, _, contact = min(due, key=lambda one: one[:2])
            is_down = level(contact.place) if level else None
            if at == contact.locked_until:
                contact.locked_until = None
                self.unlock(contact, at, now, is_down)
            elif is_down is False:
                contact.seen, contact.locked_until = (False, now), now + self.lock_out
                contact.is_doubtful, contact.look = False, None
                # Its release was lost, so that nobody knows whether it was short.
                contact.is_spent, contact.due = True, None
                if contact.is_down:
                    self.count(contact, False, now)
            elif at == contact.look:
                contact.look += LOOK_EVERY
            else:
                self.hold(contact, repeats=(at, contact.place) != (now, released))

    def deadlines(self, contact, now):
        ranked = ((contact.locked_until, 0), (contact.look, 1), (contact.due, 2))
        return [(at, rank) for at, rank in ranked if at is not None and at <= now]

    def may_lack(self, contact):
        """Whether there may have been edges after the last one that was read."""
        return contact.place[0] == "box" and contact.seen[1] <= self.lost_until

    def unlock(self, contact, end, now, is_down):
        """A lock-out has ended, and is_down is where the contact is, or None: then its last edge says it."""
        may_lack, is_told = self.may_lack(contact), is_down is not None
        if not is_told:
            is_down = contact.seen[0] and not contact.is_torn
        elif is_down and not (contact.seen[0] or may_lack or contact.is_torn or contact.is_doubtful):
            # The edge that closes it comes yet.
            is_down = False
        if is_told and is_down != contact.seen[0]:
            contact.seen = (is_down, now)
        if contact.is_down and not is_down and not contact.seen[0]:
            is_old = now >= contact.seen[1] + self.lock_out
            contact.locked_until = (now if is_told and may_lack and is_old else contact.seen[1]) + self.lock_out
            contact.is_doubtful = may_lack and not is_told
            self.count(contact, False, end)
            contact.look = end + LOOK_EVERY if contact.is_doubtful else None
        elif contact.is_doubtful:
            if is_told and not is_down:
                # It may have opened just now.
                contact.seen, contact.locked_until = (False, now), now + self.lock_out
                contact.is_doubtful, contact.look = False, None
        elif is_down and not contact.is_down and contact.is_torn:
            since = contact.seen[1] if now < contact.seen[1] + self.lock_out else now
            contact.seen, contact.locked_until, contact.is_torn = (True, since), since + self.lock_out, False
            # Nobody knows since when, if not by an edge within the lock-out.
            self.count(contact, True, end if since < now else now)
        elif is_down and not contact.is_down:
            # It had let go for a moment only: no press, and nothing more comes of it.
            contact.is_down, contact.is_spent, contact.due = True, True, None
            contact.locked_until, contact.look = contact.seen[1] + self.lock_out, end + LOOK_EVERY

    def count(self, contact, is_down, instant):
        contact.is_down = is_down
        if is_down:
            self.pressed(contact, instant)
        else:
            self.released(contact, instant)

    # --- Gestures ---

    def pressed(self, contact, instant):
        self.presses.append(instant)
        contact.press, contact.look = instant, instant + LOOK_EVERY
        contact.has_acted, contact.is_spent, contact.due = False, False, None
        contact.interval, contact.steps = FIRST_INTERVAL, 1
        for other in sorted(self.contacts.values(), key=lambda one: -(one.press or 0)):
            chord = self.chords.get(frozenset((contact.button, other.button)))
            if chord and not other.is_spent and other.is_down and instant - other.press < LONG:
                back = other.press if other.has_acted else None
                self.gestures.append(Gesture(instant, chord, instant, takes_back=back))
                for one in (contact, other):
                    one.is_spent, one.due = True, None
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
        meanings = self.table.get(contact.button, {})
        # A release that was lost, and is seen late, may have been late itself.
        latest = max(instant, contact.seen[1])
        held = latest - contact.press
        is_short = held < LONG or held == LONG and "repeat" in meanings
        is_short = is_short and not contact.is_spent and not contact.has_acted
        if is_short and "short" in meanings:
            self.gestures.append(Gesture(instant, meanings["short"], contact.press))
        contact.is_spent, contact.due, contact.look = True, None, None

    def hold(self, contact, repeats):
        meanings, due = self.table[contact.button], contact.due
        if "long" in meanings:
            back = contact.press if contact.has_acted else None
            self.gestures.append(Gesture(due, meanings["long"], contact.press, takes_back=back))
            contact.is_spent, contact.due = True, None
            return
        if not repeats:
            # Let go at this instant: short if it has not repeated yet.
            contact.due = None
            contact.is_spent = due - contact.press > LONG
            return
        if due - contact.press >= QUICKER_AFTER:
            contact.steps = min(contact.steps + 1, MOST_STEPS)
        self.gestures.append(Gesture(due, meanings["repeat"], contact.press, contact.steps))
        contact.due = due + contact.interval * MS
        contact.interval = max(contact.interval * 4 // 5, SHORTEST_INTERVAL)


def gestures(edges, pauses, end, hands):
    """What hands did: the gestures, in the order in which a program does them that reads at once but for its pauses.

    `edges`: all there were, those that no queue had room for with `read` None. `pauses`: (from, to) when it was stopped.
    """
    levels = {}
    for edge in edges:
        levels.setdefault(edge.contact, []).append((edge.instant, edge.is_down))

    def level_at(now):
        return lambda contact: next((down for at, down in reversed(levels.get(contact, [])) if at <= now), False)

    def run_until(now):
        """Every deadline at its time."""
        while True:
            found = [at for contact in hands.contacts.values() for at, _ in hands.deadlines(contact, now)]
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
            hands.take(edge)
        hands.settle(read, level_at(read))
    run_until(end)
    return hands.gestures
