// Volume, this phone's own sound and light, appearance, pairing, and the box's health.

import { $, make, notify, setAttribute, setText } from "./dom.js";
import { numberOf } from "./message.js";
import { save, settings } from "./settings.js";
import { paced } from "./transport.js";

/** A request without an answer for this long, in milliseconds, is given up. */
const POST_TIME = 2000;

/** How often the list of phones is read while it is shown, in milliseconds: other phones and the box change it, too. */
const LIST_PERIOD = 5000;

/** What a phone is called until its owner says otherwise. */
const deviceName = (agent) =>
  [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android phone"], ["Macintosh", "Mac"], ["Windows", "Windows computer"],
    ["CrOS", "Chromebook"], ["Linux", "Linux computer"]].find(([word]) => agent.includes(word))?.[1] ?? "phone";

const signed = (value, unit) => (value === 0 ? `0 ${unit}` : `${value > 0 ? "+" : "−"}${Math.abs(value)} ${unit}`);

/** Microseconds as milliseconds, rounded up to hundredths. */
const milliseconds = (microseconds) => String(Math.ceil(microseconds / 10) / 100);

/** What the box says of its sound card, for a musician; its clock is the box's own affair. */
function soundWords(audio) {
  const text = (audio ?? "").replace(/^audio: /, "");
  if (text === "" || text === "off") return "off";
  return /^locked|measuring its clock$/.test(text) ? "plays" : text;
}

export class BoxView {
  #app;
  #number = 0;
  /** The list of phones as text, to see whether it has changed. */
  #phones = "[]";

