// The JSON API: requests, and a socket that comes back by itself.
export class Refused extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

async function ask(path, options) {
  const answer = await fetch(path, options);
  const told = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, told.error || "the server refused");
  return told;
}

export const get = (path) => ask(path);
export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export class Live {
  // Tells `heard` of every message about a table, also after a reload of the server.
  constructor(table, heard, stands) {
    this.table = table; this.heard = heard; this.stands = stands; this.waits = 250; this.closed = false;
    this.open();
  }
  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/tables/${this.table}/live`);
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
  close() { this.closed = true; this.socket.close(); }
}
