"""The pure functions of the page, called in the browser."""

from harness import PageTest


class Functions(PageTest):
    def evaluate(self, module, expression):
        # A module that is imported by the page is allowed by its policy; so nothing is injected.
        return self.page.evaluate(f"async () => {{ const m = await import('./{module}.js'); return {expression}; }}")

    def test_messages_are_read_and_written(self):
        parse = lambda text: self.page.evaluate("async text => (await import('./message.js')).parseMessage(text)", text)
        self.assertEqual(parse("done id=4"), {"word": "done", "fields": {"id": "4"}})
        self.assertEqual(
            parse(r'refused id=4 why="say \"7/8\" or \\" x='), {"word": "refused", "fields": {"id": "4", "why": 'say "7/8" or \\', "x": ""}})
        self.assertEqual(parse("timeline next=1,2,3 at=123456789012345678")["fields"]["at"], "123456789012345678")
        for text in ["", "=", 'a b="', "a  b=1", 'a b="x"y', "a b"]:
            self.assertIsNone(parse(text), text)
        self.assertEqual(
            self.evaluate("message", r"m.formatMessage('do', {command: 'rhythm \"X.\"', at: undefined, id: 7, name: '', path: 'a\\b'})"),
            r'do command="rhythm \"X.\"" id=7 name="" path="a\\b"')
        self.assertEqual(self.evaluate("message", r"m.formatMessage('preset', {name: 'a\nhello v=1'})"), 'preset name="a hello v=1"')

    def test_the_shortest_round_trip_gives_the_offset(self):
        clock = "const c = new m.BoxClock(); c.boxTime('9007199254740993000000');"
        run = lambda body: self.page.evaluate(f"async () => {{ const m = await import('./clock.js'); {clock} {body} }}")
        # Sent at 100 ms, received at 110 ms, in between the box had its base + 5 ms: the offset is 5 - 105.
        self.assertEqual(run("c.add(100, 110, '9007199254740993000000'.replace('3000000', '8000000')); return c.offset"), -100)
        self.assertEqual(run(
            "c.add(100, 110, '9007199254740998000000'); c.add(200, 230, '9007199254741098000000'); return [c.offset, c.uncertainty(110)]"), [-100, 5])
        # 100 ppm of 100 s allow 10 ms more.
        self.assertEqual(run(
            "c.add(0, 10, '9007199254740998000000'); c.add(100000, 100020, '9007199254840998000000'); return c.uncertainty(100020)"), 10)
        self.assertEqual(run(
            "c.add(0, 10, '9007199254740998000000'); c.add(99000, 99020, '9007199254840998000000'); return c.uncertainty(10)"), 5)
        self.assertEqual(run("c.add(100, 110, '9007199254740998000000'); return c.nanoseconds(105)"), "9007199254740998000000")

    def test_beats_follow_from_the_timeline_alone(self):
        text = ("timeline session=3 playing=1 beat=10 bar=2 place=3 beats=4 at=5000000000 next=500000000,1000000000 places=0,1 quarter-us=500000.000")
        run = lambda body: self.page.evaluate(
            "async ([text, body]) => { const [b, k, c] = await Promise.all(['beats', 'message', 'clock'].map(n => import(`./${n}.js`)));"
            "const clock = new c.BoxClock(); clock.boxTime('5000000000');"
            "const t = b.readTimeline(k.parseMessage(text).fields, clock);" + body + "}", [text, ""])
        self.assertEqual(run("return t.beats.slice(0, 4).map(x => [x.number, x.bar, x.place, x.at])"),
                         [[10, 2, 3, 0], [11, 3, 0, 500], [12, 3, 1, 1000], [13, 3, 2, 1500]])
        self.assertEqual(run("const f = b.beatAt(t, 625); return [f.beat.number, f.phase, f.interval]"), [11, 0.25, 500])
        self.assertIsNone(run("return b.beatAt(t, -1)"))
        self.assertIsNone(run("return b.beatAt(t, 60000)"))
        self.assertEqual(run("return b.beatsBetween(t, 0, 1000).map(x => x.number)"), [11, 12])
        self.assertEqual(run("return [b.pendulum(2, 0), b.pendulum(3, 0), b.pendulum(2, 1), Math.round(b.pendulum(2, 0.5))].map(String)"), ["-1", "1", "1", "0"])

    def test_nothing_follows_the_last_beat_and_levels_are_announced(self):
        run = lambda fields, body: self.page.evaluate(
            "async ([text]) => { const [b, k, c, r] = await Promise.all(['beats', 'message', 'clock', 'rhythm'].map(n => import(`./${n}.js`)));"
            "const clock = new c.BoxClock(); clock.boxTime('5000000000');"
            "const t = b.readTimeline(k.parseMessage(text).fields, clock);" + body + "}",
            ["timeline session=3 playing=1 beat=10 bar=2 place=2 beats=4 at=5000000000 quarter-us=400000 " + fields])
        ended = "ends=1 next=500000000 places=3 levels=w-"
        self.assertEqual(run(ended, "return t.beats.map(x => [x.number, x.at])"), [[10, 0], [11, 500]])
        self.assertEqual(run(ended, "return [b.beatAt(t, 750).phase, b.beatAt(t, 1000), b.beatsBetween(t, 500, 9000).length]"), [0.5, None, 0])
        self.assertEqual(run("ends=1 next=", "return [b.beatAt(t, 200).phase, b.beatAt(t, 400)]"), [0.5, None])
        levels = "return t.beats.slice(0, 4).map(x => r.levelOfBeat(x, 'swmg'))"
        self.assertEqual(run("next=500000000,1000000000 places=3,0 levels=r-s", levels), ["rest", "silenced", "strong", "weak"])
        self.assertEqual(run("next=500000000,1000000000 places=3,0", levels), ["medium", "ghost", "strong", "weak"])

    def test_the_times_of_the_timer(self):
        # As Nanoseconds.text writes them.
        for text, minutes in [("10m", 10), ("2h", 120), ("90s", 1.5), ("1500ms", 0.025), ("100s", 1.6667), ("90.0000005s", 1.5), ("30000000us", 0.5)]:
            read = self.page.evaluate("async text => (await import('./practice.js')).PARTS.timer.read(text)", text)
            self.assertEqual(read, {"minutes": minutes}, text)
        for text in ["", "10", "1.5", "10x"]:
            self.assertIsNone(self.page.evaluate("async text => (await import('./practice.js')).PARTS.timer.read(text)", text), text)
        self.assertEqual(self.evaluate("practice", "[10, 0.025, 1.6667, 1.5].map(minutes => m.PARTS.timer.write({ minutes }))"),
                         ["10m", "1.5s", "100s", "90s"])

    def test_what_a_press_of_play_sends(self):
        # The toggle `play` would do the opposite if the box was started or stopped elsewhere meanwhile.
        self.assertEqual(self.evaluate(
            "transport", "[['0', '0'], ['1', '0'], ['1', '1']].map(([playing, waiting]) => m.playCommand({ playing, waiting }))"),
            ["start", "stop", "start"])

    def test_rhythms_as_text(self):
        both = "m.formatRhythm(m.parseRhythm(text))"
        for text in ["", "X.x.", "X.|.x|..|x.", "X|x|2:xxx", "sub=2 swing=2:1", "Xxx.x. sub=3 & 3:4 & x..x. @5/8 sound=click", "XYxo|"]:
            self.assertEqual(self.page.evaluate(f"async text => {{ const m = await import('./rhythm.js'); return {both}; }}", text), text)
        self.assertEqual(self.evaluate("rhythm", "m.formatRhythm(m.parseRhythm('xo*2|x.'))"), "xo|xo|x.")
        self.assertEqual(self.evaluate("rhythm", "m.metreLetters(m.parseSignature('2+2+3/8'), '1/4').join('')"), "XxYxYxx")
        self.assertEqual(self.evaluate("rhythm", "m.metreLetters(m.parseSignature('12/8'), '3/8').join('')"), "XooYooYooYoo")
        self.assertEqual(self.evaluate("rhythm", "m.metreLetters(m.parseSignature('2+4/8'), '3/8').join('')"), "XoYxoo")
        touched = "m.formatRhythm(m.withSlot(m.parseRhythm('%s'), m.parseSignature('4/4'), '1/4', %d, 0, '%s'))"
        self.assertEqual(self.evaluate("rhythm", touched % ("sub=2", 1, "Y")), "XYxx sub=2")
        self.assertEqual(self.evaluate("rhythm", touched % ("XYxx sub=2", 1, "x")), "sub=2")
        self.assertEqual(self.evaluate("rhythm", touched % ("X.x", 3, ".")), "Xxx.", "a pattern that does not fit is replaced")
        self.assertEqual(self.evaluate("rhythm", "'XYxo.'.split('').map(m.nextLetter).join('')"), "Yxo.X")
        self.assertEqual(self.evaluate("rhythm", "m.groupings(7).map(g => g.join('+'))"),
                         ["7", "2+2+3", "2+3+2", "3+2+2"])
        self.assertEqual(self.evaluate("rhythm", "m.groupings(8).map(g => g.join('+'))"), ["8", "2+2+2+2", "3+3+2", "3+2+3", "2+3+3"])
        self.assertTrue(self.evaluate("rhythm", "Array.from({length: 32}, (_, i) => i + 1).every(n => m.groupings(n).every(g => g.reduce((a, b) => a + b) === n))"))
        for text in ["", "0/4", "33/4", "7/5", "2+/4", "4/4x"]:
            self.assertIsNone(self.page.evaluate("async text => (await import('./rhythm.js')).parseSignature(text)", text), text)
        self.assertEqual(self.evaluate("rhythm", "[m.formatSwing(50, 8, 4), m.formatSwing(66.7, 8, 4), m.formatSwing(57, 16, 4), m.formatSwing(57, 16, 8)]"),
                         ["", "2:1", "57%@16", "57%"])

    def test_tempi_as_text(self):
        parse = lambda text: self.page.evaluate("async text => (await import('./tempo.js')).parseTempo(text)", text)
        for text, tempo in [("1", 1), ("999", 999), ("133.7", 133.7), ("92,5", 92.5), (" 60.125 ", 60.125), ("120.", 120)]:
            self.assertEqual(parse(text), tempo)
        for text in ["", "0", "0.999", "999.001", "1000", "12.3456", "1e2", "-5", "abc"]:
            self.assertIsNone(parse(text), text)
        self.assertTrue(self.evaluate("tempo", "Array.from({length: 381}, (_, i) => i + 20).every(t => Math.abs(m.sliderTempo(m.sliderPlace(t)) - t) <= 1)"))

    def test_what_waits_is_dropped_at_a_loss(self):
        run = lambda body: self.page.evaluate(f"""async () => {{
          const [{{ Delayed }}, {{ paced }}] = [await import('./connection.js'), await import('./transport.js')];
          const app = {{ losses: [] }}, log = [], pass = (time) => new Promise((resolve) => setTimeout(resolve, time));
          {body} return log; }}""")
        self.assertEqual(run(
            "const send = paced(app, (value) => log.push(value)); send(1); await pass(20); send(2); app.losses.forEach((lose) => lose());"
            "await pass(150); send(3); await pass(150);"), [1, 3])
        delayed = "const delayed = new Delayed(app, () => log.push('dropped'));"
        self.assertEqual(run(
            delayed + "delayed.start(20, () => log.push(1)); delayed.start(20, () => log.push(2)); app.losses.forEach((lose) => lose());"
            "await pass(50); app.losses.forEach((lose) => lose()); delayed.start(20, () => log.push(3)); await pass(50);"), ["dropped", 3])
        # The page is stopped for a second, as on a phone that sleeps.
        self.assertEqual(run(
            delayed + "delayed.start(20, () => log.push(1)); const end = Date.now() + 1000; while (Date.now() < end); await pass(50);"),
            ["dropped"])