  constructor(app) {
    this.#app = app;
    this.#setUpVolume();
    this.#setUpPhone();
    this.#setUpThemes();
    $("phone-name").value = deviceName(navigator.userAgent);
    $("pair-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#pair();
    });
    $("forget").addEventListener("click", () =>
      this.#forget("Forget all phones? Each must be paired again, this one too.", "Forget all", "forget"));
    setInterval(() => this.#app.isLive && !$("view-box").hidden && !document.hidden && this.readPhones(), LIST_PERIOD);
  }

  #setUpVolume() {
    const slider = $("volume");
    const send = paced(this.#app, (value) => this.#app.command(`volume ${value}`));
    slider.addEventListener("input", () => {
      slider.dataset.touched = String(performance.now());
      this.#showVolume(Number(slider.value));
      send(slider.value);
    });
    $("silent").addEventListener("click", () => this.#app.command("silent"));
    $("set").addEventListener("change", () => this.#app.command(`set ${$("set").value}`));
  }

  #showVolume(value) {
    setText($("volume-value"), signed(value, "dB"));
    setAttribute($("volume"), "aria-valuetext", signed(value, "decibels"));
  }

  #setUpPhone() {
    $("sound").addEventListener("click", async () => {
      const { sound } = this.#app;
      if (sound.isOn) sound.stop();
      else if (!(await sound.start())) notify("This browser plays no sound.", "error");
      this.#showPhone();
    });
    const slider = (id, key) => {
      $(id).value = String(settings[key]);
      $(id).addEventListener("input", () => {
        save({ [key]: Number($(id).value) });
        this.#showPhone();
      });
    };
    slider("sound-volume", "soundVolume");
    slider("sound-shift", "soundShift");
    slider("light", "light");
    $("keys-on").checked = settings.keys;
    $("keys-on").addEventListener("change", () => save({ keys: $("keys-on").checked }));
    this.#showPhone();
  }

  #showPhone() {
    setAttribute($("sound"), "aria-pressed", this.#app.sound.isOn);
    setText($("sound-value"), this.#app.sound.isOn ? `${settings.soundVolume} %` : "off");
    // Light is seen later than it is drawn: the slider moves what is drawn to an earlier instant.
    const words = (value) => (value === 0 ? "0 ms" : `${Math.abs(value)} ms ${value > 0 ? "later" : "earlier"}`);
    for (const [id, value] of [["light", -settings.light], ["sound-shift", settings.soundShift]]) {
      setText($(`${id}-value`), words(value));
      setAttribute($(id), "aria-valuetext", words(value));
    }
  }

  #setUpThemes() {
    const show = () => {
      document.documentElement.dataset.theme = settings.theme;
      for (const button of $("themes").children) setAttribute(button, "aria-pressed", button.dataset.themeName === settings.theme);
    };
    for (const button of $("themes").children) {
      button.addEventListener("click", () => {
        save({ theme: button.dataset.themeName });
        show();
      });
    }
    show();
  }

  /** This phone waits for the box to confirm this number; 0: it does not ask. */
  setNumber(number) {
    this.#number = number;
    this.#showPairing();
    this.readPhones();
  }

  #showPairing() {
    const { mayCommand, isTrusted } = this.#app;
    const asks = this.#number > 0 && !mayCommand;
    const words = isTrusted ? "This browser runs on the box’s own computer, and needs no pairing."
      : mayCommand ? "This phone is paired: it may command the box."
      : asks ? "Go to the box. If it shows no numbers yet, hold the button or buttons for pairing: play and denominator together, unless its settings name others. It then shows numbers, by its display or as flashes: a digit is that many. When it has shown the number above, hold the same again. After another number do nothing, and wait for the next one."
      : "This phone may only watch. To let it command the box, pair it.";
    setText($("pairing-words"), words);
    setText($("pairing-number"), asks ? String(this.#number) : "");
    $("pairing-number").hidden = !asks;
    $("pair-form").hidden = mayCommand || asks;
    $("forget").hidden = !mayCommand || isTrusted;
    $("badge-watching").hidden = mayCommand || !this.#app.isConnected;
  }

  async #pair() {
    const answer = await this.#post(`pair?name=${encodeURIComponent($("phone-name").value.trim())}`);
    if (answer?.status === 202) this.setNumber(Number((await answer.text()).trim()));
    else if (answer && !answer.ok) notify((await answer.text()).trim(), "error");
    // The connection must have the token of the phone.
    this.#app.connection.reconnect();
  }

  /** Reads the list of the paired phones, which only such a phone may see. */
  async readPhones() {
    const answer = this.#app.mayCommand ? await this.#app.connection.request("phones") : { ok: true, items: [] };
    if (!answer.ok) return;
    const text = JSON.stringify(answer.items.map(({ id, ...phone }) => phone));
    if (text === this.#phones) return;
    this.#phones = text;
    $("phones-title").hidden = answer.items.length === 0;
    $("phone-list").replaceChildren(...answer.items.map((phone) => this.#row(phone)));
  }

  #row({ key, name, date, own }) {
    // A box that does not know the time, because it has no clock and no network, has dates long ago.
    const time = Number(date ?? 0) > 1.7e9 ? `paired on ${new Date(date * 1000).toLocaleDateString()}` : "paired";
    const forget = make("button", {
      "aria-label": `Forget ${name}`, on: { click: () => this.#forget(`Forget ${name}?`, "Forget", `forget?phone=${key}`) },
    }, "Forget");
    return make("li", {}, make("span", {}, make("strong", {}, name), ` ${own === "1" ? "(this phone) " : ""}`, make("small", {}, time)), forget);
  }

  async #forget(question, yes, path) {
    if (!(await this.#app.confirm(question, yes))) return;
    const answer = await this.#post(path);
    if (answer && !answer.ok) notify("The box refused to forget the phone.", "error");
    else if (answer) notify("Forgotten.");
    this.#app.connection.reconnect();
  }

  /** Sends a request that must not arrive late. Returns the answer; null without one. */
  async #post(path) {
    try {
      if (this.#app.connection.canSend) return await fetch(path, { method: "POST", signal: AbortSignal.timeout(POST_TIME) });
    } catch {
      // The connection is lost.
    }
    notify("Not connected, so nothing was sent.", "error");
    return null;
  }

  update() {
    const { state } = this.#app;
    const volume = numberOf(state, "volume");
    if (performance.now() - Number($("volume").dataset.touched ?? -Infinity) > 600) {
      $("volume").value = String(volume);
      this.#showVolume(volume);
    }
    setAttribute($("silent"), "aria-pressed", state.silent === "1");
    $("set").value = state.set ?? "click";
    this.#showPairing();
    this.#showHealth(state);
  }

  #showHealth(state) {
    const { clock } = this.#app;
    const late = numberOf(state, "late-us", null);
    const [skipped, dropouts] = [numberOf(state, "skipped"), numberOf(state, "xruns")];
    const leader = { midi: "a MIDI clock", link: "Ableton Link" }[state.follows] ?? "this box";
    const rows = [
      ["Beats come", late === null ? "no beat yet" : late > 1000 ? `up to ${milliseconds(late)} ms late` : `on time, within ${milliseconds(late)} ms`, late > 1000],
      ["Beats left out", skipped || "none", skipped > 0],
      ["Gaps in the sound", dropouts || "none", dropouts > 0],
      ["Sound of the box", soundWords(state.audio), /waiting/.test(state.audio)],
      ["Light and buttons", state.lines === "1" ? "connected" : "not there", state.lines !== "1"],
      ["The tempo comes from", state.source ? `${leader} (${state.source})` : leader, false],
      ["This phone shows the beat", clock.isKnown ? `within ${clock.uncertainty(performance.now()).toFixed(1)} ms` : "soon", false],
    ];
    const list = $("health");
    if (list.children.length === 0) list.append(...rows.map(([name]) => make("div", {}, make("dt", {}, name), make("dd"))));
    rows.forEach(([, value, isBad], index) => {
      const definition = list.children[index].lastChild;
      setText(definition, isBad ? `${value} ⚠` : String(value));
      setAttribute(definition, "data-bad", isBad ? "1" : null);
    });
  }
}
