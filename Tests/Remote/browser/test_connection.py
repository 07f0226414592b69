"""Lost connections, restarts, sleep, and pairing."""

import time

import harness
from harness import PageTest, commands, disturb, share, untrusting_server


class Lost(PageTest):
    """What happens after the connection was lost."""

    def setUp(self):
        if not harness.can_be_disturbed():
            self.skipTest("a server that this run has not started is not disturbed")
        super().setUp()
        self.reset()

    def is_live(self):
        return self.page.evaluate("document.body.dataset.live") == "1"

    def assert_right_within(self, seconds):
        """Shows the connection as lost, until it is there with a known clock, state and beats."""
        begun, old = time.monotonic(), self.state("now")
        self.wait_for(
            f"document.body.dataset.live === '1' && metronome.clock.isKnown && metronome.state.now !== '{old}'"
            " && (metronome.timeline || metronome.state.playing === '0')", timeout=seconds + 3)
        took = time.monotonic() - begun
        print(f"right again after {took:.2f} s", end=" ", flush=True)
        self.assertLessEqual(took, seconds)
        self.assertEqual(self.page.inner_text("#lost"), "")


class Reconnecting(Lost):
    def test_a_closed_connection_is_there_again(self):
        self.page.evaluate("""() => { const observe = metronome.connection.onChange; window.losses = 0;
          metronome.connection.onChange = (isConnected) => { if (!isConnected) losses += 1; observe(isConnected); }; }""")
        disturb("close")
        self.wait_for("losses === 1")
        self.assert_right_within(2)

    def test_a_silent_connection_counts_as_lost(self):
        self.play()
        self.page.wait_for_timeout(400)
        begun = time.monotonic()
        disturb("stall?4")
        self.wait_until(lambda: not self.is_live(), timeout=4)
        self.assertLess(time.monotonic() - begun, 2.5)
        self.assertIn("Disconnected", self.page.inner_text("#lost"))
        self.assertEqual(self.page.inner_text("#number"), "–", "no beat is shown that may not be there")
        self.page.wait_for_timeout(int(max(0, 4 - (time.monotonic() - begun)) * 1000))
        self.assert_right_within(2)

    def test_nothing_is_sent_late(self):
        count = len(commands())
        disturb("stall?3")
        self.page.wait_for_timeout(800)
        for key in ["ArrowUp", "t", "p"]:
            self.page.keyboard.press(key)
        self.assertIn("nothing was sent", self.page.inner_text("#toasts"))
        self.page.wait_for_timeout(1500)
        self.page.keyboard.press("ArrowUp")
        self.page.wait_for_timeout(900)
        self.assert_right_within(2)
        self.page.wait_for_timeout(1000)
        self.assertEqual([each["command"] for each in commands()[count:]], [])
        self.assertEqual(self.state("tempo"), "120")
        self.assertEqual(self.state("playing"), "0")

    def test_a_server_that_was_gone_for_ten_seconds(self):
        disturb("down?10")
        self.wait_until(lambda: not self.is_live(), timeout=3)
        self.page.wait_for_timeout(9800)
        self.assertFalse(self.is_live())
        self.assert_right_within(2.2)

    def test_a_restarted_box(self):
        self.play()
        disturb("restart")
        self.wait_until(lambda: "not running" in self.page.inner_text("#lost"), timeout=3)
        self.page.keyboard.press("ArrowUp")
        self.wait_until(lambda: "not running" in self.page.inner_text("#toasts"))
        self.page.wait_for_timeout(600)
        self.assert_right_within(2)
        self.wait_state("playing", "0")

    def test_the_network_gone_for_ten_seconds(self):
        """The cable is out at the box: what the phone sends is lost without an error."""
        if not harness.real:
            self.skipTest("only the test's own network can be cut off")
        self.play()
        begun = time.monotonic()
        harness.real.network.set_cable("down")
        self.addCleanup(harness.real.network.set_cable, "up")
        self.wait_until(lambda: not self.is_live(), timeout=3)
        self.assertIn("Disconnected", self.page.inner_text("#lost"))
        self.page.keyboard.press("ArrowUp")
        self.wait_until(lambda: "nothing was sent" in self.page.inner_text("#toasts"))
        self.page.wait_for_timeout(int(max(0, 10 - (time.monotonic() - begun)) * 1000))
        self.assertFalse(self.is_live())
        harness.real.network.set_cable("up")
        self.assert_right_within(2)
        self.assertEqual(self.state("tempo"), "120")
        self.assertEqual(self.state("playing"), "1")

    def test_a_link_session_is_shown(self):
        self.assertFalse(self.page.is_visible("#badge-source"))
        disturb("set?follows=link")
        self.wait_until(lambda: self.page.is_visible("#badge-source"))
        self.assertEqual(self.page.inner_text("#badge-source"), "Link")
        if harness.is_mock:
            disturb("set?follows=none")
        self.wait_until(lambda: not self.page.is_visible("#badge-source"))

    def test_no_network(self):
        self.page.context.set_offline(True)
        self.wait_until(lambda: not self.is_live(), timeout=3)
        self.page.wait_for_timeout(3000)
        self.page.context.set_offline(False)
        self.assert_right_within(2)


