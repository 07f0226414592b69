// The messages of the control socket: a word, and fields `key=value`. Documentation/ControlSocket.md lists them.
// Pure functions, without page and socket.

/** Reads a message. Returns its word and its fields; a value is always text. A malformed message gives null. */
export function parseMessage(text) {
  const word = /^[a-z][a-z0-9-]*/.exec(text)?.[0];
  if (!word) return null;
  const fields = {};
  const field = / ([A-Za-z][A-Za-z0-9-]*)=(?:"((?:[^"\\]|\\["\\])*)"|([^ "\\]*))/y;
  field.lastIndex = word.length;
  let end = word.length;
  for (let found = field.exec(text); found; found = field.exec(text)) {
    fields[found[1]] = found[2] === undefined ? found[3] : found[2].replace(/\\(["\\])/g, "$1");
    end = field.lastIndex;
  }
  return end === text.length ? { word, fields } : null;
}

/** Writes a message. Fields that are undefined are left out. Line breaks in values become blanks. */
export function formatMessage(word, fields = {}) {
  const parts = [word];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) parts.push(`${key}=${formatValue(String(value))}`);
  }
  return parts.join(" ");
}

function formatValue(text) {
  const line = text.replace(/[\r\n\u0000]+/g, " ");
  return line === "" || /[ "\\]/.test(line) ? `"${line.replace(/["\\]/g, "\\$&")}"` : line;
}

/** A field as a number; `missing` if the message does not have it or it is not a number. */
export function numberOf(fields, key, missing = 0) {
  const text = fields[key];
  const value = text === undefined || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : missing;
}

/** The words of the command that sets a rhythm; without a rhythm, it plays the plain beats. */
export function rhythmCommand(text) {
  return `rhythm ${text}`.trimEnd();
}
