"""What the page sends: lists and commands, nothing twice, and nothing late."""

import harness
from harness import disturb
from test_connection import Lost


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
