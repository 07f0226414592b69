"""The replies of light and buzzer to commands that the beat itself does not answer."""

from dataclasses import dataclass

MS = 1_000_000
PAUSE = 300 * MS
"""Darkness between the effect of the command and the first flash, and after the last flash."""
FLASH, BETWEEN_FLASHES = 100 * MS, 300 * MS
ZERO, BETWEEN_DIGITS, BETWEEN_NUMBERS = 600 * MS, 700 * MS, 1500 * MS


@dataclass
class Reply:
    """A reply, which replaces the beats on light and buzzer from the effect of a command on."""

    start: int
    pulses: list
    """(on, off), relative to the effect."""
    sounds: bool
    """Whether the buzzer takes part."""
    end: int = None
    """When beats are shown again: after the last pause, or at another command."""

    def __post_init__(self):
        if self.end is None:
            self.end = self.whole_end

    @property
    def is_for_the_eye(self):
        """Whether only the light shows it: during a refusal the buzzer continues with the beats."""
        return self.pulses == REFUSED

    @property
    def whole_end(self):
        return self.start + self.pulses[-1][1] + PAUSE

    @property
    def is_whole(self):
        """Whether it was shown completely."""
        return self.end == self.whole_end

    @property
    def flashes(self):
        """(on, off) of the flashes that started before the end."""
        found = [(self.start + on, self.start + off) for on, off in self.pulses]
        return [(on, min(off, self.end)) for on, off in found if on < self.end]


def pulses(text):
    """The flashes for the digits of numbers: `120`, `7/8`."""
    found, at = [], PAUSE
    for place, digit in enumerate(text):
        if digit == "/":
            at += BETWEEN_NUMBERS - BETWEEN_DIGITS
            continue
        count, width = (1, ZERO) if digit == "0" else (int(digit), FLASH)
        for flash in range(count):
            found.append((at + flash * BETWEEN_FLASHES, at + flash * BETWEEN_FLASHES + width))
        at = found[-1][1] + BETWEEN_DIGITS
    return found


def tempo(settings):
    return pulses(str((settings.tempo + 500) // 1000))


def signature(settings):
    return pulses(f"{settings.numerator}/{settings.denominator}")


STORED = [(PAUSE, PAUSE + 100 * MS), (PAUSE + 250 * MS, PAUSE + 350 * MS)]
PAIRING = STORED + [(PAUSE + 1050 * MS, PAUSE + 1150 * MS), (PAUSE + 1300 * MS, PAUSE + 1400 * MS)]
REFUSED = [(PAUSE, PAUSE + 600 * MS)]
