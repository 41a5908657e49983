// The JSON API: requests, and a socket that comes back by itself.
export class Refused extends Error {
  constructor(status, text, field) { super(text); this.status = status; this.field = field || ""; }
}

async function ask(path, options) {
  const answer = await fetch(path, options);
  const told = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, told.error || "the server refused", told.field);
  return told;
}

export const get = (path) => ask(path);
export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export class Live {
  // Tells `heard` of every message of a socket, such as that of a table, also after a restart of the server.
  constructor(path, heard, stands) {
    this.path = path; this.heard = heard; this.stands = stands; this.waits = 250; this.closed = false;
    this.open();
  }
  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket.onopen = () => { this.waits = 250; this.stands(true); };
    this.socket.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.socket.onclose = () => {
      if (this.closed) return;
      this.stands(false);
      setTimeout(() => { if (!this.closed) this.open(); }, this.waits);
      this.waits = Math.min(2 * this.waits, 4000);
    };
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
