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

    def ask(self):
        """Asks for pairing. Returns the number that the page shows."""
        self.show("box")
        self.page.fill("#phone-name", "Anna’s phone")
        self.page.click("#pair")
        self.wait_until(lambda: self.page.is_visible("#pairing-number"))
        self.assertFalse(self.page.is_visible("#pair"))
        return int(self.page.inner_text("#pairing-number"))

    def test_watching_pairing_and_forgetting(self):
        self.assertTrue(self.page.is_visible("#badge-watching"))
        self.page.click("#play")
        self.wait_until(lambda: "Pair this phone first" in self.page.inner_text("#toasts"))
        number = self.ask()
        # The page still knows its number after it was loaded again.
        if not harness.is_mock:
            self.page.reload()
            self.show("box")
            self.wait_until(lambda: self.page.inner_text("#pairing-number") == str(number))
        disturb(f"confirm?{number}", self.address)
        self.wait_until(lambda: "is paired" in self.page.inner_text("#pairing-words"))
        self.wait_until(lambda: "Test" if harness.is_mock else "Anna’s phone (this phone)" in self.page.inner_text("#phone-list"))
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

    def test_one_phone_of_the_list_is_forgotten(self):
        disturb(f"confirm?{self.ask()}", self.address)
        self.wait_until(lambda: self.page.locator("#phone-list li").count() == 1)
        if harness.is_mock:
            return
        self.page.click("#phone-list button")
        self.page.click("#confirm-yes")
        self.wait_until(lambda: "only watch" in self.page.inner_text("#pairing-words"))
        self.assertEqual(self.page.locator("#phone-list li").count(), 0)

    def test_a_stolen_phone_is_forgotten_at_the_box(self):
        disturb(f"confirm?{self.ask()}", self.address)
        self.wait_until(lambda: "is paired" in self.page.inner_text("#pairing-words"))
        disturb("forget", self.address)
        self.addCleanup(harness.pair_again)
        self.wait_until(lambda: "only watch" in self.page.inner_text("#pairing-words"))

    def test_attackers_beside_the_owner(self):
        """They subscribe, and ask at once and all the time, one from another address and one from the owner's; the owner does what the page
        says."""
        if harness.is_mock:
            self.skipTest("the mock confirms whatever it is told")
        own = harness.real.browser_within_the_box()
        attackers = [own.__enter__().new_page(), harness.browser.new_context().new_page()]
        self.addCleanup(own.__exit__, None, None, None)
        self.addCleanup(attackers[1].context.close)
        for attacker in attackers:
            attacker.goto(self.address)
            attacker.evaluate("""() => { window.answers = []; window.heard = [];
              const receive = metronome.connection.onMessage;
              metronome.connection.onMessage = (word, fields) => { heard.push(word + JSON.stringify(fields)); receive(word, fields); };
              const ask = async () => { answers.push((await fetch('pair', { method: 'POST' })).status); setTimeout(ask, 50); };
              ask();
              setInterval(() => metronome.connection.reconnect(), 1000); }""")
        self.page.wait_for_timeout(1000)
        for _ in range(harness.tries):
            disturb(f"confirm?{self.ask()}", self.address)
            self.wait_until(lambda: "is paired" in self.page.inner_text("#pairing-words"))
            self.page.wait_for_timeout(1500)
            for attacker in attackers:
                self.assertFalse(attacker.evaluate("metronome.mayCommand"))
                self.assertEqual(set(attacker.evaluate("answers")), {202})
                self.assertFalse([each for each in attacker.evaluate("heard") if "pairing" in each or "window" in each])
            self.page.click("#forget")
            self.page.click("#confirm-yes")
            self.wait_until(lambda: "only watch" in self.page.inner_text("#pairing-words"))


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
