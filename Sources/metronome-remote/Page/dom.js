// Small helpers for the elements of the page. Text from the box is only ever set as text, never as markup.

/** A held button repeats nothing that is so many milliseconds late. */
const LATEST = 600;

export const $ = (id) => document.getElementById(id);

/** Creates an element. `properties` are set as properties, those with a `-` and `role` as attributes; `on` holds event handlers. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else if (value !== undefined) element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Sets a text only if it differs, so that nothing is laid out anew without need. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Replaces the rows of a list. The focus, and the selection in a field, go to the new element with the same `data-key`. */
export function replaceRows(list, rows) {
  const focused = document.activeElement;
  const key = list.contains(focused) && focused.dataset.key;
  list.replaceChildren(...rows);
  const element = key ? list.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  element?.focus();
  element?.setSelectionRange?.(focused.selectionStart, focused.selectionEnd);
}

/**
 * Calls `action(instant)` as soon as a finger or a mouse button is down, and for keys and screen readers on their click. The instant is
 * that of the press by `performance.now()`.
 */
export function onPress(element, action) {
  element.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && !element.disabled) action(pressInstant(event), event);
  });
  element.addEventListener("click", (event) => {
    if (event.detail === 0) action(pressInstant(event), event);
  });
}

/** Like `onPress`, and again and again, faster and faster, while it is held. */
export function onPressRepeated(element, action) {
  let timer = null;
  const end = () => {
    clearTimeout(timer);
    timer = null;
  };
  onPress(element, (instant, event) => {
    action(instant);
    if (event.type !== "pointerdown") return;
    let pause = 300;
    const repeatAfter = (wait) => {
      const due = Date.now() + wait;
      timer = setTimeout(() => {
        // The page was stopped, as on a phone that sleeps. The button may have been released meanwhile.
        if (Date.now() - due > LATEST) return end();
        action(performance.now());
        pause = Math.max(60, pause * 0.8);
        repeatAfter(pause);
      }, wait);
    };
    repeatAfter(500);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"]) element.addEventListener(name, end);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
}

/** When the person pressed. Old browsers count the instants of events from another origin; then it is now. */
export function pressInstant(event) {
  const now = performance.now();
  return event.timeStamp > 0 && event.timeStamp <= now && now - event.timeStamp < 1000 ? event.timeStamp : now;
}

/** How long a message is shown at most, in milliseconds; longer with a button, which must be reached. */
const MESSAGE_TIME = 5000;
const BUTTON_TIME = 15000;
let message = null;

/**
 * Shows a short message in place of the one before; screen readers read it aloud, also again. It ends early when its reason is over.
 * `button` is what mends the reason: its label and its action.
 */
export function notify(text, kind = "note", { isOver = () => false, button = null } = {}) {
  const element = make("p", { className: `toast ${kind}` }, make("span", {}, text));
  if (button) element.append(make("button", { on: { click: () => { endMessage(() => true); button.act(); } } }, button.label));
  endMessage(() => true);
  $("toasts").append(element);
  message = { element, kind, isOver, timer: setTimeout(() => endMessage(() => true), button ? BUTTON_TIME : MESSAGE_TIME) };
}

/** Ends the message if this holds for it, or if its own reason is over. */
export function endMessage(isOver = () => false) {
  if (!message || !(isOver(message) || message.isOver())) return;
  clearTimeout(message.timer);
  message.element.remove();
  message = null;
}
