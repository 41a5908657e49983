// Spots that are being solved, were or will be: how far they are, how exploitability fell, a button to stop.
import { h, notice, plain, renew, s } from "./dom.js";
import { Live, get, post } from "./api.js";

const WORDS = { waiting: "waits for its turn", solving: "is being solved", done: "is solved", stopped: "was stopped", failed: "could not be solved" };
export const lookAt = (file) => `#/look/${encodeURIComponent(file)}/`;
const figure = (part) => (part === null || part === undefined ? "" : `${part < 0.1 ? part.toPrecision(2) : part.toFixed(2)} % of the pot`);

function goal({ exploitability, iterations, seconds }) {
  const parts = [exploitability !== null && `${exploitability} % of the pot`, iterations !== null && `${plain(iterations)} iterations`, `${plain(seconds)} s`];
  return parts.filter(Boolean).join(" or ");
}

export function convergence(trace, aim) {
  // Exploitability over iterations, both by their logarithms; the goal is dashed.
  const W = 420, H = 200, LEFT = 70, LOW = 26, TOP = 10;
  if (trace.length < 2) return h("p", { class: "quiet" }, "The curve begins with the second measurement.");
  const log = Math.log10, figures = trace.map((point) => Math.max(point[2], 1e-6)), ends = [...figures, aim || figures[0]];
  const low = Math.floor(log(Math.min(...ends))), high = Math.max(low + 1, Math.ceil(log(Math.max(...ends))));
  const first = log(trace[0][0]), last = Math.max(first + 0.1, log(trace[trace.length - 1][0]));
  const x = (n) => LEFT + (W - LEFT - 10) * (log(n) - first) / (last - first), y = (part) => TOP + (H - LOW - TOP) * (high - log(part)) / (high - low);
  const rules = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `Exploitability fell from ${figure(figures[0])} to ${figure(figures[figures.length - 1])} over ${plain(trace[trace.length - 1][0])} iterations` },
    rules.map((part) => [s("line", { x1: LEFT, x2: W - 10, y1: y(part), y2: y(part), class: "rule" }), s("text", { x: LEFT - 6, y: y(part) + 4, "text-anchor": "end" }, `${part >= 1 ? part : part.toPrecision(1)} %`)]),
    aim > 0 && s("line", { x1: LEFT, x2: W - 10, y1: y(aim), y2: y(aim), class: "aim" }),
    s("polyline", { points: trace.map((point, i) => `${x(point[0]).toFixed(1)},${y(figures[i]).toFixed(1)}`).join(" "), class: "line money" }),
    s("text", { x: W - 10, y: H - 8, "text-anchor": "end" }, `${plain(trace[trace.length - 1][0])} iterations`));
}

class SolveRow {
  constructor(told, whole) {
    this.offered = "";
    this.lamp = h("span", { "aria-hidden": "true" });
    this.state = h("span", {});
    this.until = h("span", { class: "quiet" });
    this.far = h("p", { class: "far", role: whole ? "status" : undefined });
    this.problem = h("p", { class: "problem", hidden: true });
    this.curve = whole && h("div", {});
    this.doing = h("p", { class: "doing" });
    this.element = h(whole ? "section" : "li", { class: "panel solve", "data-solve": told.number },
      h(whole ? "h1" : "h3", {}, whole ? told.name : h("a", { href: `#/solve/${told.number}` }, told.name)),
      h("p", { class: "state" }, this.lamp, this.state, this.until), this.far, this.problem, this.curve, this.doing);
    this.show(told);
  }

  show(told) {
    const ended = told.state === "done" || told.state === "stopped";
    const far = [told.iterations > 0 && `${plain(told.iterations)} iterations`, told.seconds > 0 && `${told.seconds.toFixed(1)} s`, figure(told.exploitability)].filter(Boolean).join(", ");
    this.element.dataset.state = told.state;
    this.lamp.className = `lamp ${told.state}`;
    this.state.textContent = WORDS[told.state];
    this.until.textContent = told.state === "failed" ? "" : ended ? `; the goal was ${goal(told.goal)}` : ` until ${goal(told.goal)}`;
    this.far.textContent = far || (told.state === "solving" ? "laying out \u2026" : "");
    this.problem.textContent = told.error || "";
    this.problem.hidden = !told.error;
    if (this.curve) this.curve.replaceChildren(convergence(told.trace, told.goal.exploitability));
    this.offer(told);
  }

  offer(told) {
    // Buttons stay as long as they offer the same: what is made anew can be neither clicked nor reached by keys.
    const going = told.state === "solving" || told.state === "waiting", offered = [going, told.state === "stopped", told.file].join();
    if (offered === this.offered) return;
    this.offered = offered;
    const act = (what) => async () => { try { this.show(await post(`/api/solves/${told.number}/${what}`, {})); } catch (error) { notice(error.message); } };
    renew(this.doing,
      going && h("button", { class: "stop", onclick: act("stop") }, "Stop and keep"),
      told.state === "stopped" && h("button", { class: "go-on", onclick: act("go-on") }, "Go on"),
      told.file && h("a", { class: "button look-at", href: lookAt(told.file) }, "Look at it"),
      !going && h("a", { href: `#/make/solve/${told.number}` }, "Change the spot"));
  }
}

export class Solving {
  // The list of solves that go on or ended lately, kept up to date.
  constructor(first, ended) {
    this.rows = new Map(); this.ended = ended;
    this.list = h("ul", { class: "solves" });
    this.element = h("section", { class: "solving", hidden: true }, h("h2", {}, "Solves"), this.list);
    first.slice().reverse().forEach((told) => this.hear(told, true));
    this.live = new Live("/api/solves/live", (message) => {
      if (message.solves) message.solves.slice().reverse().forEach((told) => this.hear(told));
      if (message.solve) this.hear(message.solve);
    });
  }

  hear(told, quiet) {
    const row = this.rows.get(told.number), before = row && row.element.dataset.state;
    if (row) row.show(told);
    else {
      this.rows.set(told.number, new SolveRow(told, false));
      this.list.prepend(this.rows.get(told.number).element);
    }
    if (!quiet && before !== told.state && told.file) this.ended();
    this.element.hidden = !this.rows.size;
  }

  close() { this.live.close(); }
}

export async function solvePage(number = "") {
  if (!/^\d+$/.test(number)) throw new Error("There is no such solve.");
  const first = await get(`/api/solves/${number}`), row = new SolveRow(first, true);
  return (main) => {
    main.replaceChildren(h("div", { class: "look narrow" }, h("p", {}, h("a", { href: "#/look" }, "\u2039 all spots")), row.element));
    const live = new Live("/api/solves/live", (message) => {
      for (const told of message.solves || [message.solve]) if (told && told.number === first.number) row.show(told);
    });
    return () => live.close();
  };
}
