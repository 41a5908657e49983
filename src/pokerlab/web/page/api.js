// The JSON API: requests, and a socket that comes back by itself. While the server is away the page says so, and waits for it.
const pause = (time) => new Promise((done) => { setTimeout(done, time); });
let back = null;  // while it is not known whether the server is there: a promise that it is

export class Refused extends Error {
  constructor(status, text, field) { super(text); this.status = status; this.field = field || ""; }
}

class Away extends Error {
  constructor() { super("The server does not answer: what you did may not have come there."); }
}

async function isThere() { try { await fetch("icon.svg", { cache: "no-store" }); return true; } catch { return false; } }

async function waitFor() {
  const words = document.getElementById("away");
  for (let waits = 250; !(await isThere()); waits = Math.min(2 * waits, 2000)) {
    words.textContent = "The server does not answer. This page goes on by itself when it is back.";
    await pause(waits);
  }
  words.textContent = "";
  back = null;
}

const thereAgain = () => (back = back || waitFor());

async function ask(path, options) {
  let answer, told;
  try {
    answer = await fetch(path, options);
    told = await answer.json();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;  // that is how browsers tell that nobody has answered
    thereAgain();
    throw new Away();
  }
  if (!answer.ok) throw new Refused(answer.status, told.error || "the server refused", told.field);
  return told;
}

async function patient(question) {
  for (;;) {
    try { return await question(); } catch (error) { if (!(error instanceof Away)) throw error; }
    await thereAgain();
  }
}

export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

// What changes nothing is asked until it is answered; the second has too much to say for an address.
export const get = (path) => patient(() => ask(path));
export const inquire = (path, body) => patient(() => post(path, body));

export class Live {
  // Tells `heard` of every message of a socket, such as that of a table, also after a restart of the server.
  constructor(path, heard, stands = () => {}) {
    this.path = path; this.heard = heard; this.stands = stands; this.waits = 250; this.closed = false;
    this.open();
  }
  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket.onopen = () => { this.waits = 250; this.stands(true); };
    this.socket.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.socket.onclose = () => { if (!this.closed) this.again(); };
  }
  async again() {
    this.stands(false);
    await Promise.all([thereAgain(), pause(this.waits)]);
    this.waits = Math.min(2 * this.waits, 4000);
    if (!this.closed) this.open();
  }
  get ready() { return this.socket.readyState === WebSocket.OPEN; }
  send(message) { this.socket.send(JSON.stringify(message)); }
  close() {
    const socket = this.socket;
    this.closed = true;
    socket.onmessage = null;
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();  // sooner, browsers call it an error
    else socket.close();
  }
}
