// The presets of the box: recall, save, rename, move, delete.

import { $, make, notify, replaceRows } from "./dom.js";
import { formatTempo } from "./tempo.js";

/** How often the list is read while it is shown, in milliseconds: the buttons of the box and other phones change it, too. */
const PERIOD = 5000;

export class PresetsView {
  #app;
  #presets = [];
  /** The list as text, to see whether it has changed. */
  #text = "";
  /** The preset whose editor is open, and the text in its field. */
  #open = null;
  #draft = "";

  constructor(app) {
    this.#app = app;
    $("preset-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save($("preset-name").value.trim());
    });
    setInterval(() => this.#app.isLive && !$("view-presets").hidden && !document.hidden && this.#read(), PERIOD);
  }

  /** Reads the list anew. Returns whether it could be read. */
  async load() {
    const answer = await this.#read();
    // While the connection is lost, the page already shows that.
    if (!answer.ok && this.#app.isLive) this.#app.complain(answer);
    return answer.ok;
  }

  async #read() {
    const answer = await this.#app.connection.list("presets");
    if (!answer.ok) return answer;
    const presets = answer.items.map(({ id, ...preset }) => preset);
    const text = JSON.stringify(presets);
    // An element that is pressed just now must not be replaced without need.
    if (text === this.#text) return answer;
    this.#text = text;
    this.#presets = presets;
    this.#show();
    return answer;
  }

  async #save(name) {
    if (name === "") return notify("Give the preset a name.", "error");
    const isThere = this.#presets.some((preset) => preset.name === name);
    if (isThere && !(await this.#app.confirm(`Replace the preset ${name}?`, "Replace"))) return;
    if (await this.#request("save", { name })) $("preset-name").value = "";
  }

  /** A preset in a score needs that score, and any other needs none: the message changes that with one touch. */
  #recall({ name, score = "" }) {
    const app = this.#app;
    const recall = () => this.#request("recall", { name });
    if (score === (app.state.score ?? "") || app.refuses()) return recall();
    const stops = app.state.playing === "1" ? "Stop, " : "";
    const [why, label, prepare] = score === "" ? ["Unload the song first.", `${stops}unload and recall`, () => app.changeScore({ action: "unload" })]
      : [`Load ${score} first.`, `${stops}load and recall`, () => app.changeScore({ action: "load", name: score })];
    const act = async () => (await prepare()).ok && recall();
    notify(why, "error", { isOver: () => (app.state.score ?? "") === score, button: { label, act } });
  }

  async #request(action, fields) {
    const answer = await this.#app.request("preset", { action, ...fields });
    if (answer.ok && answer.fields.saving === "refused") notify(`Not on the disk: ${answer.fields.why ?? ""}`, "error");
    if (answer.ok) await this.load();
    return answer.ok;
  }

  #show() {
    $("preset-empty").hidden = this.#presets.length > 0;
    replaceRows($("preset-list"), this.#presets.map((preset, index) => this.#row(preset, index)));
  }

  #row(preset, index) {
    const details = preset.score
      ? `in ${preset.score}`
      : [formatTempo(Number(preset.tempo)), preset.signature, preset.beat === "1/4" ? "" : `counts ${preset.beat}`, preset.rhythm].filter(Boolean).join(" · ");
    const recall = make("button", {
      className: "recall", "aria-current": String(preset.recalled === "1"), data: { key: `recall ${preset.name}` },
      on: { click: () => this.#recall(preset) },
    }, make("strong", {}, preset.name), make("span", {}, details));
    const edit = make("button", {
      className: "more", "aria-label": `Edit ${preset.name}`, "aria-expanded": String(this.#open === preset.name),
      data: { key: `edit ${preset.name}` }, on: { click: () => this.#toggle(preset.name) },
    }, "⋯");
    const row = make("li", {}, recall, edit);
    if (this.#open === preset.name) row.append(this.#editor(preset, index));
    return row;
  }

  #toggle(name) {
    this.#open = this.#open === name ? null : name;
    this.#draft = name;
    this.#show();
  }

  #editor({ name }, index) {
    const field = make("input", {
      value: this.#draft, maxLength: 64, "aria-label": `New name of ${name}`, data: { key: `name ${name}` },
      on: { input: () => (this.#draft = field.value) },
    });
    const rename = async () => {
      const to = field.value.trim();
      if (to === "" || to === name) return;
      if (await this.#request("rename", { name, to })) this.#toggle(name);
    };
    const button = (label, key, click, disabled = false) =>
      make("button", { disabled, data: { key: `${key} ${name}` }, "aria-label": `${label} ${name}`, on: { click } }, label);
    return make("form", { className: "editor", on: { submit: (event) => { event.preventDefault(); rename(); } } },
      make("div", { className: "entry" }, field, make("button", {}, "Rename")),
      make("div", { className: "row keys", on: { click: (event) => event.preventDefault() } },
        button("Move up", "up", () => this.#move(name, -1), index === 0),
        button("Move down", "down", () => this.#move(name, 1), index === this.#presets.length - 1),
        button("Delete", "delete", () => this.#delete(name))));
  }

  /** From its place in the list as it is now. */
  async #move(name, by) {
    if (this.#app.refuses() || !(await this.load())) return;
    const place = this.#presets.findIndex((preset) => preset.name === name) + 1;
    if (place === 0) return notify(`There is no preset ${name} any more.`, "error");
    const next = place + by;
    if (next >= 1 && next <= this.#presets.length) await this.#request("move", { name, place: next });
  }

  async #delete(name) {
    if (await this.#app.confirm(`Delete the preset ${name}?`, "Delete")) await this.#request("delete", { name });
  }

  /** Recalls the preset after or before the recalled one, by the box's own command. */
  step(by) {
    this.#app.command(by > 0 ? "next_preset" : "previous_preset").then(() => this.load());
  }
}