class Asking(Lost):
    """What the page asks the box for."""

    def watch_sent(self):
        self.page.evaluate("""() => { const { connection } = metronome, post = connection.post.bind(connection); window.sent = [];
          connection.post = (word, fields) => { const isSent = post(word, fields); if (isSent) sent.push({ word, ...fields }); return isSent; }; }""")

    def test_each_list_is_requested_once(self):
        self.watch_sent()
        self.page.evaluate("metronome.connection.reconnect()")
        self.assert_right_within(2)
        self.page.wait_for_timeout(1000)
        words = [each["word"] for each in self.page.evaluate("sent")]
        self.assertEqual({word: words.count(word) for word in ["subscribe", "presets", "scores"]}, {"subscribe": 1, "presets": 1, "scores": 1})
        self.assertEqual(self.page.inner_text("#toasts"), "")

    def test_a_refused_list_is_requested_again(self):
        if not harness.is_mock:
            self.skipTest("only the mock refuses a list on request")
        self.show("songs")
        self.page.wait_for_selector("#score-list li button")
        for word in ["presets", "scores"]:
            disturb(f"refuse?{word}=2")
        self.page.reload()
        self.wait_for("document.querySelectorAll('#score-list li').length > 0 && document.querySelectorAll('#preset-list li').length > 0")
        self.assertEqual(self.page.inner_text("#toasts"), "")

    def test_long_lists_are_read_in_pages(self):
        if not harness.is_mock:
            self.skipTest("only the mock can be given so many scores")
        disturb("scores?205")
        self.addCleanup(disturb, "scores?0")
        self.watch_sent()
        self.show("songs")
        self.wait_until(lambda: self.page.locator("#score-list li").count() == 207)
        self.assertEqual([each["from"] for each in self.page.evaluate("sent") if each["word"] == "scores"], [1, 101, 201])
        disturb("sections?198")
        self.addCleanup(disturb, "sections?0")
        self.page.click("#score-list li:first-child button")
        self.wait_until(lambda: self.page.locator("#section-list li").count() == 202)
        self.assertEqual([each["from"] for each in self.page.evaluate("sent") if each["word"] == "song"][:3], [1, 101, 201])

    def test_no_command_before_the_clock_is_known(self):
        answer = self.page.evaluate("() => { metronome.clock.reset(); return metronome.command('tempo 99'); }")
        self.assertIn("nothing was sent", answer["why"])
        self.page.wait_for_timeout(300)
        self.assertEqual(self.state("tempo"), "120")

    def test_a_press_of_play_does_what_the_button_shows(self):
        """The box is stopped elsewhere, and the page does not know that yet."""
        for press in [lambda: self.page.click("#play"), lambda: self.page.keyboard.press("p"), lambda: self.page.keyboard.press(" ")]:
            self.play()
            self.wait_until(lambda: self.page.text_content("#play-word") == "Stop")
            self.page.evaluate("() => { window.receive = metronome.connection.onMessage; metronome.connection.onMessage = () => {}; }")
            self.command("stop")
            press()
            self.page.wait_for_timeout(200)
            self.page.evaluate("metronome.connection.onMessage = window.receive")
            self.page.wait_for_timeout(400)
            self.assertEqual(self.state("playing"), "0")


