// The presets of the box: recall, save, rename, move, delete.

import { $, make, notify } from "./dom.js";
import { formatTempo } from "./tempo.js";

export class PresetsView {
  #app;
  #presets = [];
  #open = null;

  constructor(app) {
    this.#app = app;
    $("preset-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save($("preset-name").value.trim());
    });
  }

  /** Reads the list anew. */
  async load() {
    const answer = await this.#app.connection.request("presets");
    // While the connection is lost, the page already shows that.
    if (!answer.ok) return this.#app.isLive && this.#app.complain(answer);
    this.#presets = answer.items;
    this.#show();
  }

  async #save(name) {
    if (name === "") return notify("Give the preset a name.", "error");
    const isThere = this.#presets.some((preset) => preset.name === name);
    if (isThere && !(await this.#app.confirm(`Replace the preset ${name}?`, "Replace"))) return;
    if (await this.#request("save", { name })) $("preset-name").value = "";
  }

  async #request(action, fields) {
    const answer = await this.#app.request("preset", { action, ...fields });
    if (answer.ok && answer.fields.saving === "refused") notify(`Not on the disk: ${answer.fields.why ?? ""}`, "error");
    if (answer.ok) await this.load();
    return answer.ok;
  }

  #show() {
    const focused = document.activeElement?.dataset?.key;
    $("preset-empty").hidden = this.#presets.length > 0;
    $("preset-list").replaceChildren(...this.#presets.map((preset, index) => this.#row(preset, index)));
    if (focused) $("preset-list").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #row(preset, index) {
    const details = preset.score
      ? `in ${preset.score}`
      : [formatTempo(Number(preset.tempo)), preset.signature, preset.beat === "1/4" ? "" : `counts ${preset.beat}`, preset.rhythm].filter(Boolean).join(" · ");
    const recall = make("button", {
      className: "recall", "aria-current": String(preset.recalled === "1"), data: { key: `recall ${preset.name}` },
      on: { click: () => this.#request("recall", { name: preset.name }) },
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
    this.#show();
  }

  #editor({ name }, index) {
    const field = make("input", { value: name, maxLength: 64, "aria-label": `New name of ${name}` });
    const rename = async () => {
      const to = field.value.trim();
      if (to === "" || to === name) return;
      if (await this.#request("rename", { name, to })) this.#toggle(name);
    };
    const place = (by) => this.#request("move", { name, place: index + 1 + by });
    const button = (label, key, click, disabled = false) =>
      make("button", { disabled, data: { key: `${key} ${name}` }, "aria-label": `${label} ${name}`, on: { click } }, label);
    return make("form", { className: "editor", on: { submit: (event) => { event.preventDefault(); rename(); } } },
      make("div", { className: "entry" }, field, make("button", {}, "Rename")),
      make("div", { className: "row keys", on: { click: (event) => event.preventDefault() } },
        button("Move up", "up", () => place(-1), index === 0),
        button("Move down", "down", () => place(1), index === this.#presets.length - 1),
        button("Delete", "delete", () => this.#delete(name))));
  }

  async #delete(name) {
    if (await this.#app.confirm(`Delete the preset ${name}?`, "Delete")) await this.#request("delete", { name });
  }

  /** Recalls the preset after or before the recalled one, by the box's own command. */
  step(by) {
    this.#app.command(by > 0 ? "preset_next" : "preset_previous").then(() => this.load());
  }
}
