// Joins the connection and the views.

import { readTimeline } from "./beats.js";
import { BoxView } from "./box.js";
import { Connection, NOT_SENT } from "./connection.js";
import { $, endMessage, notify, setAttribute, setText } from "./dom.js";
import { setUpFace, updateFace } from "./face.js";
import { setUpKeys } from "./keys.js";
import { keyOf, lockOf, remedyOf } from "./locks.js";
import { numberOf } from "./message.js";
import { setUpPractice } from "./practice.js";
import { PedalsView } from "./pedals.js";
import { PresetsView } from "./presets.js";
import { RhythmView } from "./rhythm-view.js";
import { metreLetters, notesInBeat, levelOfLetter, parseSignature } from "./rhythm.js";
import { save, settings } from "./settings.js";
import { SongsView } from "./songs.js";
import { Sound } from "./sound.js";
import { Stage } from "./stage.js";
import { setUpTransport, updateTransport } from "./transport.js";
import { keepAwake } from "./wake.js";

/** What the views share. */
const app = {
  connection: new Connection(),
  /** The state as the controls show it: that of the box, with the values in `sent`. */
  state: {},
  /** The last state that the box has sent. */
  reported: {},
  timeline: null,
  isConnected: false,
  /** Whether the metronome itself runs; the server may be there without it. */
  hasBox: false,
  mayCommand: false,
  isTrusted: false,
  /** Values that were sent, and that the box has not answered yet. */
  sent: {},
  /** Called when the connection or the metronome is lost: what waits to be sent must be dropped. */
  losses: [],

  get clock() {
    return this.connection.clock;
  },
  get isLive() {
    return this.isConnected && this.hasBox;
  },

  /** Sends a request that changes something, and shows the reason if it is refused. */
  async request(word, fields) {
    const answer = await this.connection.command(word, fields, performance.now());
    this.settle(answer, () => this.request(word, fields));
    return answer;
  },

  /** Sends a command, with the instant of the press, and shows the reason if it is refused. */
  async command(words, instant = performance.now()) {
    const answer = await this.connection.command("do", { command: words }, instant);
    this.settle(answer);
    return answer;
  },

  /** Sets a value of the state by a command. Until it is answered, states that the box sent before do not bring the old value back. */
  async setValue(key, text, words) {
    if (this.refuses()) return { ok: false };
    const own = { text };
    this.sent[key] = own;
    this.state[key] = text;
    const answer = await this.command(words);
    if (this.sent[key] !== own) return answer;
    delete this.sent[key];
    if (!answer.ok) this.state[key] = this.reported[key];
    return answer;
  },

  /** Whether a change would be refused now. If so, shows the reason. */
  refuses() {
    const why = !this.connection.canSend ? NOT_SENT
      : !this.hasBox ? "the metronome is not running"
      : !this.mayCommand ? "pair this phone first"
      : null;
    if (why !== null) this.complain({ ok: false, why });
    return why !== null;
  },

  /** What was wrong before is over when something succeeds. */
  settle(answer, again) {
    if (answer.ok) endMessage(({ kind }) => kind === "error");
    this.complain(answer, again);
  },

  /** Shows why something was refused, with a button if the page can mend it; then `again` is called. */
  complain({ ok, why }, again) {
    if (!ok) notify(why[0].toUpperCase() + why.slice(1), "error", remedyOf(this, why, again));
  },

  /** Loads another score, or none, in place of the loaded one. The box does that only while it is stopped. */
  async changeScore(fields) {
    const answer = this.state.playing === "1" ? await this.command("stop") : { ok: true };
    return answer.ok ? this.request("score", fields) : answer;
  },

  /** Asks a question in a dialog. */
  confirm(question, yes) {
    const dialog = $("confirm");
    setText($("confirm-title"), question);
    setText($("confirm-yes"), yes);
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
  },
};

const views = { rhythm: new RhythmView(app), presets: new PresetsView(app), songs: new SongsView(app), box: null, pedals: new PedalsView(app) };
/** Called when another beat of the bar is shown; -1 while nothing plays. */
app.onPlace = (place) => views.rhythm.showBeat(place);
app.sound = new Sound(app);
views.box = new BoxView(app);
const stage = new Stage(app);
setUpTransport(app);
const updatePractice = setUpPractice(app);
setUpKeys(app, views.presets);
setUpTabs();
setUpFace();
keepAwake(() => app.isLive && app.state.playing === "1");
$("help-open").addEventListener("click", () => $("help").showModal());
for (const button of document.querySelectorAll(".unlock")) button.addEventListener("click", () => keyOf(app)?.act());

