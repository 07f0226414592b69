// What this browser remembers. Private windows may have no storage; then it lasts as long as the page.

const KEY = "metronome";
const DEFAULTS = { light: 0, sound: false, soundVolume: 80, soundShift: 0, theme: "auto", keys: true, view: "play", face: 100 };

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = read();

export function save(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage.
  }
}
