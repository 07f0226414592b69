"""What light and buzzer answer to a command, where the beat itself is no answer."""

from dataclasses import dataclass

MS = 1_000_000
PAUSE = 300 * MS
"""Dark, from the effect of the command to the first flash, and after the last."""
FLASH, BETWEEN_FLASHES = 100 * MS, 300 * MS
ZERO, BETWEEN_DIGITS, BETWEEN_NUMBERS = 600 * MS, 700 * MS, 1500 * MS


@dataclass
class Reply:
    """From the effect of a command on, in place of what light and buzzer show of beats."""

    start: int
    pulses: list
    """(on, off), from the effect on."""
    sounds: bool
    """Whether the buzzer takes part."""
    end: int = None
    """When beats are shown again: after the last pause, or when another command came."""

    def __post_init__(self):
        if self.end is None:
            self.end = self.whole_end

    @property
    def is_for_the_eye(self):
        """A refusal leaves the buzzer to the beats."""
        return self.pulses == REFUSED

    @property
    def whole_end(self):
        return self.start + self.pulses[-1][1] + PAUSE

    @property
    def is_whole(self):
        """Whether it was told to its end."""
        return self.end == self.whole_end

    @property
    def flashes(self):
        """(on, off), those that had begun before the end."""
        found = [(self.start + on, self.start + off) for on, off in self.pulses]
        return [(on, min(off, self.end)) for on, off in found if on < self.end]


def pulses(text):
    """The digits of numbers: `120`, `7/8`."""
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
REFUSED = [(PAUSE, PAUSE + 600 * MS)]