app.connection.onChange = (isConnected) => {
  app.isConnected = isConnected;
  app.timeline = null;
  app.hasBox = isConnected;
  if (!isConnected) dropPending();
  showConnection();
};
app.connection.onMessage = (word, fields) => {
  if (word === "welcome") welcome(fields);
  else if (word === "box") boxChanged(fields.connected === "1");
  else if (word === "state") stateChanged(fields);
  // The answer to a message that could not be read, so that its id is unknown.
  else if (word === "refused") app.complain({ ok: false, why: fields.why || "refused" });
  else if (word === "timeline") app.timeline = readTimeline(fields, app.clock);
};
showConnection();
app.connection.start();

function welcome(fields) {
  app.isTrusted = fields.trusted === "1";
  app.mayCommand = fields.paired === "1" || app.isTrusted;
  document.body.dataset.paired = app.mayCommand ? "1" : "0";
  views.box.setNumber(numberOf(fields, "number", 0));
  showConnection();
}

/** The server says after each connection whether the metronome runs, and then when that changes. */
function boxChanged(isThere) {
  app.hasBox = isThere;
  app.timeline = null;
  if (!isThere) dropPending();
  if (isThere) {
    subscribe();
    views.presets.load();
    views.songs.load();
    views.pedals.load();
  }
  showConnection();
}

/** Without the subscription the page shows nothing; so it is requested until it is answered. */
async function subscribe() {
  const answer = await app.connection.request("subscribe", { to: "state,timeline" });
  if (!answer.ok) setTimeout(() => app.isLive && subscribe(), 500);
}

function dropPending() {
  for (const drop of app.losses) drop();
}

function stateChanged(fields) {
  app.reported = fields;
  app.state = { ...fields };
  for (const [key, { text }] of Object.entries(app.sent)) app.state[key] = text;
  stage.showBar(barLevels(app.state));
  updateTransport(app);
  updatePractice();
  views.rhythm.update();
  views.songs.update();
  views.box.update();
  updateFace(app);
  showBadges();
  showLocks();
  endMessage();
}

/** What says, on top of a view, that a song or a ramp sets its values, and ends that with one touch. */
function showLocks() {
  const lock = lockOf(app.state);
  document.body.dataset.lock = lock ?? "";
  const key = keyOf(app);
  for (const note of document.querySelectorAll(".lock")) {
    note.hidden = !key || note.dataset[lock] === undefined;
    setText(note.firstElementChild, note.dataset[lock] ?? "");
    setText(note.querySelector(".unlock"), key?.label ?? "");
  }
}

/** The levels of the beats of the bar; those of the metre if the box does not send them. */
function barLevels({ levels, signature, beat }) {
  if (levels) return levels;
  const metre = parseSignature(signature) ?? parseSignature("4/4");
  const notes = notesInBeat(metre, beat);
  return metreLetters(metre, beat).filter((_, note) => note % notes === 0).map((letter) => levelOfLetter(letter).code).join("");
}

function showBadges() {
  const { state } = app;
  $("badge-silent").hidden = state.silent !== "1";
  const source = state.follows === "midi" ? "MIDI" : state.follows === "link" ? "Link" : "";
  $("badge-source").hidden = source === "";
  setText($("badge-source"), source);
  const song = [state.song || state.score, state.section].filter(Boolean).join(" · ");
  setText($("where"), state.waiting === "1" ? `${song} · waiting` : song || (state.text === state.signature ? "" : state.text) || "Metronome");
}

function showConnection() {
  document.body.dataset.live = app.isLive ? "1" : "0";
  const words = !app.isConnected ? "Disconnected. Reconnecting …" : !app.hasBox ? "The metronome is not running. Waiting for it …" : "";
  setText($("lost"), words);
  $("badge-watching").hidden = app.mayCommand || !app.isConnected;
  endMessage();
}

function setUpTabs() {
  const tabs = [...$("tabs").children];
  const show = (view) => {
    document.body.dataset.view = view;
    for (const tab of tabs) {
      setAttribute(tab, "aria-selected", tab.dataset.view === view);
      tab.tabIndex = tab.dataset.view === view ? 0 : -1;
      const panel = $(`view-${tab.dataset.view}`);
      if (panel) panel.hidden = tab.dataset.view !== view;
    }
    $("panel").hidden = view === "play";
    $("panel").scrollTop = 0;
    save({ view });
    if (view === "presets") views.presets.load();
    if (view === "songs") views.songs.load();
    if (view === "box") views.pedals.load();
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => show(tab.dataset.view));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      show(next.dataset.view);
    });
  });
  show(tabs.some((tab) => tab.dataset.view === settings.view) ? settings.view : "play");
}

/** For tests only: what the page knows. */
globalThis.metronome = app;
