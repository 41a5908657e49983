// A range painted on the chart, and as text; the server reads and writes the text, and the page adds pieces to it.
import { h, s } from "./dom.js";
import { post } from "./api.js";
import { KINDS, cells, percent, redraw } from "./grid.js";

const SIZE = 30;

export class RangeEditor {
  constructor(about, changed) {
    this.about = about; this.changed = changed; this.told = { text: "", kinds: {}, mixed: {}, combos: 0, part: 0 }; this.painting = null; this.asked = 0; this.latest = "";
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
    this.place.addEventListener("pointerdown", (event) => this.down(event));
    this.place.addEventListener("pointermove", (event) => this.over(event));
    for (const end of ["pointerup", "pointercancel"]) this.place.addEventListener(end, () => this.up());
    this.draw();
  }

  async read(text) {
    const mine = (this.asked += 1);
    this.latest = text;  // what is painted before the answer comes is painted over this
    try {
      const told = await post("/api/ranges", { range: text });
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

  at(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("g[data-kind]");
    return cell && this.place.contains(cell) ? cell : null;
  }

  down(event) {
    const cell = this.at(event);
    if (!cell || event.button) return;
    this.painting = { weight: this.other(cell.dataset.kind), kinds: new Set() };
    this.place.setPointerCapture(event.pointerId);
    this.touch(cell);
  }

  over(event) { if (this.painting) { const cell = this.at(event); if (cell) this.touch(cell); } }

  touch(cell) {
    const { weight, kinds } = this.painting, kind = cell.dataset.kind;
    if (kinds.has(kind)) return;
    kinds.add(kind);
    const i = KINDS.indexOf(kind), bar = cell.querySelector(".held"), high = SIZE * weight;
    bar.setAttribute("y", Math.floor(i / 13) * SIZE + SIZE - high);
    bar.setAttribute("height", high);
  }

  up() {
    if (!this.painting) return;
    const { weight, kinds } = this.painting;
    this.painting = null;
    this.paint([...kinds], weight);
  }
}
