// The trainer: its parts, each with a switch and its values. While a part is on, changed fields are sent to the box.

import { Delayed } from "./connection.js";
import { $, make, notify, onPressRepeated, setAttribute, setText } from "./dom.js";
import { lockOf, nextStepWords } from "./locks.js";
import { FASTEST, SLOWEST } from "./tempo.js";

const UNITS = [["bar", "bars"], ["beat", "beats"], ["s", "seconds"]];
const ENDS = [["stay", "stay there"], ["stop", "stop"], ["again", "begin again"], ["reverse", "go back"]];
const RAMP = /^([\d.]+)([+-])([\d.]+)\/(\d+)(bar|beat|s)\.\.([\d.]+)(?:!(stay|stop|again|reverse))?$/;
const SECONDS = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6 };
/** How long the fields must be unchanged before new values are sent, in milliseconds. */
const PAUSE = 500;

const field = (id, label, value, least, most, step = 1, decimals = 0) => ({ id, label, value, least, most, step, decimals });
const choice = (id, label, value, choices) => ({ id, label, value, choices });

/**
 * The parts and their fields. `write` makes the value of the command from the fields, `read` the fields from the value; null for a value
 * that they cannot show.
 */
export const PARTS = {
  ramp: {
    title: "Ramp", hint: "The tempo rises or falls step by step.", off: "none",
    fields: [
      field("from", "From BPM", 80, SLOWEST, FASTEST, 1, 3), field("to", "To BPM", 120, SLOWEST, FASTEST, 1, 3),
      field("by", "Step in BPM", 5, 0.001, FASTEST, 1, 3), field("every", "A step every", 4, 1, 999),
      choice("unit", "Counted in", "bar", UNITS), choice("end", "At the end", "stop", ENDS),
    ],
    write: ({ from, to, by, every, unit, end }) => `${from}${to < from ? "-" : "+"}${by}/${every}${unit}..${to}${end === "stay" ? "" : `!${end}`}`,
    read(text) {
      const found = RAMP.exec(text);
      if (!found) return null;
      const [, from, , by, every, unit, to, end = "stay"] = found;
      return { from: Number(from), to: Number(to), by: Number(by), every: Number(every), unit, end };
    },
  },
  gap: {
    title: "Gaps", hint: "Bars with clicks, then bars without.", off: "none",
    fields: [field("sounding", "Bars with clicks", 2, 1, 999), field("silent", "Bars without", 2, 1, 999)],
    write: ({ sounding, silent }) => `${sounding}/${silent}`,
    read(text) {
      const found = /^(\d+)\/(\d+)$/.exec(text);
      return found && { sounding: Number(found[1]), silent: Number(found[2]) };
    },
  },
  drop: {
    title: "Drop beats", hint: "Clicks are left out at random.", off: "none",
    fields: [field("share", "Per cent", 20, 1, 100, 5)],
    write: ({ share }) => String(share),
    read: (text) => (/^\d+$/.test(text) ? { share: Number(text) } : null),
  },
  timer: {
    title: "Timer", hint: "The box stops after this time.", off: "never",
    fields: [field("minutes", "Minutes", 10, 1, 1440)],
    // Four decimals of a minute are enough for hundredths of a second.
    write: ({ minutes }) => (Number.isInteger(minutes) ? `${minutes}m` : `${Number((minutes * 60).toFixed(2))}s`),
    read(text) {
      const found = /^(\d+(?:\.\d+)?)(h|m|s|ms|us)$/.exec(text);
      return found && { minutes: Math.round(((Number(found[1]) * SECONDS[found[2]]) / 60) * 10000) / 10000 };
    },
  },
};

/** The number of a field's text; null if the field does not allow it. */
export function readNumber({ least, most, decimals }, text) {
  const found = /^\s*(\d{1,4})(?:[.,](\d{0,3}))?\s*$/.exec(text);
  if (!found || (found[2] ?? "").length > decimals) return null;
  const value = Number(`${found[1]}.${found[2] ?? ""}`);
  return value >= least && value <= most ? value : null;
}

export function setUpPractice(app) {
  const views = Object.keys(PARTS).map((name) => new PartView(app, name));
  $("practice-cards").append(...views.map((view) => view.element));
  return () => {
    const next = lockOf(app.state) === "ramp" ? nextStepWords(app.state, app.timeline?.beatsInBar ?? 1) : "";
    setText($("trainer"), app.state.trainer || "Nothing is on.");
    setText($("trainer-step"), next === "" ? "" : `· next ${next}`);
    $("ramp").disabled = lockOf(app.state) === "song";
    for (const view of views) view.update();
  };
}

