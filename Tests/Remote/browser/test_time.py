"""Clock, light and sound against the box's beats."""

import math

from harness import PageTest, share

FRAME = 1000 / 60


class Time(PageTest):
    def setUp(self):
        super().setUp()
        self.reset()
        self.wait_for("metronome.clock.count >= 30")

    def test_the_offset_is_right_within_a_millisecond(self):
        session = self.page.context.new_cdp_session(self.page)
        session.send("Performance.enable")
        metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        # The browser's own reading of CLOCK_MONOTONIC at the page's time origin, in seconds.
        base, offset = self.page.evaluate("[String(metronome.clock.base), metronome.clock.offset]")
        truth = metrics["NavigationStart"] * 1000 - int(base) / 1e6
        print(f"offset error {offset - truth:+.3f} ms", end=" ", flush=True)
        self.assertLess(abs(offset - truth), 1.0)

    def flashes(self, tempo, count):
        self.command(f"tempo {tempo}")
        self.play()
        self.page.evaluate("metronomeLog.length = 0")
        self.wait_for(f"metronomeLog.length >= {count}", timeout=60)
        self.command("stop")
        return self.page.evaluate("metronomeLog.slice()")

    def test_flashes_are_within_a_frame(self):
        log = self.flashes(240, 60)
        late = [abs(each["seen"] - each["at"]) for each in log]
        print(f"flashes: median {share(late, 0.5):.1f} ms, 95 % {share(late, 0.95):.1f} ms", end=" ", flush=True)
        self.assertLessEqual(share(late, 0.5), FRAME)
        self.assertLessEqual(share(late, 0.95), 2 * FRAME)
        numbers = [each["beat"] for each in log]
        self.assertEqual(numbers, sorted(set(numbers)), "no beat flashes twice")
        # A busy machine may draw no frame for the whole of a beat.
        self.assertLessEqual(numbers[-1] - numbers[0], len(numbers) * 1.05)
        self.assertEqual([each["place"] for each in log], [number % 4 for number in numbers])

    def test_fast_beats_light_only_the_disc(self):
        self.flashes(400, 10)
        self.command("tempo 400")
        self.play()
        self.page.wait_for_timeout(600)
        self.assertEqual(self.page.evaluate(
            "async () => { let most = 0; for (let i = 0; i < 60; i++) { await new Promise(requestAnimationFrame);"
            "most = Math.max(most, Number(document.getElementById('wash').style.opacity)); } return most; }"), 0)

    def test_the_light_can_be_moved(self):
        self.show("box")
        self.page.evaluate("const s = document.getElementById('light'); s.value = '40'; s.dispatchEvent(new Event('input'))")
        self.assertEqual(self.page.inner_text("#light-value"), "40 ms earlier")
        log = self.flashes(240, 12)
        # Shown 40 ms before the frame that would be nearest without the slider.
        self.assertGreater(share([each["at"] - each["frame"] for each in log], 0.5), 40)

    def test_the_pendulum_turns_at_the_beats(self):
        self.command("tempo 60")
        self.play()
        self.page.wait_for_timeout(1200)
        samples = self.page.evaluate("""async () => {
          const { beatAt } = await import('./beats.js');
          const found = [];
          for (let i = 0; i < 90; i++) {
            const time = await new Promise(requestAnimationFrame);
            const angle = Number(/rotate\\((.*)deg/.exec(document.getElementById('pendulum').style.transform)[1]);
            const beat = beatAt(metronome.timeline, time + metronome.clock.offset);
            if (beat) found.push([beat.beat.number, beat.phase, angle]);
          }
          return found;
        }""")
        expected = lambda number, phase: 52 * (-1 if number % 2 == 0 else 1) * math.cos(math.pi * phase)
        off = [abs(angle - expected(number, phase)) for number, phase, angle in samples]
        # The drawing is for the next frame: 3 degrees at the fastest. A busy machine draws some frames late.
        self.assertLess(share(off, 0.5), 3)
        self.assertLess(share(off, 0.9), 9)

    def test_sound_is_scheduled_at_the_beats(self):
        self.show("box")
        self.page.click("#sound")
        self.wait_until(lambda: self.page.get_attribute("#sound", "aria-pressed") == "true")
        self.command("tempo 240")
        self.play()
        self.wait_for("metronome.sound.log.length >= 16")
        clicks = self.page.evaluate("metronome.sound.log.slice(2)")
        gaps = [(after["when"] - before["when"]) * 1000 for before, after in zip(clicks, clicks[1:])]
        off = [abs(gap - 250) for gap in gaps]
        print(f"clicks: median {share(off, 0.5):.1f} ms, 90 % {share(off, 0.9):.1f} ms off", end=" ", flush=True)
        self.assertLess(share(off, 0.5), 3)
        self.assertLess(share(off, 0.9), 12)
        self.page.click("#sound")
        self.assertEqual(self.page.get_attribute("#sound", "aria-pressed"), "false")

    def test_beats_in_a_gap_are_dark_and_silent(self):
        self.show("box")
        self.page.click("#sound")
        self.wait_until(lambda: self.page.get_attribute("#sound", "aria-pressed") == "true")
        self.command("gap 1/1")
        log = self.flashes(300, 25)
        self.command("gap none")
        silenced = {each["beat"] for each in log if each["level"] == "silenced"}
        bars = {each["bar"]: each["level"] == "silenced" for each in log}
        self.assertEqual([bars[bar] != bars[bar + 1] for bar in bars if bar + 1 in bars], [True] * (len(bars) - 1))
        clicks = {int(each["key"].split()[1]) for each in self.page.evaluate("metronome.sound.log")}
        self.assertGreater(len(clicks), 8)
        self.assertEqual(clicks & silenced, set())

    def test_a_silent_box_silences_the_phone(self):
        self.show("box")
        self.page.click("#sound")
        self.wait_until(lambda: self.page.get_attribute("#sound", "aria-pressed") == "true")
        self.command("tempo 300")
        self.play()
        self.wait_for("metronome.sound.log.length >= 4")
        self.command("silent")
        self.wait_state("silent", "1")
        self.page.wait_for_timeout(100)
        count = self.page.evaluate("metronome.sound.log.length")
        self.page.wait_for_timeout(800)
        self.assertEqual(self.page.evaluate("metronome.sound.log.length"), count)
        self.command("silent")
        self.wait_for(f"metronome.sound.log.length >= {count} + 2")

    def test_the_arrival_of_messages_moves_no_beat(self):
        self.command("tempo 240")
        self.play()
        self.page.wait_for_timeout(300)
        instants = []
        for _ in range(8):
            instants.append(self.page.evaluate("metronome.timeline.beats[0].at"))
            self.page.wait_for_timeout(170)
        for instant in instants:
            beats = (instant - instants[0]) / 250
            self.assertLess(abs(beats - round(beats)), 1e-4)
