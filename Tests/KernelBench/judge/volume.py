"""Measures in captured sound whether a dial changed the volume as intended.

The scenario writes the file `volumes`, which names the recordings, raw frames of 16 bits and two channels at 48,000 Hz, and
what each must contain:

    clicks heard.1
    X 0
    x -1.5
    tone heard.2
    0
    -1.5

After `clicks`, each line is a click: its kind, and its volume in decibels. The first click of each kind must have 0 dB; the
others are compared with it. After `tone`, each line is a volume at which the tone stays before the next change.
"""

from array import array
from dataclasses import dataclass, field
from math import cos, log10, pi, sin
from pathlib import Path

RATE = 48_000
STEP_ERROR = 0.1
"""How much a volume, and a step from one volume to the next, may be off, in decibels."""
ROUNDING = 1 / 12
"""The energy per frame of the rounding to 16 bits."""


@dataclass
class Findings:
    problems: list = field(default_factory=list)
    clicks: int = 0
    worst: float = 0
    """The largest error of a volume or a step, in decibels."""
    noise: float = None
    """The most energy outside the tone's own spectrum, beyond the rounding to 16 bits, in decibels relative to the tone."""

    def __str__(self):
        parts = [f"{self.clicks} clicks and steps of a tone at most {self.worst:.3f} dB off"]
        if self.noise is not None:
            parts.append(f"noise at changes of volume {self.noise:.0f} dB relative to the tone")
        return ", ".join(parts)

    def compare(self, name, found, wanted):
        """Compares volumes, and the steps between them."""
        before = 0
        for place, (level, volume) in enumerate(zip(found, wanted)):
            error = level - volume
            step = error - before if place else 0
            self.worst = max(self.worst, abs(error), abs(step))
            if max(abs(error), abs(step)) > STEP_ERROR:
                self.problems.append(f"{name} {place} has {level:.3f} dB, not {volume} dB, after an error of {before:.3f} dB")
            before = error


def judge(folder):
    """Judges all recordings that `volumes` names."""
    folder = Path(folder)
    findings = Findings()
    recordings = []
    for line in (folder / "volumes").read_text().splitlines():
        words = line.split()
        if words[0] in ("clicks", "tone"):
            recordings.append((words[0], words[1], []))
        else:
            recordings[-1][2].append(words)
    for kind, name, wanted in recordings:
        left = read(folder / name, findings)
        if kind == "clicks":
            judge_clicks(left, [(words[0], float(words[1])) for words in wanted], findings)
        else:
            judge_tone(left, [float(words[0]) for words in wanted], findings)
    return findings


