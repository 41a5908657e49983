// A range painted on the chart, and as text; the server reads and writes the text, and the page adds pieces to it.
import { h, s } from "./dom.js";
import { inquire } from "./api.js";
import { KINDS, SIZE, cells, percent, redraw, strokes } from "./grid.js";

export class RangeEditor {
  constructor(about, changed) {
    this.about = about; this.changed = changed; this.told = { text: "", kinds: {}, mixed: {}, combos: 0, part: 0 }; this.asked = 0; this.latest = ""; this.answered = null;
    this.place = h("div", { class: "range-grid" });
    this.size = h("output", { class: "quiet" });
    this.text = h("textarea", { rows: 3, spellcheck: "false", autocomplete: "off", maxlength: 40000, "aria-label": `${about} as text`, onchange: () => this.read(this.text.value) });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.brush = h("input", { type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": "Weight to paint with, in per cent", oninput: () => { this.weight.textContent = `${this.brush.value} %`; } });
    this.weight = h("b", {}, "100 %");
    this.element = h("div", { class: "range-editor" },
      h("div", { class: "brush" }, h("span", {}, "Paint with "), this.weight, this.brush,
        h("button", { type: "button", class: "size", onclick: () => this.read("random") }, "all"),
        h("button", { type: "button", class: "size", onclick: () => this.read("") }, "none")),
      this.place, this.size, this.text, this.problem);
    this.draw();
    strokes(this.place, { begin: (kind) => { this.painting = { weight: this.other(kind), kinds: new Set() }; }, touch: (cell) => this.touch(cell), end: () => this.up() });
  }

  read(text) { return (this.answered = this.ask(text)); }

  async wrong() {
    // Whether the text that is shown is no range, once that is known.
    await this.answered;
    return !this.problem.hidden;
  }

  async ask(text) {
    const mine = (this.asked += 1);
    this.latest = text;  // what is painted before the answer comes is painted over this
    try {
      const told = await inquire("/api/ranges", { range: text });
      if (mine !== this.asked) return;
      this.told = told; this.latest = told.text;
      this.say("");
      this.draw();
      this.changed(told.text);
    } catch (error) { if (mine === this.asked) { this.latest = this.told.text; this.say(error.message); } }
  }

  say(text) { this.problem.textContent = text; this.problem.hidden = !text; }

  draw() {
    const { kinds, mixed, combos, part } = this.told;
    this.text.value = this.told.text;
    this.size.textContent = `${combos.toLocaleString("en", { maximumFractionDigits: 1 })} of 1,326 hands, ${percent(part)}`;
    redraw(this.place, cells(this.about, (kind, x, y) => {
      const weight = kinds[kind] || 0, high = SIZE * weight;
      return { parts: [s("rect", { x, y: y + SIZE - high, width: SIZE, height: high, class: mixed[kind] ? "held mixed" : "held" })],
        said: `${kind} ${percent(weight)}${mixed[kind] ? ", suits differ" : ""}`, look: weight ? "" : "none" };
    }, { chosen: (kind, event) => { if (event.type === "keydown") this.paint([kind], this.other(kind)); }, pressed: (kind) => Boolean(kinds[kind]) }));
  }

  other(kind) {
    // The brush's weight, or none where that is what the cell has already.
    const weight = this.brush.value / 100;
    return Math.abs((this.told.kinds[kind] || 0) - weight) < 1e-9 ? 0 : weight;
  }

  paint(kinds, weight) {
    const pieces = kinds.map((kind) => `${kind}:${weight}`);
    return this.read([this.latest, ...pieces].filter(Boolean).join(","));
  }

  touch(cell) {
    const { weight, kinds } = this.painting, kind = cell.dataset.kind;
    if (kinds.has(kind)) return;
    kinds.add(kind);
    const i = KINDS.indexOf(kind), bar = cell.querySelector(".held"), high = SIZE * weight;
    bar.setAttribute("y", Math.floor(i / 13) * SIZE + SIZE - high);
    bar.setAttribute("height", high);
  }

  up() {
    const { weight, kinds } = this.painting;
    this.paint([...kinds], weight);
  }
}
