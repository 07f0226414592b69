// Signatures and rhythms as text, and the changes that the editor makes. Pure. Documentation/Rhythm.md explains the language.

export const LEVELS = [
  { name: "strong", letter: "X", code: "s" },
  { name: "medium", letter: "Y", code: "m" },
  { name: "weak", letter: "x", code: "w" },
  { name: "ghost", letter: "o", code: "g" },
  { name: "rest", letter: ".", code: "r" },
];
export const DENOMINATORS = [1, 2, 4, 8, 16, 32];
export const BEAT_UNITS = ["1/1", "1/2", "1/4", "1/8", "1/16", "1/32", "3/2", "3/4", "3/8", "3/16", "3/32"];
export const MOST_NOTES = 32;

export function levelOfLetter(letter) {
  return LEVELS.find((level) => level.letter === letter);
}

/** The level for a letter of the state's `levels`; weak if it is unknown. */
export function levelOfCode(code) {
  return LEVELS.find((level) => level.code === code) ?? LEVELS[2];
}

/**
 * The name of a beat's level: as the box has announced it, or else that of its place in the bar. `silenced`: a gap or `drop` silences
 * the beat.
 */
export function levelOfBeat({ code, place }, levels) {
  return code === "-" ? "silenced" : levelOfCode(code ?? levels?.[place] ?? (place === 0 ? "s" : "w")).name;
}

/** Reads `7/8` or `2+2+3/8`; null if it is not a signature of 1 to 32 notes. */
export function parseSignature(text) {
  const found = /^(\d{1,2}(?:\+\d{1,2})*)\/(\d{1,2})$/.exec((text ?? "").replace(/\s+/g, ""));
  if (!found) return null;
  const groups = found[1].split("+").map(Number);
  const numerator = groups.reduce((sum, group) => sum + group, 0);
  const denominator = Number(found[2]);
  if (groups.includes(0) || numerator > MOST_NOTES || !DENOMINATORS.includes(denominator)) return null;
  return { groups, numerator, denominator };
}

export function formatSignature({ groups, denominator }) {
  return `${groups.join("+")}/${denominator}`;
}

/** The notes in a beat: more than one if the tempo counts dotted notes that fill the bar, as in 6/8 with 3/8. */
export function notesInBeat(signature, unit) {
  const [count, note] = (unit || "1/4").split("/").map(Number);
  if (count !== 3) return 1;
  const notes = (3 * signature.denominator) / note;
  return Number.isInteger(notes) && notes > 1 && signature.numerator % notes === 0 ? notes : 1;
}

/** Where groups begin: the notes that are strong or medium without a pattern, and the breaks of the editor's rows. */
export function groupStarts(signature, unit) {
  const inBeat = notesInBeat(signature, unit);
  const groups = signature.groups.length > 1 || inBeat === 1
    ? signature.groups : Array(signature.numerator / inBeat).fill(inBeat);
  let start = 0;
  return groups.map((group) => (start += group) - group);
}

/** The letters of a bar without a pattern. Notes between dotted beats are ghosts. */
export function metreLetters(signature, unit) {
  const starts = new Set(groupStarts(signature, unit));
  const inBeat = notesInBeat(signature, unit);
  return Array.from(
    { length: signature.numerator },
    (_, note) => (note === 0 ? "X" : starts.has(note) ? "Y" : note % inBeat === 0 ? "x" : "o"),
  );
}

/** Reads a rhythm: the cells of its pattern (null without one), `sub`, `swing` as text, and the other voices as texts. */
export function parseRhythm(text) {
  const [main, ...voices] = (text ?? "").split("&").map((part) => part.trim());
  const rhythm = { cells: null, sub: 1, swing: "", voices: voices.filter((voice) => voice !== "") };
  for (const word of main.split(/\s+/).filter((one) => one !== "")) {
    if (word.startsWith("sub=")) rhythm.sub = Number(word.slice(4)) || 1;
    else if (word.startsWith("swing=")) rhythm.swing = word.slice(6);
    else rhythm.cells = parsePattern(word);
  }
  return rhythm;
}

