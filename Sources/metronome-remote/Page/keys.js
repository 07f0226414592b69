// The keys of a keyboard. Keys of a focused control belong to that control.

import { $, pressInstant } from "./dom.js";
import { settings } from "./settings.js";
import { playCommand } from "./transport.js";

const COMMANDS = { t: "tap", n: "next_section", b: "previous_section", v: "restart_section", s: "silent" };
/** Nothing is sent again while these are held. */
const REPEATED = new Set(["ArrowUp", "ArrowDown"]);

export function setUpKeys(app, presets) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || (event.repeat && !REPEATED.has(event.key))) return;
    const focused = document.activeElement;
    if (focused?.matches("input, select, textarea")) return;
    if (act(app, presets, event, focused)) event.preventDefault();
  });
  // A click by finger or mouse leaves no focus on a button, so that the space bar means play again.
  addEventListener("pointerup", () => {
    setTimeout(() => {
      const focused = document.activeElement;
      if (focused?.matches("button:not(:focus-visible), input[type=range]:not(:focus-visible)")) focused.blur();
    }, 0);
  });
}

function act(app, presets, event, focused) {
  const { key } = event;
  const instant = pressInstant(event);
  if (key === " ") return focused?.matches("button, summary, a") ? false : send(app, playCommand(app.state), instant);
  if (key === "ArrowUp" || key === "ArrowDown") {
    if (focused?.matches("[role=tab]")) return false;
    return send(app, (key === "ArrowUp" ? "faster" : "slower") + (event.shiftKey ? " 5" : ""), instant);
  }
  if (!settings.keys) return false;
  const command = key.toLowerCase() === "p" ? playCommand(app.state) : COMMANDS[key.toLowerCase()];
  if (command) return send(app, command, instant);
  if (key === "[" || key === "]") presets.step(key === "]" ? 1 : -1);
  else if (key === "?") $("help").showModal();
  else if (key.toLowerCase() === "g") $("face").showModal();
  else if (/^[0-9]$/.test(key) && !$("tempo").readOnly) {
    if (app.refuses()) return true;
    $("tempo").focus();
    $("tempo").value = key;
  } else return false;
  return true;
}

function send(app, command, instant) {
  app.command(command, instant);
  return true;
}
