// The trainer: what is on, as the box words it, and the switches.

import { $, setAttribute, setText } from "./dom.js";

const PARTS = { ramp: "ramp", gap: "next_gap", drop: "drop", timer: "timer" };

export function setUpPractice(app) {
  for (const [id, command] of Object.entries(PARTS)) $(id).addEventListener("click", () => app.command(command));
}

export function updatePractice(app) {
  const text = app.state.trainer ?? "";
  setText($("trainer"), text === "" ? "Nothing is on." : text);
  const parts = text.split(",").map((part) => part.trim());
  for (const id of Object.keys(PARTS)) {
    const part = parts.find((one) => one.startsWith(`${id} `) || one === id);
    setAttribute($(id), "aria-pressed", part !== undefined);
    setText($(`${id}-text`), part ? part.slice(id.length).trim() || "on" : "off");
  }
}
