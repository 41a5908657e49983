// Play that is fixed at a decision: an action painted on kinds of hands, or one frequency for all; and the spot solved again.
import { h, s } from "./dom.js";
import { get, post } from "./api.js";
import { SIZE, cells, redraw, strokes, swatch } from "./grid.js";
import { freeName, takenNames } from "./make.js";
import { toml } from "./toml.js";

const CARD = /^[2-9TJQKA][shdc]$/, ROUNDING = 0.5;  // per cent: 33.3 three times is all

export class LockEditor {
  constructor(file, line, told, close) {
    this.file = file; this.line = line; this.node = told.node; this.colours = told.colours; this.brush = 0; this.painted = new Map();
    const actions = this.node.actions;
    this.brushes = h("div", { class: "choice", role: "group", "aria-label": "What is painted" },
      [...actions, "free"].map((action, i) => h("button", { type: "button", class: "size", "data-brush": action, onclick: () => { this.brush = i; this.press(); } }, i < actions.length && swatch(actions, this.colours, i), action)));
    this.place = h("div", { class: "range-grid" });
    strokes(this.place, { touch: (cell) => this.touch(cell) });
    this.parts = actions.map((action, i) => h("input", { type: "number", min: 0, max: 100, step: "any", id: `part-${i}`, inputmode: "decimal", oninput: () => this.share() }));
    this.sum = h("p", { class: "quiet sum", role: "status" });
    this.every = h("input", { type: "checkbox", id: "every-card" });
    this.goal = h("input", { id: "goal", type: "number", min: 0, step: 0.1, value: 0.5, inputmode: "decimal" });
    this.name = h("input", { id: "name", maxlength: 60, autocomplete: "off" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.button = h("button", { type: "button", class: "sit go solve-again", onclick: () => this.solve() }, "Solve again with this");
    this.element = h("div", { class: "decision" },
      h("div", {}, h("p", {}, "Paint what such hands do; the others stay free."), this.brushes, this.place),
      h("div", { class: "aside" }, h("section", { class: "panel" }, h("h2", {}, "Or one frequency for all hands"), h("p", { class: "quiet" }, "In per cent; what is painted goes before it."),
        h("div", { class: "fields" }, actions.map((action, i) => h("div", { class: "field" }, h("label", { for: `part-${i}` }, action), this.parts[i]))), this.sum),
        h("section", { class: "panel" }, h("h2", {}, "Solve again"),
          line.some((word) => CARD.test(word)) && h("label", { class: "check" }, this.every, " whatever cards come"),
          h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "name" }, "Name"), this.name), h("div", { class: "field" }, h("label", { for: "goal" }, "Goal, % of the pot"), this.goal)),
          this.problem, this.button, h("button", { type: "button", class: "plain", onclick: close }, "leave it unlocked"))));
    this.press();
    this.draw();
    takenNames().then((taken) => { this.name.value = this.name.value || freeName(`${file.replace(/\.solution$/, "")} locked`, taken); });
  }

  press() { [...this.brushes.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === this.brush))); }

  draw() {
    redraw(this.place, cells("Kinds of hands to paint", (kind, x, y) => {
      const held = this.node.hands[kind], action = this.painted.get(kind);
      return { parts: held ? [s("rect", { x, y, width: SIZE, height: SIZE, class: "painted", fill: action === undefined ? "none" : this.colours[action] })] : [],
        said: held ? `${kind}: ${action === undefined ? "free" : this.node.actions[action]}` : `${kind}: not held`, look: held ? "" : "none" };
    }, { chosen: (kind, event) => { if (event.type === "keydown") { this.paint(kind); this.draw(); } } }));
  }

  paint(kind) {
    if (!this.node.hands[kind]) return;
    if (this.brush < this.node.actions.length) this.painted.set(kind, this.brush);
    else this.painted.delete(kind);
  }

  touch(cell) {
    this.paint(cell.dataset.kind);
    const action = this.painted.get(cell.dataset.kind);
    cell.querySelector(".painted")?.setAttribute("fill", action === undefined ? "none" : this.colours[action]);
  }

  shares() {
    // The frequencies in per cent, in all; the one field that is empty has what the others leave.
    const given = this.parts.map((part) => Number(part.value)), sum = given.reduce((a, b) => a + b, 0), empty = this.parts.filter((part) => part.value === "");
    const rest = +(100 - sum).toFixed(6), last = empty.length === 1 && rest > 0 ? this.parts.indexOf(empty[0]) : -1;
    return { none: empty.length === this.parts.length, given: given.map((part, i) => (i === last ? rest : part)), sum: last < 0 ? +sum.toFixed(6) : 100, last };
  }

  share() {
    const { none, given, sum, last } = this.shares();
    this.parts.forEach((part, i) => { part.placeholder = i === last ? given[i] : ""; });
    this.sum.textContent = none ? "" : last < 0 ? `${sum} % together.` : `${this.node.actions[last]} has the ${given[last]} % that are left.`;
  }

  unshared() {
    // Why the frequencies cannot be played; empty if they can.
    const { none, sum } = this.shares();
    if (this.parts.some((part) => !part.validity.valid)) return "A frequency is a number from 0 to 100.";
    return none || Math.abs(sum - 100) <= ROUNDING ? "" : `The frequencies are ${sum} % together, and not 100 %.`;
  }

  locks() {
    // As the file has them: what holds for all first, because later ones go before it.
    const line = this.line.map((word) => (this.every.checked && CARD.test(word) ? "deal" : word)).join(", "), locks = [], actions = this.node.actions, { given } = this.shares();
    const all = Object.fromEntries(actions.map((action, i) => [action, given[i] / 100]).filter(([, part]) => part > 0));
    if (Object.keys(all).length) locks.push({ line, play: all });
    const painted = actions.map((action, i) => [action, [...this.painted].filter(([, brush]) => brush === i).map(([kind]) => kind).join(",")]).filter(([, kinds]) => kinds);
    if (painted.length) locks.push({ line, play: Object.fromEntries(painted) });
    return locks;
  }

  say(text) { this.problem.textContent = text; this.problem.hidden = !text; }

  async solve() {
    const unshared = this.unshared(), locks = this.locks();
    if (unshared) { this.say(unshared); return; }
    if (!locks.length) { this.say("Nothing is fixed yet: paint an action on some hands, or give all of them a frequency."); return; }
    this.button.disabled = true;
    try {
      const { data } = await get(`/api/spots/file?${new URLSearchParams({ file: this.file })}`);
      data.lock = [...(data.lock || []), ...locks];
      const told = await post("/api/solves", { name: this.name.value, spot: toml(data), exploitability: this.goal.value === "" ? null : Number(this.goal.value) });
      location.hash = `#/solve/${told.number}`;
    } catch (error) { this.say(error.message); this.button.disabled = false; }
  }
}