class NothingLate(Lost):
    """What was changed before the connection was lost, or meanwhile, is not sent afterwards."""

    def lose(self, seconds):
        disturb(f"down?{seconds}")
        self.wait_until(lambda: not self.is_live(), timeout=3)

    def practise(self, words, field, value):
        self.show("practice")
        self.command(words)
        self.wait_until(lambda: words.split()[0] in self.state("trainer-on"))
        self.wait_until(lambda: self.page.input_value(field) == value)

    def test_a_change_of_practice_before_the_loss(self):
        self.practise("drop 20", "#drop-share", "20")
        self.page.evaluate("document.getElementById('drop-share-more').click(); metronome.connection.reconnect()")
        self.assertEqual(self.page.input_value("#drop-share"), "20")
        self.assert_right_within(2)
        self.page.wait_for_timeout(800)
        self.assertEqual(self.state("drop"), "20")
        self.assertEqual(self.page.input_value("#drop-share"), "20")

    def test_changes_of_practice_meanwhile(self):
        self.practise("gap 2/2", "#gap-silent", "2")
        self.command("ramp none")
        before = self.page.input_value("#ramp-end")
        self.page.focus("#gap-silent")
        self.page.keyboard.type("9")
        self.lose(2)
        self.assertEqual(self.page.input_value("#gap-silent"), "2", "typed, and not entered")
        self.page.focus("#gap-sounding")
        self.page.keyboard.type("7")
        self.page.keyboard.press("Enter")
        self.page.click("#gap-silent-more")
        self.page.select_option("#ramp-end", "again" if before != "again" else "stay")
        self.assertIn("nothing was sent", self.page.inner_text("#toasts"))
        shown = [self.page.input_value(field) for field in ["#gap-sounding", "#gap-silent", "#ramp-end"]]
        self.assertEqual(shown, ["2", "2", before])
        self.page.wait_for_timeout(1500)
        self.assert_right_within(2.2)
        self.page.click("#gap-sounding-more")
        self.wait_state("gap", "3/2")

    def test_a_typed_tempo(self):
        self.page.focus("#tempo")
        self.page.keyboard.type("9")
        self.lose(1)
        self.assertEqual(self.page.input_value("#tempo"), "120")
        self.page.focus("#tempo")
        self.page.keyboard.type("97")
        self.assertEqual(self.page.input_value("#tempo"), "120")
        self.page.keyboard.press("8")
        self.assertEqual(self.page.input_value("#tempo"), "120")
        self.page.wait_for_timeout(900)
        self.assert_right_within(2.2)
        self.show("box")
        self.page.wait_for_timeout(400)
        self.assertEqual(self.state("tempo"), "120")

    def test_a_typed_rhythm(self):
        self.show("rhythm")
        self.command("rhythm sub=2")
        self.wait_until(lambda: self.page.input_value("#rhythm-text") == "sub=2")
        self.page.focus("#rhythm-text")
        self.page.keyboard.type("X")
        self.lose(1)
        self.assertEqual(self.page.input_value("#rhythm-text"), "sub=2")
        self.page.focus("#rhythm-text")
        self.page.keyboard.type("X")
        self.assertEqual(self.page.input_value("#rhythm-text"), "sub=2")
        self.assertIn("nothing was sent", self.page.inner_text("#toasts"))
        self.page.wait_for_timeout(900)
        self.assert_right_within(2.2)

    def test_touches_of_the_rhythm(self):
        self.show("rhythm")
        slot = '.slot[data-cell="1"]'
        self.lose(1)
        self.page.click(slot)
        self.page.click("#numerator-more")
        self.page.select_option("#unit", "1/8")
        self.assertEqual([self.state(key) for key in ["rhythm", "signature", "beat"]], ["", "4/4", "1/4"])
        self.assertEqual(self.page.get_attribute(slot, "data-level"), "weak")
        self.assertEqual(self.page.input_value("#unit"), "1/4")
        self.page.wait_for_timeout(900)
        self.assert_right_within(2.2)
        self.page.click(slot)
        self.wait_state("rhythm", "Xoxx")
        self.assertEqual(self.state("signature"), "4/4")

    def test_a_preset_that_was_chosen_as_the_connection_died(self):
        """The request was sent, and the server reads it three seconds later."""
        self.command("tempo 90")
        self.page.evaluate("metronome.request('preset', {action: 'save', name: 'Late'})")
        self.command("tempo 120")
        self.wait_state("tempo", "120")
        disturb("stall?3")
        answer = self.page.evaluate("metronome.request('preset', {action: 'recall', name: 'Late'})")
        self.assertIn("nobody knows", answer["why"])
        self.page.wait_for_timeout(2000)
        self.assert_right_within(2)
        self.page.wait_for_timeout(500)
        self.assertEqual(self.state("tempo"), "120")
        self.page.evaluate("metronome.request('preset', {action: 'delete', name: 'Late'})")


