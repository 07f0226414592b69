// The editor of signature and rhythm. It shows the text of the state, and each touch sends another text.

import { $, make, notify, setAttribute, setText } from "./dom.js";
import { lockOf } from "./locks.js";
import { rhythmCommand } from "./message.js";
import {
  BEAT_UNITS, DENOMINATORS, LEVELS, MOST_NOTES, cellsOf, formatRhythm, formatSignature, formatSwing, groupStarts, groupings,
  levelOfLetter, nextLetter, notesInBeat, parseRhythm, parseSignature, swingPercent, withSlot,
} from "./rhythm.js";
import { paced } from "./transport.js";

const VOICES = [["", "None"], ["3:2", "3 : 2"], ["2:3", "2 : 3"], ["3:4", "3 : 4"], ["4:3", "4 : 3"], ["5:4", "5 : 4"],
  ["clave=son32", "Son 3-2"], ["clave=son23", "Son 2-3"], ["clave=rumba32", "Rumba 3-2"], ["clave=rumba23", "Rumba 2-3"]];
const SWINGS = [[50, "Straight"], [57, "57 %"], [60, "60 %"], [66.7, "2 : 1"], [75, "3 : 1"]];
const SUBDIVISIONS = Array.from({ length: 12 }, (_, index) => index + 1);

export class RhythmView {
  #app;
  #drawn = {};

  constructor(app) {
    this.#app = app;
    for (const value of DENOMINATORS) $("denominator").append(make("option", { value: String(value) }, String(value)));
    for (const unit of BEAT_UNITS) $("unit").append(make("option", { value: unit }, unit));
    this.#setUpSignature();
    this.#setUpSwing();
    this.#chips("subdivisions", SUBDIVISIONS.map((count) => [count, count === 1 ? "Off" : String(count)]), (sub) => this.#set({ sub }));
    this.#chips("voices", VOICES, (voice) => this.#set({ voices: voice === "" ? [] : [voice] }));
    this.#setUpText();
  }

