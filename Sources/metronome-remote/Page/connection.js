// The connection to the box: it reconnects by itself, measures the box's clock, and never sends anything late.

import { BoxClock, FIRST_PINGS } from "./clock.js";
import { formatMessage, parseMessage } from "./message.js";

/** The box sends its state four times a second. Without a message for this long the connection counts as lost. */
const SILENCE = 1500;
/** A command is sent only if the box was heard so recently: what is sent into a dead connection could arrive much later. */
const RECENT = 600;
const HEARTBEAT = 400;
const ANSWER_TIME = 2000;
const ATTEMPT_TIME = 1200;
const DELAYS = [0, 100, 250, 500];
const PING_PERIOD = 2000;
const PING_PAUSE = 15;

/** A list is read in pages of so many entries, if it has that many. */
const LISTED = 100;
const PAGED = new Set(["scores", "song"]);
/** A list that the box refuses, because it is busy with other pages, is requested again: so often at most, after so many milliseconds. */
const MOST_TRIES = 6;
const TRY_AGAIN = 500;

/** Why a request was not sent. */
export const NOT_SENT = "not connected, so nothing was sent";

export class Connection {
  clock = new BoxClock();
  isConnected = false;
  /** Called with each message of the box and of the server: its word and its fields. */
  onMessage = () => {};
  /** Called when the connection is there or lost. */
  onChange = () => {};

  #socket = null;
  #heard = 0;
  #begun = 0;
  #failures = 0;
  #requests = new Map();
  #nextID = 1;
  #pings = new Map();
  #nextPing = 1;
  #retry = null;
  #checked = performance.now();
  #attempt = 0;
  #pinged = 0;

  start() {
    this.#connect();
    setInterval(() => this.#check(), 100);
    setInterval(() => this.#ping(), PING_PERIOD);
    document.addEventListener("visibilitychange", () => this.#wake());
    addEventListener("pageshow", (event) => event.persisted && this.reconnect());
    addEventListener("online", () => !this.isConnected && this.reconnect());
    addEventListener("offline", () => this.#lose());
  }

  /** Connects anew at once, for example after pairing. */
  reconnect() {
    this.#failures = 0;
    this.#lose();
  }

  /** Whether a command would be sent now. Without the box's clock it would not say when it was pressed, and could be carried out late. */
  get canSend() {
    return this.#isAlive && this.clock.isKnown;
  }

  get #isAlive() {
    return this.isConnected && performance.now() - this.#heard <= RECENT;
  }

  /** Sends a message without an answer. Returns whether it was sent. */
  post(word, fields) {
    if (!this.isConnected || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(formatMessage(word, fields));
    return true;
  }

  /**
   * Sends a request. Resolves to its answer: `{ ok, fields, items }`, where `items` are the messages before a `done`; or with
   * `{ ok: false, why }`, also after `time` milliseconds. It is never sent later than now.
   */
  request(word, fields = {}, time = ANSWER_TIME) {
    const id = this.#nextID++;
    if (!this.#isAlive || !this.post(word, { ...fields, id })) return Promise.resolve({ ok: false, why: NOT_SENT });
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer(id, { ok: false, why: "the box did not answer" }), time);
      this.#requests.set(String(id), { resolve, timer, items: [] });
    });
  }

  /** Sends a request that changes something, with the instant of the press. */
  command(word, fields, instant) {
    if (!this.canSend) return Promise.resolve({ ok: false, why: NOT_SENT });
    return this.request(word, { ...fields, at: this.boxInstant(instant) });
  }

  /** Reads a list of the box. Resolves as a request, with all of its `items`. */
  async list(word) {
    const items = [];
    let refusals = 0;
    for (;;) {
      const answer = await this.request(word, PAGED.has(word) ? { from: items.length + 1 } : {});
      if (answer.ok) {
        refusals = 0;
        items.push(...answer.items);
        if (!PAGED.has(word) || answer.items.length < LISTED) return { ...answer, items };
      } else if (!answer.fields || ++refusals === MOST_TRIES) return answer;
      else await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
    }
  }

  /**
   * The instant of the box for a press; undefined while the box's clock is unknown. The box refuses instants in the future, so an
   * instant that may be one, by the error of the clock, is moved back by this error.
   */
  boxInstant(pageTime) {
    if (!this.clock.isKnown) return undefined;
    const now = performance.now();
    return this.clock.nanoseconds(Math.min(pageTime, now - this.clock.uncertainty(now)));
  }

  #answer(id, answer) {
    const request = this.#requests.get(String(id));
    if (!request) return;
    this.#requests.delete(String(id));
    clearTimeout(request.timer);
    request.resolve({ items: request.items, ...answer });
  }

  async #connect() {
    const attempt = ++this.#attempt;
    // Browsers delay WebSockets after many failures, and not other requests. So one of these finds out whether the box is there.
    const isThere = this.#failures < 2 || (await isReachable());
    if (attempt !== this.#attempt) return;
    if (!isThere) return this.#again();
    const address = new URL("socket", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#begun = performance.now();
    socket.onmessage = (event) => socket === this.#socket && this.#receive(event.data);
    socket.onclose = () => socket === this.#socket && this.#lose();
  }

  #again() {
    if (this.#retry !== null) return;
    const delay = DELAYS[Math.min(this.#failures, DELAYS.length - 1)];
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#connect();
    }, delay);
  }

  #lose() {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    for (const id of [...this.#requests.keys()]) {
      this.#answer(id, { ok: false, why: "the connection was lost; nobody knows whether the box carried it out" });
    }
    this.#pings.clear();
    if (this.isConnected) {
      this.isConnected = false;
      this.onChange(false);
    }
    if (socket || this.#failures === 0) this.#again();
  }

  #receive(text) {
    if (typeof text !== "string") return;
    const now = performance.now();
    this.#heard = now;
    if (!this.isConnected) {
      this.isConnected = true;
      this.#failures = 0;
      this.clock.reset();
      this.onChange(true);
      this.#ping();
    }
    const message = parseMessage(text);
    if (!message) return;
    const { word, fields } = message;
    if (word === "pong") return this.#pong(fields, now);
    if (word === "done") return this.#answer(fields.id, { ok: true, fields });
    if (word === "refused" && fields.id !== undefined) return this.#answer(fields.id, { ok: false, why: fields.why || "refused", fields });
    if (fields.id !== undefined) this.#requests.get(fields.id)?.items.push(fields);
    else this.onMessage(word, fields);
  }