class AtTheBox(PageTest):
    def setUp(self):
        self.errors = []
        if not harness.real:
            self.skipTest("needs a browser in the namespace of the box")

    def test_a_browser_at_the_box_needs_no_pairing_and_keeps_the_screen_on(self):
        with harness.real.browser_at_the_box() as (browser, address):
            self.page = self.open(address, within=browser)
            self.reset()
            self.show("box")
            self.assertIn("needs no pairing", self.page.inner_text("#pairing-words"))
            # Only pages of the machine itself and of https may keep the screen on.
            self.page.evaluate("""() => { const request = navigator.wakeLock.request.bind(navigator.wakeLock);
              navigator.wakeLock.request = async (kind) => (window.lock = await request(kind)); }""")
            self.page.click("#play")
            self.wait_state("playing", "1")
            self.wait_for("window.lock && !window.lock.released")
            self.page.click("#play")
            self.wait_for("window.lock.released")
            self.page.context.close()


class Pairing(PageTest):
    def setUp(self):
        if not harness.can_be_disturbed():
            self.skipTest("somebody at the box must open the window")
        self.errors = []
        server = untrusting_server()
        self.address = server.__enter__()
        self.addCleanup(server.__exit__, None, None, None)
        self.page = self.open(self.address)

    def test_watching_pairing_and_forgetting(self):
        self.assertTrue(self.page.is_visible("#badge-watching"))
        self.page.click("#play")
        self.wait_until(lambda: "Pair this phone first" in self.page.inner_text("#toasts"))
        self.show("box")
        self.assertTrue(self.page.is_disabled("#pair"))
        self.assertIn("hold play and denominator", self.page.inner_text("#pairing-words"))
        disturb("window", self.address)
        self.wait_until(lambda: self.page.is_enabled("#pair"))
        self.page.click("#pair")
        self.wait_until(lambda: "is paired" in self.page.inner_text("#pairing-words"))
        self.page.click("#play")
        self.wait_state("playing", "1")
        self.assertFalse(self.page.is_visible("#badge-watching"))
        self.page.reload()
        self.wait_for("metronome.mayCommand === undefined ? false : metronome.mayCommand")
        self.show("box")
        self.page.click("#forget")
        self.page.click("#confirm-yes")
        self.wait_until(lambda: "only watch" in self.page.inner_text("#pairing-words"))
        self.wait_for("document.body.dataset.live === '1'")
        self.page.click("#play")
        self.wait_until(lambda: "Pair this phone first" in self.page.inner_text("#toasts"))

    def test_a_page_that_was_welcomed_before_the_window_was_known(self):
        """As after a restart of the server, which learns of the window from the box."""
        self.show("box")
        disturb("window", self.address)
        self.wait_until(lambda: self.page.is_enabled("#pair"))
        self.page.evaluate("""() => { const receive = metronome.connection.onMessage;
          metronome.connection.onMessage = (word, fields) => {
            window.welcomed ||= word === 'welcome';
            receive(word, word === 'welcome' ? { ...fields, window: '0' } : fields);
          };
          metronome.connection.reconnect(); }""")
        self.wait_for("window.welcomed")
        self.wait_until(lambda: self.page.is_enabled("#pair"))
        self.page.click("#pair")
        self.wait_until(lambda: "is paired" in self.page.inner_text("#pairing-words"))

    def test_a_shut_window(self):
        status = self.page.evaluate("fetch('pair', {method: 'POST'}).then(answer => answer.status)")
        self.assertEqual(status, 403)


class Sleeping(Lost):
    """A phone that sleeps for a minute. It falls asleep before the other tests of this file, and wakes up after them."""

    MINUTE = 60

    @classmethod
    def begin(cls):
        cls.context = harness.browser.new_context(viewport=harness.PHONE)
        harness.make_paired(cls.context)
        cls.sleeper = cls.context.new_page()
        cls.sleeper.goto(harness.url)
        cls.sleeper.wait_for_timeout(1000)
        cls.session = cls.context.new_cdp_session(cls.sleeper)
        cls.session.send("Page.setWebLifecycleState", {"state": "frozen"})
        cls.since = time.monotonic()

    def test_a_page_that_slept_for_a_minute(self):
        self.play()
        self.page = self.sleeper
        time.sleep(max(0, self.since + self.MINUTE - time.monotonic()))
        self.session.send("Page.setWebLifecycleState", {"state": "active"})
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        self.assert_right_within(2)
        self.page.evaluate("metronomeLog.length = 0")
        self.wait_for("metronomeLog.length >= 5")
        late = self.page.evaluate("metronomeLog.map(each => Math.abs(each.seen - each.at))")
        self.assertLess(share(late, 0.5), 1000 / 60)


def setUpModule():
    Sleeping.begin()


def tearDownModule():
    Sleeping.context.close()