class PartView {
  #app;
  #name;
  #part;
  /** The values that the fields show. */
  #values;
  /** The last values of the box, or those to begin with. */
  #accepted;
  /** The text of the box from which the accepted values were read. */
  #read = "";
  #delayed;
  #pending = 0;

  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    this.#part = PARTS[name];
    this.#values = this.#accepted = Object.fromEntries(this.#part.fields.map(({ id, value }) => [id, value]));
    this.#delayed = new Delayed(app, () => this.#restore());
    // Also what was typed and not entered: it must not be sent with a later change.
    app.losses.push(() => this.#show());
    const { title, hint, fields } = this.#part;
    const control = make("button", {
      id: name, className: "switch", role: "switch", "aria-checked": "false", "aria-describedby": `${name}-hint`,
      on: { click: () => this.#send(!this.#isOn) },
    }, make("strong", {}, title), make("i", { "aria-hidden": "true" }));
    this.element = make("div", { className: "card", role: "group", "aria-label": title }, control,
      make("p", { id: `${name}-hint` }, hint),
      make("div", { className: "fields" }, ...fields.map((one) => (one.choices ? this.#choice(one) : this.#number(one)))));
  }

  get #isOn() {
    return (this.#app.state["trainer-on"] ?? "").split(",").includes(this.#name);
  }

  #number(one) {
    const id = `${this.#name}-${one.id}`;
    const input = make("input", {
      id, value: String(one.value), inputMode: one.decimals ? "decimal" : "numeric", autocomplete: "off", enterKeyHint: "done", maxLength: 7,
      on: { input: () => this.#app.refuses() && this.#show(), change: () => this.#type(one, input) },
    });
    input.addEventListener("focus", () => input.select());
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#type(one, input);
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      event.preventDefault();
      this.#step(one, event.key === "ArrowUp" ? 1 : -1);
    });
    const button = (by, text, words) => {
      const made = make("button", { id: `${id}-${words}`, "aria-label": `${this.#part.title}, ${one.label}: ${words}` }, text);
      onPressRepeated(made, () => this.#step(one, by));
      return made;
    };
    return make("div", { className: "field" }, make("label", { htmlFor: id }, one.label),
      make("div", { className: "stepper" }, button(-1, "−", "less"), input, button(1, "+", "more")));
  }

  #choice(one) {
    const id = `${this.#name}-${one.id}`;
    const select = make("select", { id, on: { change: () => this.#set(one, select.value) } },
      ...one.choices.map(([value, label]) => make("option", { value }, label)));
    select.value = one.value;
    return make("div", { className: "field" }, make("label", { htmlFor: id }, one.label), select);
  }

  #type(one, input) {
    const value = readNumber(one, input.value);
    if (value === null) {
      const decimals = one.decimals > 0 ? ` with at most ${one.decimals} decimals` : "";
      notify(`${one.label}: a ${one.decimals > 0 ? "" : "whole "}number from ${one.least} to ${one.most}${decimals}.`, "error");
      input.value = String(this.#values[one.id]);
    } else if (value !== this.#values[one.id]) this.#set(one, value);
  }

  /** Moves a value to the next multiple of the step. */
  #step(one, by) {
    const { least, most, step } = one;
    const value = this.#values[one.id];
    const next = (by > 0 ? Math.floor(value / step) + 1 : Math.ceil(value / step) - 1) * step;
    this.#set(one, Math.min(most, Math.max(least, next)));
  }

  #set({ id }, value) {
    if (this.#app.refuses()) return this.#show();
    this.#values = { ...this.#values, [id]: value };
    $(`${this.#name}-${id}`).value = String(value);
    this.#delayed.start(PAUSE, () => this.#isOn && this.#send(true));
  }

  async #send(isOn) {
    this.#delayed.cancel();
    this.#pending += 1;
    const answer = await this.#app.command(`${this.#name} ${isOn ? this.#part.write(this.#values) : this.#part.off}`);
    this.#pending -= 1;
    // A change since then is sent with all values, and has an answer of its own.
    if (!answer.ok && !this.#delayed.isWaiting) this.#restore();
  }

  #restore() {
    this.#values = this.#accepted;
    this.#show();
  }

  #show() {
    for (const [id, value] of Object.entries(this.#values)) $(`${this.#name}-${id}`).value = String(value);
  }

  /** Shows a new value of the box, unless somebody is changing the fields. */
  update() {
    setAttribute($(this.#name), "aria-checked", this.#isOn);
    const text = this.#app.state[this.#name] ?? "";
    if (text === this.#read || this.#delayed.isWaiting || this.#pending > 0) return;
    this.#read = text;
    const values = this.#part.read(text);
    if (!values) return;
    this.#values = this.#accepted = values;
    this.#show();
  }
}
