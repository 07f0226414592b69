"""A model of the metronome, derived from the rules: the expected playback after given gestures."""

from dataclasses import dataclass, field, replace

import replies
from music import Settings
from session import Session
from taps import Taps

MOST_PRESETS = 128
SLACK = 100_000
"""An automatic stop runs on an ordinary thread: it is late by up to the timer slack of 50 us, and a little more."""


@dataclass(frozen=True)
class Rules:
    lead: int = 1_000_000
    home: int = 120_000
    tap_rounds: bool = True
    tap_starts: bool = False
    auto_stop: int = None


@dataclass
class Undo:
    """The state before the immediate action of a press."""

    press: int
    settings: Settings
    playing: Session
    stretches: list


@dataclass(frozen=True)
class Moment:
    """The state after a command, and the pulses of the reply to it, if any."""

    instant: int
    settings: Settings
    recalled: int = None
    reply: list = None


@dataclass
class Player:
    settings: Settings = Settings()
    rules: Rules = Rules()
    is_silent: bool = False
    presets: list = field(default_factory=list)
    recalled: int = None

    def __post_init__(self):
        self.taps = Taps()
        self.sessions = []
        self.playing = None
        self.undo = None
        self.replies = []
        self.silences = [[0, None]] if self.is_silent else []
        """[from, to]: silent mode, by the time of the command, not of its effect."""
        self.volumes = [(0, self.settings.volume)]
        """(from, steps below full volume), by the time of the command."""
        self.history = [Moment(0, self.settings, self.recalled)]

    # --- Commands ---

    def perform(self, gesture):
        before = Undo(gesture.press, self.settings, self.playing, list(self.playing.stretches) if self.playing else [])
        replied = len(self.replies)
        self.end_reply(gesture.instant)
        if gesture.undoes is not None and not self.undo_press(gesture):
            return
        word, *numbers = gesture.command.split()
        self.command(word, numbers, gesture)
        is_same = before.settings == replace(self.settings, volume=before.settings.volume)
        if word != "tap" and (not is_same or before.playing != self.playing):
            self.taps.end()
        self.undo = before if gesture.instant == gesture.press else None
        reply = self.replies[-1].pulses if len(self.replies) > replied else None
        self.history.append(Moment(gesture.instant, self.settings, self.recalled, reply))

    def command(self, word, numbers, gesture):
        at, effect = gesture.instant, gesture.instant + self.rules.lead
        if word in ("play", "start", "stop"):
            if self.playing and word != "start":
                self.stop(at)
            elif not self.playing and word != "stop":
                self.start(effect)
                self.playing.asked = at
        elif word == "tap":
            self.tap(gesture.press, effect)
        elif word == "reset_tempo":
            self.set(self.settings.at(self.rules.home), at, effect)
        elif word in ("faster", "slower"):
            step = round(float(numbers[0]) * 1000) if numbers else 1000
            self.set(self.settings.after(word, step * gesture.steps), at, effect)
        elif word == "tempo":
            self.set(self.settings.after(word, round(float(numbers[0]) * 1000)), at, effect)
        elif word in ("volume_up", "volume_down"):
            self.settings = self.settings.after(word)
            self.volumes.append((at, self.settings.volume))
        elif word == "silent":
            self.toggle_silence(at)
        elif word == "tell_tempo":
            self.reply(effect, replies.tempo(self.settings))
        elif word == "tell_signature":
            self.reply(effect, replies.signature(self.settings))
        elif word in ("recall", "next_preset", "previous_preset"):
            self.recall(self.place(word, numbers), at, effect)
        elif word == "pair":
            self.reply(effect, replies.PAIRING)
        elif word == "store":
            self.store(int(numbers[0]), effect)
        else:
            self.set(self.settings.after(word), at, effect)

    def start(self, first_beat, place=0):
        self.playing = Session(first_beat, self.settings, place)
        self.sessions.append(self.playing)

    def stop(self, at):
        self.playing.end = at
        self.playing = None

    def set(self, settings, at, effect):
        if self.playing and settings != self.settings:
            self.playing.change(settings, at, effect)
        self.settings = settings

    def toggle_silence(self, at):
        self.is_silent = not self.is_silent
        if self.is_silent:
            self.silences.append([at, None])
        else:
            self.silences[-1][1] = at

    def undo_press(self, gesture):
        """Undoes the press, if no other command followed. A long press of play that toggles silence does not undo a
        start.

        Returns whether the gesture takes effect: toggling silence does not if its press can no longer be undone."""
        undo, at = self.undo, gesture.instant
        if undo is None or undo.press != gesture.undoes:
            return gesture.command != "silent"
        if self.playing and undo.playing is self.playing and undo.stretches != self.playing.stretches:
            self.playing.restore(undo.stretches, at, at + self.rules.lead)
        self.settings = undo.settings
        if undo.playing and not self.playing:
            self.playing = undo.playing
            self.playing.gaps.append((self.playing.end, at))
            self.playing.end = None
        elif self.playing and not undo.playing and gesture.command != "silent":
            self.stop(at)
        return True

    # --- Taps ---

    def tap(self, instant, effect):
        fit = self.taps.tap(instant)
        if fit is None:
            return
        heard = self.playing.settings_at(instant) if self.playing else self.settings
        self.settings = self.settings.at(fit.tempo(heard.denominator, self.rules.tap_rounds))
        if self.playing and self.playing.waits_for_a_bar(effect):
            self.playing.change(self.settings, instant, effect)
        elif self.playing:
            self.playing.follow(fit, self.settings, instant, effect)
        elif self.rules.tap_starts:
            self.start(effect, fit.beats % self.settings.metre.beats)
            self.playing.continue_with(fit)

    # --- Presets ---

    def place(self, word, numbers):
        if word == "recall":
            return int(numbers[0])
        if not self.presets:
            return None
        if self.recalled is None:
            return 1 if word == "next_preset" else len(self.presets)
        return (self.recalled - 1 + (1 if word == "next_preset" else -1)) % len(self.presets) + 1

    def recall(self, place, at, effect):
        if place is None or not 1 <= place <= len(self.presets):
            self.reply(effect, replies.REFUSED, sounds=False)
            return
        self.recalled = place
        settings = replace(self.presets[place - 1], volume=self.settings.volume)
        if self.playing:
            self.playing.recall(settings, at, effect)
        self.settings = settings

    def store(self, place, effect):
        if not 1 <= place <= MOST_PRESETS:
            self.reply(effect, replies.REFUSED, sounds=False)
            return
        self.presets += [self.settings] * (place - len(self.presets))
        self.presets[place - 1] = self.settings
        self.recalled = place
        self.reply(effect, replies.STORED)

    # --- Replies ---

    def reply(self, effect, pulses, sounds=True):
        self.replies.append(replies.Reply(effect, pulses, sounds and not self.is_silent))

    def end_reply(self, at):
        if self.replies and at < self.replies[-1].end:
            self.replies[-1].end = at


def play(player, gestures, touches, end):
    """Applies the gestures up to the end; stops automatically after a time without touches."""
    timeout, last = player.rules.auto_stop, None
    moments = [(instant, 0, None) for instant in touches if instant <= end]
    moments += [(gesture.instant, 1, gesture) for gesture in gestures if gesture.instant <= end]
    for instant, _, gesture in sorted(moments, key=lambda one: one[:2]):
        stop_untouched(player, timeout, last, instant)
        if gesture is None:
            last = instant
        else:
            player.perform(gesture)
    stop_untouched(player, timeout, last, end)
    return player


def stop_untouched(player, timeout, last, now):
    if timeout is None or not player.playing:
        return
    due = (player.playing.start if last is None else last) + timeout
    if due <= now:
        player.playing.slack = SLACK
        player.stop(due)