  #setUpText() {
    const field = $("rhythm-text");
    const restore = () => {
      field.blur();
      this.#restore();
    };
    this.#app.losses.push(restore);
    field.addEventListener("input", () => this.#app.refuses() && restore());
    $("text-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      field.blur();
      const answer = await this.#app.command(rhythmCommand(field.value.trim().replaceAll('"', "")));
      if (!answer.ok) this.#restore();
    });
  }

  get #signature() {
    return parseSignature(this.#app.state.signature) ?? parseSignature("4/4");
  }

  get #unit() {
    return this.#app.state.beat || "1/4";
  }

  get #rhythm() {
    return parseRhythm(this.#app.state.rhythm);
  }

  #set(changes) {
    const text = formatRhythm({ ...this.#rhythm, ...changes });
    this.#setValue("rhythm", text, rhythmCommand(text));
  }

  #setSignature(groups, denominator = this.#signature.denominator) {
    const text = formatSignature({ groups, denominator });
    this.#setValue("signature", text, `signature ${text}`);
    this.#offerDotted(text, `3/${denominator}`);
  }

  /** In 6/8, 9/8 and 12/8 musicians count dotted notes; quarters go on unless one touch changes them. */
  #offerDotted(text, dotted) {
    const signature = parseSignature(text);
    const isUsual = signature.groups.length === 1 && signature.numerator > 3 && signature.denominator >= 8
      && notesInBeat(signature, dotted) === 3;
    if (!isUsual || this.#unit.startsWith("3/")) return;
    notify(`${text} is usually counted in dotted notes.`, "note", {
      isOver: () => this.#app.state.signature !== text || this.#unit === dotted,
      button: { label: "Count dotted notes", act: () => this.#setValue("beat", dotted, `beat ${dotted}`) },
    });
  }

  /** The next touch must start from this value, even if the box has not sent its state yet. */
  async #setValue(key, text, words) {
    const answer = this.#app.setValue(key, text, words);
    this.update();
    if (!(await answer).ok) this.#restore();
  }

  /** Shows the values of the box in place of those that it has not taken over. */
  #restore() {
    delete $("swing").dataset.touched;
    this.#drawn.key = null;
    this.update();
  }

  #setUpSignature() {
    const step = (by) => {
      const count = this.#signature.numerator + by;
      if (count >= 1 && count <= MOST_NOTES) this.#setSignature([count]);
    };
    $("numerator-less").addEventListener("click", () => step(-1));
    $("numerator-more").addEventListener("click", () => step(1));
    $("denominator").addEventListener("change", () => this.#setSignature(this.#signature.groups, Number($("denominator").value)));
    $("unit").addEventListener("change", () => this.#setValue("beat", $("unit").value, `beat ${$("unit").value}`));
  }

  #setUpSwing() {
    const send = paced(this.#app, (percent) => this.#set({ swing: this.#swingText(percent) }));
    $("swing").addEventListener("input", () => {
      $("swing").dataset.touched = String(performance.now());
      this.#showSwing(Number($("swing").value));
      send(Number($("swing").value));
    });
    $("swing-level").addEventListener("change", () => this.#set({ swing: this.#swingText(Number($("swing").value)) }));
    this.#chips("swing-chips", SWINGS, (percent) => this.#set({ swing: this.#swingText(percent) }));
  }

  #swingText(percent) {
    return formatSwing(percent, Number($("swing-level").value), this.#signature.denominator);
  }

  #chips(id, values, choose) {
    $(id).append(...values.map(([value, label]) =>
      make("button", { "aria-pressed": "false", data: { value: String(value) }, on: { click: () => choose(value) } }, label)));
  }

  #mark(id, value) {
    for (const chip of $(id).children) setAttribute(chip, "aria-pressed", chip.dataset.value === String(value));
  }

  update() {
    const { state } = this.#app;
    const key = `${state.signature} ${state.beat} ${state.rhythm} ${state.text}`;
    const lock = lockOf(state);
    $("rhythm-fields").disabled = lock === "song" || lock === "ramp";
    if (this.#drawn.key === key) return;
    this.#drawn.key = key;
    const signature = this.#signature;
    const rhythm = this.#rhythm;
    setText($("numerator"), String(signature.numerator));
    $("denominator").value = String(signature.denominator);
    $("unit").value = this.#unit;
    this.#showGroups(signature);
    this.#mark("subdivisions", rhythm.sub);
    this.#mark("voices", rhythm.voices.length > 1 ? null : rhythm.voices[0] ?? "");
    if (document.activeElement !== $("rhythm-text")) $("rhythm-text").value = state.rhythm ?? "";
    const percent = swingPercent(rhythm.swing);
    if (performance.now() - Number($("swing").dataset.touched ?? -Infinity) > 600) $("swing").value = String(percent);
    // Eighths cannot swing where they are the beats.
    $("swing-level").options[0].disabled = signature.denominator > 4;
    $("swing-level").value = rhythm.swing.endsWith("@16") || signature.denominator > 4 ? "16" : "8";
    $("swing").disabled = signature.denominator > 8;
    this.#showSwing(percent);
    this.#showSlots(signature, rhythm);
  }

  #showSwing(percent) {
    const words = percent <= 50 ? "straight" : Math.abs(percent - 66.7) < 0.4 ? "2 : 1" : `${Math.round(percent * 10) / 10} %`;
    setText($("swing-value"), words);
    setAttribute($("swing"), "aria-valuetext", words);
    for (const chip of $("swing-chips").children) setAttribute(chip, "aria-pressed", Math.abs(Number(chip.dataset.value) - percent) < 0.3);
  }

  #showGroups(signature) {
    const current = signature.groups.join("+");
    const choices = groupings(signature.numerator).map((groups) => groups.join("+"));
    if (!choices.includes(current)) choices.push(current);
    if (this.#drawn.groups !== choices.join()) {
      this.#drawn.groups = choices.join();
      $("groups").replaceChildren(...choices.map((text) => make("button", {
        "aria-pressed": "false", data: { value: text }, on: { click: () => this.#setSignature(text.split("+").map(Number)) },
      }, text.includes("+") ? text.replaceAll("+", " + ") : "One group")));
    }
    $("groups").hidden = choices.length < 2;
    this.#mark("groups", current);
  }

  #showSlots(signature, rhythm) {
    const cells = cellsOf(rhythm, signature, this.#unit);
    const shape = cells.map((cell) => `${cell.span}:${cell.slots.length}`).join() + groupStarts(signature, this.#unit).join();
    if (this.#drawn.shape !== shape) {
      this.#drawn.shape = shape;
      this.#buildSlots(cells, signature);
    }
    cells.forEach((cell, index) => cell.slots.forEach((letter, slot) => {
      const button = $("slots").querySelector(`[data-cell="${index}"][data-slot="${slot}"]`);
      const name = levelOfLetter(letter)?.name ?? "rest";
      button.dataset.level = name;
      setAttribute(button, "aria-label", `${button.dataset.what}: ${name}`);
    }));
  }

  #buildSlots(cells, signature) {
    const starts = new Set(groupStarts(signature, this.#unit));
    let note = 0;
    let group = null;
    const groups = [];
    cells.forEach((cell, index) => {
      if (!group || starts.has(note % signature.numerator)) groups.push((group = make("div", { className: "group" })));
      const number = (note % signature.numerator) + 1;
      const box = make("div", { className: "cell", data: { note: String(note) } });
      box.style.setProperty("--span", String(Math.max(cell.span, cell.slots.length / 2)));
      cell.slots.forEach((_, slot) => box.append(this.#slotButton(index, slot, number, cell.slots.length)));
      group.append(box);
      note += cell.span;
    });
    $("slots").replaceChildren(...groups);
  }

  /** Marks the note of a beat. In a pattern of several bars it is not known which of them plays. */
  showBeat(place) {
    if ($("view-rhythm").hidden) return;
    const signature = this.#signature;
    const note = place * notesInBeat(signature, this.#unit);
    const cells = [...$("slots").querySelectorAll(".cell")];
    const isOneBar = cells.every((cell) => Number(cell.dataset.note) < signature.numerator);
    for (const cell of cells) cell.classList.toggle("now", isOneBar && Number(cell.dataset.note) === note);
  }

  #slotButton(cell, slot, number, count) {
    const what = count === 1 ? `Beat ${number}` : `Beat ${number}, part ${slot + 1} of ${count}`;
    return make("button", {
      className: "slot", data: { cell: String(cell), slot: String(slot), what }, on: { click: () => this.#touch(cell, slot) },
    }, make("span", { className: "stick" }), make("span", { className: "count" }, slot === 0 ? String(number) : "·"));
  }

  #touch(cell, slot) {
    const [signature, unit, rhythm] = [this.#signature, this.#unit, this.#rhythm];
    const letter = cellsOf(rhythm, signature, unit)[cell]?.slots[slot];
    if (letter === undefined) return notify("The rhythm has just changed.", "error");
    if (this.#app.refuses()) return;
    const next = nextLetter(letter);
    setText($("slots-hint"), `Beat is now ${levelOfLetter(next).name}. Touch again for the next level: ${LEVELS.map((one) => one.name).join(", ")}.`);
    this.#set({ cells: withSlot(rhythm, signature, unit, cell, slot, next).cells });
  }
}
