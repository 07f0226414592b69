"""Lost connections, restarts, sleep, and pairing."""

import time

import harness
from harness import PageTest, commands, disturb, untrusting_server


class Reconnecting(PageTest):
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

    def test_a_closed_connection_is_there_again(self):
        disturb("close")
        self.wait_until(lambda: self.page.evaluate("metronome.connection.clock.count < 30"))
        self.assert_right_within(2)

    def test_a_silent_connection_counts_as_lost(self):
        self.play()
        self.page.wait_for_timeout(400)
        begun = time.monotonic()
        disturb("stall?4")
        self.wait_until(lambda: not self.is_live(), timeout=3)
        self.assertLess(time.monotonic() - begun, 2.0)
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
        self.wait_until(lambda: not self.is_live(), timeout=1)
        self.page.wait_for_timeout(9800)
        self.assertFalse(self.is_live())
        self.assert_right_within(2.2)

    def test_a_restarted_box(self):
        self.play()
        disturb("restart")
        self.wait_until(lambda: "not running" in self.page.inner_text("#lost"), timeout=1)
        self.page.keyboard.press("ArrowUp")
        self.wait_until(lambda: "not running" in self.page.inner_text("#toasts"))
        self.page.wait_for_timeout(600)
        self.assert_right_within(2)
        self.wait_state("playing", "0")

    def test_no_network(self):
        self.page.context.set_offline(True)
        self.wait_until(lambda: not self.is_live(), timeout=3)
        self.page.wait_for_timeout(3000)
        self.page.context.set_offline(False)
        self.assert_right_within(2)

    def test_a_page_that_slept(self):
        self.play()
        session = self.page.context.new_cdp_session(self.page)
        session.send("Page.setWebLifecycleState", {"state": "frozen"})
        time.sleep(4)
        session.send("Page.setWebLifecycleState", {"state": "active"})
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        self.assert_right_within(2)
        self.page.evaluate("metronomeLog.length = 0")
        self.wait_for("metronomeLog.length >= 4")
        late = self.page.evaluate("metronomeLog.map(each => Math.abs(each.seen - each.at))")
        self.assertLess(sorted(late)[len(late) // 2], 1000 / 60)

    def test_the_box_says_why_it_refuses(self):
        self.page.evaluate("metronome.command('signature 4/5')")
        self.wait_until(lambda: "7/8" in self.page.inner_text("#toasts"))


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

    def test_a_shut_window(self):
        status = self.page.evaluate("fetch('pair', {method: 'POST'}).then(answer => answer.status)")
        self.assertEqual(status, 403)
