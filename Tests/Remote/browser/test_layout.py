"""Every label in its box, at the widths of phones: nothing is cut, and nothing is covered, also while a message is shown."""

import harness
from harness import PageTest

WIDTHS = [320, 360, 390, 430]

# The labels that are cut or covered. A label is a text, or the value of a field; its box is that of the element, of each element that
# clips it, and of the screen. A label of the panel is scrolled to first.
FAULTS = """() => {
  const found = [];
  const clips = (element) => ['hidden', 'clip', 'auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const isWithin = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  const canvas = document.createElement('canvas').getContext('2d');
  const check = (element, name, rectangles) => {
    const own = element.getBoundingClientRect();
    for (const rectangle of rectangles) {
      if (rectangle.width === 0) continue;
      if (!isWithin(rectangle, { left: own.left, right: own.right, top: rectangle.top, bottom: rectangle.bottom })) found.push(`${name}: wider than its element`);
      for (let outer = element; outer && outer !== document.documentElement; outer = outer.parentElement) {
        if (clips(outer) && !isWithin(rectangle, outer.getBoundingClientRect())) found.push(`${name}: cut by ${outer.id || outer.className || outer.tagName}`);
      }
      if (!isWithin(rectangle, { left: 0, right: innerWidth, top: 0, bottom: innerHeight })) found.push(`${name}: outside of the screen`);
      const top = document.elementFromPoint((rectangle.left + rectangle.right) / 2, (rectangle.top + rectangle.bottom) / 2);
      if (top && !(top.contains(element) || element.contains(top))) found.push(`${name}: covered by ${top.id || top.className || top.tagName}`);
    }
  };
  const isShown = (element) => element.checkVisibility({ checkVisibilityCSS: true }) && !element.closest('.quiet, noscript, select, dialog:not([open])')
    && getComputedStyle(element).clipPath === 'none';
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue;
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    const isField = element.matches('input:not([type])') && element.value !== '';
    if (texts.length === 0 && !isField && !element.matches('select')) continue;
    if (element.closest('#panel')) element.scrollIntoView({ block: 'center' });
    if (element.closest('#panel') && getComputedStyle(element).textOverflow === 'ellipsis') found.push(`${element.id}: may be cut`);
    for (const text of texts) {
      const range = document.createRange();
      range.selectNodeContents(text);
      check(element, text.data.trim(), [...range.getClientRects()]);
    }
    if (isField || element.matches('select')) {
      const style = getComputedStyle(element);
      canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      canvas.letterSpacing = style.letterSpacing;
      const label = isField ? element.value : element.selectedOptions[0]?.text ?? '';
      const inner = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (canvas.measureText(label).width > inner + 1) found.push(`${label}: wider than its field ${element.id}`);
      const own = element.getBoundingClientRect();
      check(element, label, [own]);
    }
  }
  document.getElementById('panel').scrollTop = 0;
  return [...new Set(found)];
}"""

# As the message of a refusal in a song, but whether or not one is loaded.
NOTIFY = "why => import('./dom.js').then(m => m.notify(why, 'error', { button: { label: 'Stop and unload the song', act() {} } }))"


class Layout(PageTest):
    def setUp(self):
        super().setUp()
        self.reset()

    def tearDown(self):
        self.page.evaluate("metronome.connection.request('score', {action: 'unload'})")
        super().tearDown()

    def check_all(self, what):
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 640})
            for view in harness.VIEWS:
                self.show(view)
                for why in [None, "The song has its own signatures and rhythms; unload the song first"]:
                    if why:
                        self.page.evaluate(NOTIFY, why)
                    self.page.wait_for_timeout(30)
                    self.assertEqual(self.page.locator(".toast").count(), 1 if why else 0)
                    faults = self.page.evaluate(FAULTS)
                    with self.subTest(f"{what}, {view}, {width} points wide{', with a message' if why else ''}"):
                        self.assertEqual(faults, [])
                self.page.evaluate("import('./dom.js').then(m => m.endMessage(() => true))")

    def test_long_values(self):
        for words in ["tempo 170.3", "signature 3+2/4", "gap 2/2", "drop 20", "silent"]:
            self.command(words)
        self.addCleanup(self.command, "silent")
        self.wait_state("tempo", "170.3")
        self.check_all("long values")

    def test_the_longest_tempo_and_signature(self):
        for words in ["signature 3+3+2+3+3+2/16", "beat 1/16", "tempo 133.375"]:
            self.command(words)
        self.wait_state("tempo", "133.375")
        self.addCleanup(self.command, "beat 1/4")
        self.check_all("the longest values")

    def test_a_wide_font(self):
        """The fonts of phones differ. This one has digits a seventh wider than most."""
        self.command("signature 3+2/4")
        self.command("tempo 170.3")
        self.wait_state("tempo", "170.3")
        self.page.evaluate("document.body.style.fontFamily = 'DejaVu Sans'")
        width = "() => { const c = document.createElement('canvas').getContext('2d'); c.font = `16px ${getComputedStyle(document.body).fontFamily}`; return c.measureText('0').width; }"
        self.assertGreater(self.page.evaluate(width), 10, "the font is installed")
        self.check_all("a wide font")

    def test_a_name_of_a_tempo(self):
        self.command("tempo 129.5")
        self.wait_until(lambda: self.page.text_content("#tempo-name") == "Allegro")
        self.check_all("Allegro")

    def test_a_ramp(self):
        self.command("ramp 80+5/4bar..120")
        self.play()
        self.wait_until(lambda: self.page.text_content("#lock-words").startswith("The ramp: 85 BPM in"))
        self.check_all("a ramp")
        self.reset()

    def test_a_song(self):
        if not harness.can_be_disturbed():
            self.skipTest("the stored scores are the box's own")
        self.load("setlist")
        self.check_all("a song")

    def load(self, name):
        self.page.evaluate("name => metronome.connection.request('score', {action: 'load', name})", name)
        self.wait_state("score", name)
