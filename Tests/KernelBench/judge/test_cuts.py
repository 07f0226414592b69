"""Tests of the judge of power cuts: it detects each error."""

import unittest

import cuts
from cuts import Music, State

BEGIN = State()


def after(state, *presses):
    for press in presses:
        state = state.after(press)
    return state


def text(state):
    """A state file, with `;` for the ends of its lines."""

    def line(name, music):
        if music.is_new:
            return f'preset+ {music.tempo} {music.signature} {music.beat} "{music.rhythm}" {name}'
        return f"preset {music.tempo} {music.signature} {name}"

    music = state.music
    lines = ["metronome state 2", "save 17", f"tempo {music.tempo}", f"signature {music.signature}", "playing yes"]
    lines += ["silent no", f"recalled {state.recalled or 'none'}"]
    if state.volume:
        lines.append(f"volume {-1.5 * state.volume:g}")
    if music.beat != "1/4":
        lines.append(f"beat {music.beat}")
    if music.rhythm:
        lines.append(f"rhythm {music.rhythm}")
    lines += [line(*preset) for preset in state.presets]
    return ";".join(lines + ["checksum 00c0ffee", ""])


def shown(state):
    """What the program logs when it plays the state."""
    music = state.music
    beat = "" if music.beat == "1/4" else f"{music.beat} = "
    bar = " ".join(filter(None, (music.signature, music.rhythm)))
    volume = f"volume {-1.5 * state.volume:g} dB, " if state.volume else ""
    return f"metronome: {beat}{music.tempo} BPM, {bar}, {volume}playing"


def listed(state):
    """What `metronome presets list` prints."""
    lines = []
    for place, (name, music) in enumerate(state.presets, 1):
        remarks = [f"beat {music.beat}"] * (music.beat != "1/4") + [music.rhythm] * bool(music.rhythm)
        star = "*" if place == state.recalled else " "
        remark = f"  ({', '.join(remarks)})" if remarks else ""
        lines.append(f"restored preset {place:3}{star} {music.tempo:7} BPM  {music.signature:5}  {name}{remark}")
    return lines + ["restored presets: all"]


def console(restored, presses, *saved, extra="", has_list=True):
    """The console output of a box that restored a state, was pressed, and saved these states."""
    lines = [shown(restored)] + (listed(restored) if has_list else []) + [f"pressed {press}" for press in presses]
    lines += [f"acknowledged {text(state)}" for state in saved]
    return "\r\n".join(lines + [extra]) + "\r\n"


def problems(*texts, count=None):
    found = [cuts.Cut(number, text) for number, text in enumerate(texts, 1)]
    return cuts.judge(found, len(found) if count is None else count)[1]


PRESSES = ["volume_down", "faster", "next_subdivision", "faster", "next_accents", "store 2", "faster", "next_accents"]


