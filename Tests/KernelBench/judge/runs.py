"""The runs of the program in a scenario, with the events of each."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

import hands
import inputs
import player
import rhythm
import score
import score_player
from music import Settings
from record import Drive, Interrupt, Level, Mark, Position, Transfer, Write
from rhythm import Metre

LIGHT, PENDULUM, BUZZER = 17, 27, 22
RED, GREEN, BLUE = LIGHT, 23, 12
"""The lines of an RGB light."""
COLORS = {
    "red": {RED}, "yellow": {RED, GREEN}, "green": {GREEN}, "cyan": {GREEN, BLUE}, "blue": {BLUE},
    "magenta": {RED, BLUE}, "white": {RED, GREEN, BLUE},
}  # fmt: skip
KILLED = 128 + 9
"""The exit code after SIGKILL, which the program cannot handle: its lines keep their levels."""


@dataclass
class Run:
    """One run of the program, from start to exit."""

    name: str
    mark: Mark
    signal: int = None
    """When it was signalled to end; None if it was not."""
    wanted_code: int = 0
    exit: int = None
    exit_code: int = None
    changes: list = field(default_factory=list)
    """(instant of the kernel's interrupt, contact, whether it closed)"""
    turns: list = field(default_factory=list)
    """(instant, command, count): turns of the dials."""
    elsewhere: list = field(default_factory=list)
    """(instant, command): commands of another program."""
    queue: inputs.Queue = inputs.Queue()
    writes: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    drives: list = field(default_factory=list)
    """Of the two lines of the display, and the requests of all lines."""
    transfers: list = field(default_factory=list)
    """To the device on the I2C bus."""
    displays: list = field(default_factory=list)
    """The marks that say whether there is a display."""
    stalls: list = field(default_factory=list)
    """(from, to): when the program was stopped."""
    absences: list = field(default_factory=list)
    """(from, to): when the chip was missing."""
    mutes: list = field(default_factory=list)
    """(from, to): from the removal of the sound card until sound is required again."""
    cards: list = field(default_factory=list)
    """(from, ppm): the rate set for the sound card's clock."""
    figures: list = field(default_factory=list)
    """The marks at which the program was asked for its statistics."""
    required_beats: int = 0
    required_replies: int = 0
    required_presses: int = 0
    required_hits: int = 0
    required_texts: int = 0
    required_overlaps: int = 0
    problems: list = field(default_factory=list)
    songs: list = None
    """The songs of the score that is played; None: none is."""

    def __post_init__(self):
        self._played = None

    def number(self, key, default):
        return int(self.mark.setting(key, default))

    @property
    def sound(self):
        return self.mark.setting("sound", "none")

    @property
    def is_heard(self):
        """Whether the run has sound that is recorded."""
        return self.sound not in ("none", "unheard")

    @property
    def lead(self):
        return self.number("lead_ms", 1) * 1_000_000

    @property
    def lateness(self):
        """How late an edge may be, in nanoseconds."""
        return self.number("lateness_us", 5) * 1000

    @property
    def blackouts(self):
        """(from, to): when the lines could not be set."""
        return sorted(self.stalls + self.absences)

    @property
    def end(self):
        return self.signal or self.exit or self.mark.instant

    @property
    def sessions(self):
        return self.played.sessions

    @property
    def played(self):
        """The expected state after all events. Computed once: no events may be added afterwards."""
        if self._played is None:
            self._played = self.play()
        return self._played

    @property
    def presses(self):
        return self.hands.presses

    def play(self):
        lock_out = self.number("debounce_ms", 25) * 1_000_000
        self.hands = hands.Hands(lock_out, hands.TABLE | self.shorts())
        edges = inputs.edges(self.changes, self.stalls, self.queue)
        gestures = list(hands.gestures(edges, self.stalls, self.end, self.hands))
        gestures += [hands.Gesture(at, command, at, steps) for at, command, steps in self.turns]
        gestures += [hands.Gesture(at, command, at) for at, command in self.elsewhere]
        touches = self.hands.presses + [at for at, *_ in self.turns + self.elsewhere]
        kind = player.Player if self.songs is None else partial(score_player.ScorePlayer, self.songs)
        metronome = kind(
            settings=self.settings(),
            rules=self.rules(),
            is_silent=bool(self.number("silent", 0)),
            presets=presets(self.mark.setting("presets", "")),
            recalled=self.number("recalled", 0) or None,
        )
        if self.number("autoplay", 0):
            self.start_automatically(metronome)
        return player.play(metronome, gestures, touches, self.end)

    def shorts(self):
        """Buttons with another command, such as `preset_next:next_section`, and no other gestures."""
        pairs = [one.split(":") for one in self.mark.setting("short", "").split(",") if one]
        return {button: {"short": command} for button, command in pairs}

    def settings(self):
        """The settings at the start. A blank in the text of a rhythm is written as `_`."""
        unit = Fraction(self.mark.setting("beat", "1/4"))
        metre = Metre(self.number("numerator", 4), self.number("denominator", 4), unit=unit)
        if self.mark.setting("signature", None):
            metre = metre.of(self.mark.setting("signature", None))
        return Settings(
            self.number("tempo", 120_000), metre.numerator, metre.denominator, metre.groups, metre.unit,
            rhythm.parse(self.mark.setting("rhythm", "").replace("_", " ")), self.number("volume", 0))

    @cached_property
    def shows(self):
        """What each line shows."""
        light, buzzer = self.mark.setting("light_ms", "100,70,50,20"), self.mark.setting("buzzer_ms", "40,28,20,8")
        return {
            LIGHT: rhythm.shows(light, self.mark.setting("light_levels", "strong,medium")),
            BUZZER: rhythm.shows(buzzer, self.mark.setting("buzzer_levels", "strong,medium")),
        }

    @cached_property
    def colors(self):
        """{level: the lines of an RGB light that show it}; empty without one."""
        named = self.mark.setting("colors", "").split(",")
        return dict(zip(("strong", "medium", "weak", "ghost"), (COLORS[name] for name in named if name)))

    def rules(self):
        auto_stop = self.number("auto_stop_ms", 0)
        return player.Rules(
            lead=self.lead,
            home=self.number("home", self.number("tempo", 120_000)),
            tap_rounds=bool(self.number("tap_rounds", 1)),
            tap_starts=bool(self.number("tap_starts", 0)),
            auto_stop=auto_stop * 1_000_000 or None,
        )

    def start_automatically(self, metronome):
        """The first flash gives the time of the start; all later events are predicted."""
        first = next((w.instant for w in self.writes if w.line == LIGHT and w.value), None)
        if first is None:
            self.problems.append("the metronome did not start automatically")
            return
        metronome.start(first)
        metronome.playing.is_anchored_by_light = True


def presets(text):
    """`90000:3/4,120000:4/4`: thousandths of a BPM, and the signature."""
    found = []
    for one in filter(None, text.split(",")):
        tempo, signature = one.split(":")
        found.append(Settings(int(tempo), *map(int, signature.split("/"))))
    return found


def split(events, devices="", texts=None):
    """Splits a trace into runs. `devices`: the log of the external input devices, written by their tool. `texts`: the
    scores, by the names of their files."""
    runs, run, waiting, edges, stalled, gone, muted, cards = [], None, None, 0, None, None, None, []
    bindings, interrupts = inputs.Bindings(), {}

    def settle():
        """A press must have produced the intended number of edges; otherwise the test is invalid."""
        if waiting is None:
            return
        button, wanted = waiting.operands[0], int(waiting.setting("edges", 1))
        if edges != wanted:
            run.problems.append(f"invalid test: {button} at {seconds(waiting.instant)} made {edges} edges, not {wanted}")

    for event in events:
        if isinstance(event, Mark) and event.word == "run":
            run = Run(event.operands[0], event, cards=[(event.instant, ppm) for _, ppm in cards[-1:]])
            if event.setting("score", None):
                run.songs = score.Reader(texts[event.setting("score", None)]).songs
            waiting, interrupts = None, {}
            runs.append(run)
        elif isinstance(event, Mark) and event.word == "card":
            cards.append((event.instant, int(event.setting("ppm", 0))))
            if run is not None:
                run.cards.append(cards[-1])
        elif isinstance(event, Mark) and event.word == "input":
            bindings.bind(*event.operands)
        if run is None or run.exit is not None:
            continue
        if isinstance(event, Write):
            run.writes.append(event)
        elif isinstance(event, Drive):
            run.drives.append(event)
        elif isinstance(event, Transfer):
            run.transfers.append(event)
        elif isinstance(event, Position):
            run.positions.append(event)
        elif isinstance(event, Interrupt):
            edges += 1
            interrupts.setdefault(event.number, event.instant)
        elif isinstance(event, Level):
            if event.line in inputs.BUTTONS and event.number in interrupts:
                contact = ("box", inputs.BUTTONS[event.line])
                run.changes.append((interrupts.pop(event.number), contact, event.value == 0))
        elif event.word in ("press", "release", "signal"):
            settle()
            waiting, edges = (event if event.word == "press" else None), 0
            if event.word == "signal":
                run.signal, run.wanted_code = event.instant, int(event.setting("code", 0))
        elif event.word == "queue":
            run.queue = inputs.Queue(int(event.setting("lines", 0)))
        elif event.word == "elsewhere":
            run.elsewhere.append((event.instant, " ".join(event.operands)))
        elif event.word == "stall":
            stalled = event.instant
        elif event.word == "resume":
            run.stalls.append((stalled, event.instant))
        elif event.word == "gone":
            gone = event.instant
        elif event.word == "back":
            run.absences.append((gone, event.instant))
        elif event.word == "figures":
            run.figures.append(event)
        elif event.word == "display":
            run.displays.append(event)
        elif event.word == "mute":
            muted = event.instant
        elif event.word == "sounding":
            run.mutes.append((muted, event.instant + int(event.setting("after_ms", 0)) * 1_000_000))
        elif event.word == "require":
            run.required_beats = int(event.setting("beats", 0))
            run.required_presses = int(event.setting("presses", 0))
            run.required_replies = int(event.setting("replies", 0))
            run.required_hits = int(event.setting("hits", 0))
            run.required_texts = int(event.setting("texts", 0))
            run.required_overlaps = int(event.setting("overlaps", 0))
        elif event.word == "exit":
            run.exit, run.exit_code = event.instant, int(event.operands[0])
    for run in runs:
        changes, run.turns = bindings.read(devices, run.mark.instant, run.end)
        run.changes = sorted(run.changes + changes, key=lambda change: change[0])
    return runs


def seconds(instant):
    return f"{instant / 1e9:.6f} s"