def read(file, findings):
    frames = array("h")
    raw = file.read_bytes()
    frames.frombytes(raw[: len(raw) // 4 * 4])
    left = frames[0::2]
    if left != frames[1::2]:
        findings.problems.append(f"the channels of {file.name} differ")
    ear = file.with_name(file.name.replace("heard", "ear"))
    if ear.exists() and ("overrun" in ear.read_text() or "gone" in ear.read_text()):
        findings.problems.append(f"{file.name} lost frames")
    return left


# --- Clicks ---------------------------------------------------------------------------------------------------------------

BLOCK = 480
AUDIBLE = 6
"""A block of 10 ms with such a sample belongs to a click."""
APART = 10
"""The fewest blocks between two clicks."""
WINDOW = 4096
BAND = 85
"""The bins of a band; about 1 kHz."""
BAND_ERROR = 0.03
"""How much the energy of a band may deviate, as a part of it: 0.13 dB."""
INTERPOLATION = 1e-8
"""The error of a click that begins between two frames, as a part of its energy in one band: -80 dB."""


def clicks_in(left):
    """The frames around each click, with 10 ms of silence before it."""
    found, quiet = [], APART
    for start in range(0, len(left) - BLOCK, BLOCK):
        block = left[start : start + BLOCK]
        if max(max(block), -min(block)) < AUDIBLE:
            quiet += 1
            continue
        if quiet >= APART:
            begin = max(0, start - BLOCK)
            found.append(left[begin : begin + WINDOW])
        quiet = 0
    return found


def energy(frames):
    return sum(sample * sample for sample in frames)


def bands(frames):
    """The energy in each band."""
    padded = [complex(sample) for sample in frames] + [0j] * (WINDOW - len(frames))
    bins = [abs(bin) ** 2 * 2 / WINDOW for bin in fft(padded)[: WINDOW // 2]]
    return [sum(bins[start : start + BAND]) for start in range(0, len(bins), BAND)]


def judge_clicks(left, wanted, findings):
    found = clicks_in(left)
    findings.clicks += len(found)
    if len(found) != len(wanted):
        findings.problems.append(f"{len(found)} clicks instead of {len(wanted)}")
        return
    full, levels = {}, []
    for place, (frames, (kind, volume)) in enumerate(zip(found, wanted)):
        if kind not in full:
            if volume != 0:
                findings.problems.append(f"invalid test: the first {kind} is not at 0 dB")
                return
            full[kind] = energy(frames), bands(frames)
        reference, reference_bands = full[kind]
        levels.append(10 * log10(energy(frames) / reference))
        factor = 10 ** (volume / 10)
        # A loud click of 36 ms, rounded.
        rounding = 0.036 * RATE * ROUNDING / (WINDOW // 2 // BAND)
        for band, (is_there, should) in enumerate(zip(bands(frames), reference_bands)):
            allowed = BAND_ERROR * factor * should + 10 * rounding + INTERPOLATION * factor * reference
            if abs(is_there - factor * should) > allowed:
                near = f"near {band + 0.5:.1f} kHz, not {factor * should:.1f}"
                findings.problems.append(f"click {place} at {volume} dB has the energy {is_there:.1f} {near}")
    findings.compare("click", levels, [volume for _, volume in wanted])


# --- A tone during which the volume changes ---------------------------------------------------------------------------------

SPAN = 1024
"""The frames of a spectrum, 21 ms."""
HOP = 256
FAR = 6_000 * SPAN // RATE
"""The first bin that counts as outside the spectrum of a tone of 1 kHz. A jump of the volume has energy there, and a ramp of
5 ms has almost none."""
NOISE_LIMIT = 1e-5
"""The energy outside, as a part of the squared amplitude. A jump by 1.5 dB has about 1e-2, sixteen stairs 6e-4, and a ramp of
5 ms 2e-7."""
SHAPE = [sin(pi * (place + 0.5) / SPAN) ** 4 for place in range(SPAN)]
SHAPE_ENERGY = sum(weight * weight for weight in SHAPE)
FADE = 0.1
"""The beginning and the end of the tone in seconds, which are not judged."""


def spectra(left):
    """The amplitude of the tone, and the energy far from it, for each window."""
    starts = list(range(0, len(left) - SPAN, HOP))
    if len(starts) % 2:
        starts.pop()
    found = []
    # Two real spectra at once.
    for one, other in zip(starts[0::2], starts[1::2]):
        both = fft(
            [complex(a, b) * weight for a, b, weight in zip(left[one : one + SPAN], left[other : other + SPAN], SHAPE)]
        )
        mirrored = [both[0]] + both[:0:-1]
        for sign in (1, -1):
            bins = [abs(a + sign * b.conjugate()) ** 2 / 4 for a, b in zip(both[: SPAN // 2], mirrored)]
            scale = 2 / SPAN
            amplitude = (2 * sum(bins[:FAR]) * scale / SHAPE_ENERGY) ** 0.5
            found.append((amplitude, sum(bins[FAR:]) * scale))
    return found


def judge_tone(left, wanted, findings):
    audible = [place for place in range(0, len(left), BLOCK) if max(left[place : place + BLOCK]) > AUDIBLE]
    if not audible:
        findings.problems.append("there is no tone")
        return
    fade = int(FADE * RATE)
    found = spectra(left[audible[0] + fade : audible[-1] - fade])
    far_rounding = SHAPE_ENERGY * ROUNDING * (1 - FAR / (SPAN / 2))
    for place, (amplitude, far) in enumerate(found):
        beyond = max(far - far_rounding, 1e-9) / amplitude**2
        if far > 4 * far_rounding + NOISE_LIMIT * amplitude**2:
            at = audible[0] / RATE + FADE + place * HOP / RATE
            findings.problems.append(f"noise at {at:.3f} s of the recording, {10 * log10(beyond):.0f} dB relative to the tone")
        # Below, rounding has more energy than a ramp.
        if amplitude > 3_000:
            findings.noise = max(findings.noise if findings.noise is not None else -200, 10 * log10(beyond))
    levels = [wanted[0] + 20 * log10(amplitude / found[0][0]) for amplitude, _ in found]
    steady = plateaus(levels)
    if len(steady) != len(wanted):
        shown = ", ".join(f"{level:.2f}" for _, _, level in steady[:60])
        findings.problems.append(f"the tone stays at {len(steady)} volumes instead of {len(wanted)}: {shown}")
        return
    findings.clicks += len(steady)
    findings.compare("step", [level for _, _, level in steady], wanted)
    for (_, end, before), (begin, _, after) in zip(steady, steady[1:]):
        low, high = sorted((before, after))
        way = levels[end : begin + 1]
        direction = 1 if after > before else -1
        backwards = max((a - b) * direction for a, b in zip(way, way[1:]))
        if backwards > 0.01 or min(way) < low - 0.05 or max(way) > high + 0.05:
            findings.problems.append(f"the volume does not go straight from {before:.2f} to {after:.2f} dB")


def plateaus(levels):
    """(first, last, level): where the level stays the same for at least five windows."""
    found, first = [], 0
    for place in range(1, len(levels) + 1):
        if place < len(levels) and abs(levels[place] - levels[place - 1]) < 0.02:
            continue
        if place - first >= 5:
            # Near a change, a window contains a little of it.
            inner = levels[first + 1 : place - 1]
            found.append((first, place - 1, sum(inner) / len(inner)))
        first = place
    return found


# --- The Fourier transform --------------------------------------------------------------------------------------------------

TURNS = {}


def fft(values):
    """The discrete Fourier transform of a power of two of values."""
    count = len(values)
    if count == 1:
        return values
    if count not in TURNS:
        TURNS[count] = [complex(cos(2 * pi * k / count), -sin(2 * pi * k / count)) for k in range(count // 2)]
    even, odd = fft(values[0::2]), fft(values[1::2])
    turned = [turn * value for turn, value in zip(TURNS[count], odd)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]
