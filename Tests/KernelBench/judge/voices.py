"""The sounds of the levels and voices: what the program renders, and how they are recognized in a recording.

The ear recognizes the sounds by their shape, which it takes from the program itself (`metronome render --voice-only`). So
the shapes are first compared with the table of the page Sound: otherwise a program in which all sounds were the same would
pass.
"""

import struct
from dataclasses import dataclass
from math import cos, hypot, pi, sin

from ear import RATE, Unheard

PARTIALS = {
    "strong": (2300, 6348), "medium": (1605, 4430), "weak": (1120, 3091), "cowbell-strong": (870, 1305, 3915, 6525),
    "cowbell-weak": (780, 1170, 3510, 5850),
}  # fmt: skip
"""The partials of each sound, in Hz."""
PLACES = ("strong", "medium", "weak", "ghost", "cowbell-strong", "cowbell-medium", "cowbell-weak", "cowbell-ghost")
"""The sounds in the file, one per second."""
SAME = {"ghost": ("weak", -10), "cowbell-medium": ("cowbell-weak", 0), "cowbell-ghost": ("cowbell-weak", -10)}
"""Sounds that are another one at another level, in decibels."""
TOGETHER = 1_000_000
"""Sounds that begin within this time of each other are one chord, in nanoseconds."""
STEP = 10 ** (-1.5 / 20)
"""The gain of a step of the volume."""
TOLERANCE = 0.1
"""Of the gain of a sound. A ghost has 0.316."""


def kind(hit):
    """(the shape of a hit's sound, its gain)"""
    name = hit.level if hit.sound == "click" else f"{hit.sound}-{hit.level}"
    other, decibels = SAME.get(name, (name, 0))
    return other, 10 ** (decibels / 20)


# --- The shapes -------------------------------------------------------------------------------------------------------


def check(file):
    """Raises Unheard if the rendered sounds are not those of the page Sound."""
    data = file.read_bytes()
    place = data.find(b"data")
    samples = [sample for (sample,) in struct.iter_unpack("<h", data[place + 8 : place + 8 + (len(data) - place - 8) // 2 * 2])]
    sounds = {name: samples[number * RATE : number * RATE + RATE * 40 // 1000] for number, name in enumerate(PLACES)}
    for name, partials in PARTIALS.items():
        found = spectrum(sounds[name])
        for wanted in partials:
            near = {at: level for at, level in found.items() if abs(at - wanted) <= 150}
            peak = max(near, key=near.get)
            if abs(peak - wanted) > 60:
                raise Unheard(f"the rendered {name} has {peak} Hz instead of {wanted} Hz")
        others = {one: level(found, PARTIALS[one]) for one in PARTIALS}
        if max(others, key=others.get) != name:
            raise Unheard(f"the rendered {name} is a {max(others, key=others.get)}")
    for name, (other, decibels) in SAME.items():
        gain = 10 ** (decibels / 20)
        if any(abs(one - gain * two) > 5 for one, two in zip(sounds[name], sounds[other])):
            raise Unheard(f"the rendered {name} is not a {other} with {decibels} dB")


def spectrum(samples):
    """{Hz: amplitude} every 30 Hz."""
    return {at: amplitude(samples, at) for at in range(600, 7200, 30)}


def amplitude(samples, frequency):
    """The amplitude of a frequency (Goertzel)."""
    angle = 2 * pi * frequency / RATE
    before = now = 0.0
    for sample in samples:
        before, now = now, sample + 2 * cos(angle) * now - before
    return hypot(now - before * cos(angle), before * sin(angle))


def level(found, partials):
    """How much of a spectrum lies at the partials of a sound."""
    nearest = [min(found, key=lambda at: abs(at - partial)) for partial in partials]
    return sum(found[at] for at in nearest) / len(nearest)


# --- The recording ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sound:
    """A recognized sound, or with the kind None a noise that is none."""

    instant: float
    kind: str
    gain: float


@dataclass(frozen=True)
class Heard:
    """Sounds that begin together."""

    instant: float
    """Of the first one."""
    sounds: tuple

    def away(self, instant):
        """The largest deviation from an instant."""
        return max((sound.instant - instant for sound in self.sounds), key=abs)

    @property
    def gains(self):
        found = {}
        for sound in self.sounds:
            found[sound.kind] = found.get(sound.kind, 0) + sound.gain
        return found


def together(sounds):
    """The chords of a recording."""
    found, chord = [], []
    for sound in sorted(sounds, key=lambda one: one.instant):
        if chord and sound.instant - chord[0].instant > TOGETHER:
            found.append(Heard(chord[0].instant, tuple(chord)))
            chord = []
        chord.append(sound)
    return found + ([Heard(chord[0].instant, tuple(chord))] if chord else [])


@dataclass(frozen=True)
class Chord:
    """Hits that must be heard together."""

    index: int
    hits: tuple
    volumes: tuple = (0,)
    """The steps below full volume: several while it changes."""

    @property
    def count(self):
        return len(self.gains)

    @property
    def gains(self):
        found = {}
        for hit in self.hits:
            name, gain = kind(hit)
            found[name] = found.get(name, 0) + gain * hit.gain
        return found

    def mistakes(self, heard):
        """The sounds that are missing, extra, or have the wrong level."""
        wanted, got = self.gains, heard.gains
        low, high = STEP ** max(self.volumes), STEP ** min(self.volumes)
        found = []
        for name in sorted(set(wanted) | set(got), key=str):
            one, other = wanted.get(name, 0), got.get(name, 0)
            if not (one - TOLERANCE) * low <= other <= (one + TOLERANCE) * high or (name in wanted) != (name in got):
                found.append(f"{name or 'noise'} with {other:.3f} instead of {one * high:.3f}")
        return found
