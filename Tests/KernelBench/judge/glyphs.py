"""What both kinds of display show: characters of seven segments."""

from dataclasses import dataclass

GLYPHS = {
    " ": "", "-": "g", "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "A": "abcefg", "E": "adefg", "F": "aefg", "P": "abefg", "U": "bcdef", "a": "abcdeg",
    "b": "cdefg", "d": "bcdeg", "i": "e", "n": "ceg", "o": "cdeg", "r": "eg", "t": "defg", "u": "cde",
}  # fmt: skip
CHARACTERS = {sum(1 << "abcdefg".index(segment) for segment in segments): sign for sign, segments in GLYPHS.items()}


@dataclass(frozen=True, slots=True)
class Shown:
    """A text was sent, and was complete at this instant. Without a text the display was switched off."""

    instant: int
    text: str
    brightness: int = None
    """1 to 8."""
