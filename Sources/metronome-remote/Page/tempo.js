// Tempi as text and as places of a slider. Pure.

export const SLOWEST = 1;
export const FASTEST = 999;
/** The slider has the tempi of music; typing reaches all. */
const SLIDER = { slowest: 20, fastest: 400, steps: 1000 };
const NAMES = [[40, "Grave"], [60, "Largo"], [76, "Adagio"], [108, "Andante"], [120, "Moderato"], [168, "Allegro"], [200, "Presto"]];

/** Reads a typed tempo, with a point or a comma; null if it is not one from 1 to 999 with at most three decimals. */
export function parseTempo(text) {
  const found = /^\s*(\d{1,3})(?:[.,](\d{0,3}))?\s*$/.exec(text);
  if (!found) return null;
  const thousandths = Number(found[1]) * 1000 + Number((found[2] ?? "").padEnd(3, "0"));
  return thousandths >= SLOWEST * 1000 && thousandths <= FASTEST * 1000 ? thousandths / 1000 : null;
}

/** At most three decimals, without zeros at the end. */
export function formatTempo(tempo) {
  return String(Math.round(tempo * 1000) / 1000);
}

/** The place of a tempo on the slider: equal ratios are equal distances. */
export function sliderPlace(tempo) {
  const share = Math.log(tempo / SLIDER.slowest) / Math.log(SLIDER.fastest / SLIDER.slowest);
  return Math.round(Math.min(1, Math.max(0, share)) * SLIDER.steps);
}

/** The whole tempo at a place of the slider. */
export function sliderTempo(place) {
  return Math.round(SLIDER.slowest * (SLIDER.fastest / SLIDER.slowest) ** (place / SLIDER.steps));
}

export function tempoName(tempo) {
  return NAMES.find(([limit]) => tempo < limit)?.[1] ?? "Prestissimo";
}