class CutsTest(unittest.TestCase):
    def setUp(self):
        self.states = [after(BEGIN, *PRESSES[:count]) for count in range(len(PRESSES) + 1)]

    def test_every_press_makes_another_state(self):
        self.assertEqual(len(set(self.states)), len(self.states))
        self.assertEqual(self.states[-1].music, Music(123, "2+2+2/8", "1/4", "", "sub=2"))
        self.assertEqual(self.states[-1].presets, tuple((name, Music(122, "6/8", "3/8", "", "sub=2")) for name in "12"))

    def test_steps_wrap(self):
        self.assertEqual(after(BEGIN, *["next_accents"] * 5), BEGIN)
        self.assertEqual(after(BEGIN, *["next_subdivision"] * 6), BEGIN)
        self.assertEqual(after(BEGIN, "volume_up"), BEGIN)
        self.assertEqual(after(BEGIN, *["volume_down"] * 30).volume, 24)

    def test_state_file_is_read_as_it_is_written(self):
        for state in self.states:
            self.assertEqual(cuts.parse(text(state)), state)

    def test_log_and_list_are_read_as_they_are_written(self):
        for state in self.states + [after(BEGIN, *["next_accents"] * 4, *["next_subdivision"] * 5, "store 1")]:
            cut = cuts.Cut(1, console(state, []))
            self.assertTrue(cut.restores(state), str(state))
            self.assertEqual(sum(cut.restores(other) for other in self.states), state in self.states)

    def test_any_state_from_the_last_save_on_is_accepted(self):
        for saved in range(len(self.states)):
            for restored in range(len(self.states)):
                first = console(BEGIN, PRESSES, self.states[saved])
                found = problems(first, console(self.states[restored], [], self.states[restored]))
                self.assertEqual(len(found), 0 if restored >= saved else 1, f"{saved} {restored}")

    def test_loss_of_any_single_part_is_found(self):
        state = self.states[-1]
        lost = [
            State(Music(state.music.tempo), state.volume, state.presets, state.recalled),
            State(state.music, 0, state.presets, state.recalled),
            State(state.music, state.volume, (), None),
            State(state.music, state.volume, state.presets[:1], 2),
            State(state.music, state.volume, state.presets, 1),
        ]
        for other in lost:
            self.assertEqual(len(problems(console(BEGIN, PRESSES, state), console(other, []))), 1, str(other))

    def test_cut_before_the_end_of_the_list_leaves_the_presets_open(self):
        chain = after(BEGIN, "store 1")
        unlisted = console(BEGIN, ["faster"], has_list=False)
        first = console(BEGIN, ["store 1"], BEGIN)
        self.assertEqual(problems(first, unlisted, console(after(chain, "faster"), [])), [])
        self.assertEqual(problems(first, unlisted, console(after(BEGIN, "faster"), [])), [])

    def test_terminal_escapes_are_ignored(self):
        faster = after(BEGIN, "faster")
        self.assertEqual(problems(console(BEGIN, ["faster"], faster), "\x1b[K" + console(faster, [])), [])

    def test_saved_state_that_was_never_set_is_found(self):
        self.assertEqual(len(problems(console(BEGIN, ["faster"], self.states[-1]), console(self.states[-1], []))), 1)

    def test_saves_in_the_wrong_order_are_found(self):
        first = console(BEGIN, PRESSES, self.states[3], self.states[1])
        self.assertEqual(len(problems(first, console(self.states[3], []))), 1)

    def test_restored_state_that_was_never_set_is_found(self):
        self.assertEqual(len(problems(console(BEGIN, ["faster"], after(BEGIN, "faster")), console(self.states[-1], []))), 1)

    def test_fault_is_found_once(self):
        lost = console(BEGIN, [], BEGIN)
        found = problems(console(BEGIN, PRESSES, self.states[-1]), lost, console(BEGIN, ["faster"]), lost)
        self.assertEqual(len(found), 1)

    def test_missing_start_is_found(self):
        self.assertEqual(len(problems(console(BEGIN, [], BEGIN), "")), 1)

    def test_damage_and_refusals_are_found(self):
        for line in ("EXT4-fs error (device ubda)", "state is damaged, renamed to", "the state cannot be saved (Input)"):
            self.assertEqual(len(problems(console(BEGIN, [], BEGIN, extra=line))), 1)

    def test_missing_boot_with_systemd_is_found(self):
        alone = [console(BEGIN, [], BEGIN)] * 6
        self.assertEqual(len(problems(*alone)), 1)
        alone[3] = console(BEGIN, [], BEGIN, extra="the service is active")
        self.assertEqual(problems(*alone), [])
        # The kernel prints its command line, which contains parameters for systemd.
        alone[3] = console(BEGIN, [], BEGIN, extra="Kernel command line: systemd.show_status=no")
        self.assertEqual(len(problems(*alone)), 1)

    def test_missing_rhythms_are_found(self):
        boots = [console(BEGIN, [], BEGIN, extra="the service is active")] * 16
        self.assertEqual(len(problems(*boots)), 1)
        boots[4] = console(BEGIN, PRESSES, self.states[-1])
        boots[5:] = [console(self.states[-1], [], extra="the service is active")] * 11
        self.assertEqual(problems(*boots), [])

    def test_missing_boots_are_found(self):
        self.assertEqual(len(problems(console(BEGIN, [], BEGIN), count=3)), 1)

    def test_missing_saves_are_found(self):
        self.assertEqual(len(problems(console(BEGIN, ["faster"]), console(BEGIN, []))), 1)


if __name__ == "__main__":
    unittest.main()