  #ping() {
    const number = this.#nextPing++;
    const sent = performance.now();
    this.#pinged = sent;
    if (this.post("ping", { t: number })) this.#pings.set(String(number), sent);
  }

  #pong(fields, received) {
    const sent = this.#pings.get(fields.t);
    if (sent === undefined || !/^\d+$/.test(fields.now ?? "")) return;
    this.#pings.delete(fields.t);
    this.clock.add(sent, received, fields.now);
    if (this.clock.count < FIRST_PINGS) setTimeout(() => this.#ping(), PING_PAUSE);
  }

  /** Ten times a second. */
  #check() {
    const now = performance.now();
    // The page itself was stopped: messages may wait to be read, and must be read before the silence is judged.
    const slept = now - this.#checked > SILENCE;
    this.#checked = now;
    if (slept) return;
    const reference = this.isConnected ? this.#heard + SILENCE : this.#begun + ATTEMPT_TIME;
    if (this.#socket && now > reference) return this.#lose();
    // While the box is gone, only the answers to pings show that the server is there.
    if (this.isConnected && now - this.#heard > HEARTBEAT && now - this.#pinged > HEARTBEAT) this.#ping();
  }

  /** After a sleep the connection may be dead without having been closed, and the clocks may have drifted. */
  #wake() {
    if (document.hidden) return;
    if (!this.isConnected || performance.now() - this.#heard > RECENT) this.reconnect();
    else this.#ping();
  }
}

/** A change that is sent after a short wait. It is dropped if the connection is lost, or if the page itself was stopped meanwhile. */
export class Delayed {
  #timer = null;
  #dropped;

  /** `dropped` is called if a change is not sent. */
  constructor(app, dropped = () => {}) {
    this.#dropped = dropped;
    app.losses.push(() => this.isWaiting && this.#drop());
  }

  get isWaiting() {
    return this.#timer !== null;
  }

  /** Sends after so many milliseconds, in place of what waits. */
  start(wait, send) {
    this.cancel();
    // The clock of `performance.now` may stand still while a phone sleeps. This one goes on.
    const due = Date.now() + wait;
    this.#timer = setTimeout(() => {
      if (Date.now() - due > RECENT) return this.#drop();
      this.#timer = null;
      send();
    }, wait);
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #drop() {
    this.cancel();
    this.#dropped();
  }
}

/** Whether the server answers. */
async function isReachable() {
  try {
    await fetch("manifest.webmanifest", { method: "GET", cache: "no-store", signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  }
}