function parsePattern(word) {
  if (!/[|:*]/.test(word)) return [...word].map((letter) => ({ span: 1, slots: [letter] }));
  return word.split("|").filter((part) => part !== "").flatMap((part) => {
    const [, span, slots, copies] = /^(?:(\d+):)?([^*]*)(?:\*(\d+))?$/.exec(part) ?? [null, "1", part, "1"];
    const cell = () => ({ span: Number(span ?? 1), slots: [...slots] });
    return Array.from({ length: Math.min(64, Number(copies ?? 1)) }, cell);
  });
}

export function formatRhythm({ cells, sub, swing, voices }) {
  const words = [];
  if (cells) words.push(formatPattern(cells));
  if (sub > 1) words.push(`sub=${sub}`);
  if (swing) words.push(`swing=${swing}`);
  for (const voice of voices) words.push(`& ${voice}`);
  return words.join(" ");
}

function formatPattern(cells) {
  if (cells.every((cell) => cell.span === 1 && cell.slots.length === 1)) return cells.map((cell) => cell.slots[0]).join("");
  const texts = cells.map((cell) => (cell.span === 1 ? "" : `${cell.span}:`) + cell.slots.join(""));
  // A single cell of one note needs a bar line to be read as a cell.
  return texts.length === 1 && cells[0].span === 1 ? `${texts[0]}|` : texts.join("|");
}

/** The cells that play: those of the pattern, or the metre's own. */
export function cellsOf(rhythm, signature, unit) {
  if (rhythm.cells) {
    const notes = rhythm.cells.reduce((sum, cell) => sum + cell.span, 0);
    if (notes % signature.numerator === 0) return rhythm.cells;
  }
  return metreLetters(signature, unit).map((letter) => ({ span: 1, slots: [letter] }));
}

/** The rhythm with one slot at another level. A pattern equal to the metre's own is left out. */
export function withSlot(rhythm, signature, unit, cell, slot, letter) {
  const cells = cellsOf(rhythm, signature, unit).map((one) => ({ span: one.span, slots: [...one.slots] }));
  cells[cell].slots[slot] = letter;
  const isMetre = formatPattern(cells) === metreLetters(signature, unit).join("");
  return { ...rhythm, cells: isMetre ? null : cells };
}

/** The level after this one; a rest is followed by strong. */
export function nextLetter(letter) {
  const index = LEVELS.findIndex((level) => level.letter === letter);
  return LEVELS[(index + 1) % LEVELS.length].letter;
}

/** The usual groups of a bar: none, twos with a three, threes with twos, each in every rotation. */
export function groupings(numerator) {
  const found = new Map([[String(numerator), [numerator]]]);
  if (numerator < 4) return [...found.values()];
  const twos = numerator % 2 ? [...Array((numerator - 3) / 2).fill(2), 3] : Array(numerator / 2).fill(2);
  const rest = (3 - (numerator % 3)) % 3; // the number of threes that become twos
  const threes = [...Array((numerator - 2 * rest) / 3).fill(3), ...Array(rest).fill(2)];
  for (const groups of [twos, threes]) {
    for (let turn = 0; turn < groups.length; turn += 1) {
      const turned = [...groups.slice(turn), ...groups.slice(0, turn)];
      found.set(turned.join("+"), turned);
    }
  }
  return [...found.values()].slice(0, 12);
}

/** The first one's share of a pair of notes in per cent, from `62%`, `2:1` or `57%@16`; 50 without swing. */
export function swingPercent(text) {
  const [share] = (text ?? "").split("@");
  if (share.endsWith("%")) return Number(share.slice(0, -1)) || 50;
  const [long, short] = share.split(":").map(Number);
  return long > 0 && short > 0 ? (100 * long) / (long + short) : 50;
}

/** The text of a swing of so many per cent; two thirds are exact. Empty for straight notes. `level` is 8 or 16. */
export function formatSwing(percent, level, denominator) {
  if (percent <= 50) return "";
  const share = Math.abs(percent - 66.7) < 0.4 ? "2:1" : `${Math.round(percent * 10) / 10}%`;
  return level === (denominator > 4 ? 16 : 8) ? share : `${share}@${level}`;
}
