// The stored scores, the loaded song with its sections, and the place in it.

import { beatAt } from "./beats.js";
import { $, make, notify, onPressRepeated, replaceRows, setAttribute, setText } from "./dom.js";
import { numberOf } from "./message.js";
import { formatTempo } from "./tempo.js";

const COMMANDS = {
  "song-continue": "start", "section-previous": "previous_section", "section-again": "restart_section", "section-next": "next_section",
  "song-previous": "previous_song", "song-next": "next_song", "speed-reset": "reset_tempo",
};

/** How many of the next songs are shown. */
const MOST_COMING = 4;

export class SongsView {
  #app;
  #sections = [];
  #songs = [];
  #loaded = null;
  #loading = null;
  #scores = [];
  /** What the list of scores shows, as text: an element that is pressed just now must not be replaced without need. */
  #shown = "";

  constructor(app) {
    this.#app = app;
    for (const [id, command] of Object.entries(COMMANDS)) $(id).addEventListener("click", () => this.#press(id, command));
    onPressRepeated($("speed-less"), (instant) => app.command("slower", instant));
    onPressRepeated($("speed-more"), (instant) => app.command("faster", instant));
    setInterval(() => this.#showPlace(), 200);
  }

  /** Reads the stored scores and the sections anew. The box reads the disk for one request at a time. */
  load() {
    this.#loading ??= this.#loadScores().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadScores() {
    const scores = await this.#app.connection.list("scores");
    if (scores.ok) this.#scores = scores.items.map((item) => item.name);
    else if (this.#app.isLive) this.#app.complain(scores);
    this.#showScores();
    await this.#loadSections();
  }

  async #loadSections() {
    const { state, connection } = this.#app;
    const loaded = (this.#loaded = this.#songKey);
    const answers = (state.score ?? "") === "" ? [] : [await connection.list("song"), await connection.list("songs")];
    // Another song was loaded meanwhile, whose sections are read now.
    if (loaded !== this.#loaded) return;
    const refused = answers.find((answer) => !answer.ok);
    if (refused) {
      if (this.#app.isLive) this.#app.complain(refused);
      this.#loaded = null;
      return;
    }
    [this.#sections, this.#songs] = [answers[0]?.items ?? [], answers[1]?.items ?? []];
    this.#showSections();
    this.#showComing();
  }

  /** A move takes effect at the next bar line; the page says at once what was pressed. */
  #press(id, command) {
    const { state } = this.#app;
    const by = { "song-next": 1, "song-previous": -1 }[id];
    const sections = { "section-next": "The next section", "section-previous": "The previous section", "section-again": "The section again" };
    const what = by === undefined ? sections[id] : this.#songAt(by);
    if (what && state.playing === "1" && !this.#app.refuses()) {
      const place = () => `${this.#songKey} ${this.#app.state["section-bar"]}`;
      const before = place();
      notify(`${what} at the next bar line.`, "note", { isOver: () => place() !== before });
    }
    this.#app.command(command);
  }

  /** The name of the song so many songs after the loaded one. After the last comes the first. */
  #songAt(by) {
    const count = this.#songs.length;
    if (count === 0) return "Another song";
    const { number, name } = this.#songs[(numberOf(this.#app.state, "song-number") - 1 + by + count) % count];
    return name || `Song ${number}`;
  }

  #showComing() {
    const after = this.#songs.slice(numberOf(this.#app.state, "song-number"));
    $("coming").hidden = $("coming-title").hidden = this.#songs.length < 2;
    const rows = after.slice(0, MOST_COMING).map(({ number, name }) => make("li", {}, make("strong", {}, name || `Song ${number}`), make("span", {}, number)));
    if (after.length === 0 && this.#songs.length > 1) rows.push(make("li", {}, make("span", {}, `This is the last song; then ${this.#songAt(1)} again.`)));
    $("coming").replaceChildren(...rows);
  }

  get #songKey() {
    const { state } = this.#app;
    return `${state.score} ${state["song-number"]} ${state.song}`;
  }

  update() {
    const { state } = this.#app;
    const hasScore = (state.score ?? "") !== "";
    $("song").hidden = !hasScore;
    if (this.#loaded !== this.#songKey && this.#app.isLive) this.#loadSections().then(() => this.#showScores());
    if (!hasScore) return;
    const count = numberOf(state, "songs");
    setText($("song-title"), (state.song || state.score) + (count > 1 ? ` (${state["song-number"]} of ${count})` : ""));
    $("song-waiting").hidden = state.waiting !== "1";
    setText($("speed"), `${state.speed || "100"} %`);
    for (const id of ["song-previous", "song-next"]) $(id).disabled = count < 2;
    this.#markSection();
    this.#showPlace();
  }

  #showScores() {
    const shown = JSON.stringify([this.#scores, this.#app.state.score]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    $("score-empty").hidden = this.#scores.length > 0;
    replaceRows($("score-list"), this.#scores.map((name) => {
      const isLoaded = name === this.#app.state.score;
      const choose = async () => {
        const answer = await this.#app.request("score", isLoaded ? { action: "unload" } : { action: "load", name });
        if (answer.ok) setTimeout(() => this.load(), 300);
      };
      return make("li", {}, make("button", { className: "recall", "aria-pressed": String(isLoaded), data: { key: name }, on: { click: choose } },
        make("strong", {}, name), make("span", {}, isLoaded ? "loaded; touch to play the settings again" : "touch to load")));
    }));
  }

  #showSections() {
    $("section-list").replaceChildren(...this.#sections.map((section) => {
      const tempo = section.to && section.to !== section.tempo
        ? `${formatTempo(Number(section.tempo))} → ${formatTempo(Number(section.to))}` : formatTempo(Number(section.tempo));
      const bars = numberOf(section, "bars") > 0 ? `${section.bars} bars` : "until you go on";
      return make("li", { data: { bar: section.bar } }, make("strong", {}, section.label || `Section ${section.number}`),
        make("span", {}, `bar ${section.bar} · ${bars} · ${section.signature} · ${tempo}`));
    }));
    this.#markSection();
  }

  get #current() {
    const { state } = this.#app;
    return this.#sections.find((section) => section.bar === state["section-bar"]) ?? this.#sections.find((section) => section.now === "1");
  }

  #markSection() {
    const current = this.#current;
    for (const row of $("section-list").children) setAttribute(row, "aria-current", row.dataset.bar === current?.bar ? "step" : null);
  }

  /** The bar within the section, from the timeline; nothing if the bars were not counted from the beginning of the song. */
  #showPlace() {
    const { state, timeline, clock } = this.#app;
    if ((state.score ?? "") === "") return;
    const current = this.#current;
    const bars = numberOf(current ?? {}, "bars");
    const found = beatAt(timeline, performance.now() + clock.offset);
    const bar = found && current ? found.beat.bar + 2 - numberOf(current, "bar") : 0;
    const isKnown = bar >= 1 && (bars === 0 || bar <= bars);
    setText($("song-section"), state.section || current?.label || "");
    setText($("song-bar"), isKnown ? `bar ${bar}${bars > 0 ? ` of ${bars}` : ""}` : "");
    const share = isKnown && bars > 0 ? (bar - 1 + (found.beat.place + found.phase) / timeline.beatsInBar) / bars : 0;
    $("song-done").style.setProperty("transform", `scaleX(${share.toFixed(4)})`);
  }
}
