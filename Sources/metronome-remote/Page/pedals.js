// Pedals and knobs that learn what they do: the box listens to all of them, and remembers the one that is pressed or turned.

import { $, make, notify, replaceRows, setText } from "./dom.js";

/** A little longer than the box listens, in milliseconds. */
const LEARNING_TIME = 25_000;

/** What a pedal can do, and what a knob can set, in the order of the list. */
const COMMANDS = {
  play: "start and stop", tap: "tap the tempo", faster: "faster", slower: "slower", silent: "silent mode",
  next_preset: "next preset", previous_preset: "previous preset", "recall 1": "preset 1", "recall 2": "preset 2",
  "recall 3": "preset 3", "recall 4": "preset 4", next_song: "next song", previous_song: "previous song",
  next_section: "next section", previous_section: "previous section", restart_section: "section again",
  next_subdivision: "next subdivision", next_numerator: "one more beat in the bar", next_denominator: "next note value",
  volume_up: "louder", volume_down: "softer",
};
const DIALS = {
  tempo: "tempo", volume: "volume", preset: "preset", subdivision: "subdivision", numerator: "beats in the bar",
  denominator: "note value",
};

export class PedalsView {
  #app;
  #text = "";
  #isLearning = false;

  constructor(app) {
    this.#app = app;
    const group = (label, kind, uses) => make("optgroup", { label },
      ...Object.entries(uses).map(([value, words]) => make("option", { value: `${kind} ${value}` }, words)));
    $("pedal-use").append(group("A pedal or key", "command", COMMANDS), group("A knob or wheel", "dial", DIALS));
    $("pedal-learn").addEventListener("click", () => (this.#isLearning ? this.#request({ action: "cancel" }) : this.#learn()));
  }

  async #learn() {
    const [kind, ...words] = $("pedal-use").value.split(" ");
    const use = words.join(" ");
    if (this.#app.refuses()) return;
    this.#show(true, kind === "dial" ? "Turn the knob now, some steps forward and some back." : "Press the pedal now, and release it.");
    const answer = await this.#app.connection.request("learn", { action: kind, [kind]: use }, LEARNING_TIME);
    const what = (kind === "dial" ? DIALS : COMMANDS)[use];
    this.#show(false, answer.ok ? `${answer.fields.control} of ${answer.fields.device}: ${what}.` : `Not learned: ${answer.why}.`);
    await this.load();
  }

  #show(isLearning, words) {
    this.#isLearning = isLearning;
    setText($("pedal-words"), words);
    setText($("pedal-learn"), isLearning ? "Cancel" : "Learn");
    $("pedal-use").disabled = isLearning;
  }

  async #request(fields) {
    const answer = await this.#app.connection.request("learn", fields);
    if (!answer.ok) notify(answer.why, "error");
    return answer;
  }

  /** Reads the list. A box that can learn nothing, such as the simulator, has no such part of the page. */
  async load() {
    const { isLive, mayCommand, connection } = this.#app;
    if (!isLive) return;
    const answer = mayCommand ? await connection.request("learn", { action: "list" }) : { ok: false };
    $("pedals").hidden = !answer.ok;
    const items = answer.ok ? answer.items.map(({ id, ...item }) => item) : [];
    if (JSON.stringify(items) === this.#text) return;
    this.#text = JSON.stringify(items);
    replaceRows($("pedal-list"), items.map((item) => this.#row(item)));
  }

  #row({ number, device, control, command, dial }) {
    const use = dial ? DIALS[dial] ?? dial : COMMANDS[command] ?? command;
    const forget = make("button", {
      "aria-label": `Forget ${use} on ${control}`, data: { key: `${device} ${control}` },
      on: { click: async () => { if ((await this.#request({ action: "forget", number })).ok) await this.load(); } },
    }, "Forget");
    return make("li", {}, make("span", {}, make("strong", {}, use), " ", make("small", {}, `${control} of ${device}`)), forget);
  }
}
