// A decision of a solved spot: the chart in several views, what each kind of hand is made of, and play that is fixed.
import { h, many, plain, put } from "./dom.js";
import { inline } from "./cards.js";
import { chart, heat, legend, percent, redraw, strip } from "./grid.js";
import { LockEditor } from "./lock.js";

export const PLAYERS = { oop: "Out of position", ip: "In position" };
const VIEWS = { strategy: "Strategy", ev: "EV", equity: "Equity", range: "Range", loss: "Loss" };
const SAYS = {
  strategy: "What is done with each kind of hand; a cell is filled as high as such hands are likely.", ev: "Chips that such a hand expects from here on.",
  equity: "The share of the pot that such a hand would get at a showdown.", range: "How much of its first weight such a hand still has here.", loss: "Chips that such a hand's mix is worth less than its best action.",
};
const chips = (value) => (value === null || Number.isNaN(value) ? "\u2013" : Math.abs(value) < 0.005 ? "0" : value.toFixed(Math.abs(value) < 10 ? 2 : 1));

function byKind(combos, column) {
  // Means over a kind's hands by how likely they are held.
  const sums = {};
  combos.kind.forEach((kind, i) => {
    const value = combos[column][i];
    if (value === null) return;
    const weight = combos.share[i] + 1e-12, sum = (sums[kind] = sums[kind] || [0, 0]);
    sum[0] += weight * value; sum[1] += weight;
  });
  return Object.fromEntries(Object.entries(sums).map(([kind, [value, weight]]) => [kind, value / weight]));
}

export class Decision {
  constructor(file, line, told) {
    this.file = file; this.line = line; this.told = told; this.node = told.node; this.view = "strategy"; this.player = told.node.player; this.kind = null;
    this.picture = h("div", { class: "picture" });
    this.says = h("p", { class: "quiet" });
    this.cell = h("section", { class: "panel breakdown", "aria-live": "polite" });
    this.views = this.choice("What the chart shows", Object.entries(VIEWS), () => this.view, (view) => { this.view = view; if (view === "strategy" || view === "loss") this.player = this.node.player; });
    this.whose = this.choice("Whose hands", Object.entries(PLAYERS), () => this.player, (who) => { this.player = who; if (who !== this.node.player && (this.view === "strategy" || this.view === "loss")) this.view = "range"; });
    this.place = h("div", { class: "decision" }, h("div", {}, h("div", { class: "choices" }, this.views, this.whose), this.picture, this.says,
      legend(this.node.actions, told.colours, this.node.frequencies)), h("div", { class: "aside" }, this.totals(), this.cell));
    this.element = h("div", {}, this.place);
    this.draw();
    this.break(this.first());
  }

  choice(about, entries, now, choose) {
    const buttons = entries.map(([key, name]) => h("button", { type: "button", class: "size", "data-choice": key, onclick: () => { choose(key); this.draw(); if (this.kind) this.break(this.kind); } }, name));
    const group = h("div", { class: "choice", role: "group", "aria-label": about }, buttons);
    group.refresh = () => buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.choice === now())));
    return group;
  }

  get combos() { return this.node.combos[this.player]; }

  first() {
    // The kind that is likeliest here.
    const shares = {};
    this.combos.kind.forEach((kind, i) => { shares[kind] = (shares[kind] || 0) + this.combos.share[i]; });
    return Object.keys(shares).sort((a, b) => shares[b] - shares[a])[0];
  }

  draw() {
    this.views.refresh(); this.whose.refresh();
    const who = PLAYERS[this.player], chosen = (kind) => this.break(kind), about = `${VIEWS[this.view]} of each hand, ${who.toLowerCase()}`;
    this.says.textContent = SAYS[this.view];
    redraw(this.picture, this.view === "strategy" ? chart(this.node.hands, this.node.actions, this.told.colours, about, chosen) : this.heat(about, chosen));
    if (this.kind) this.mark();
  }

  heat(about, chosen) {
    const combos = this.combos, column = { ev: "ev", equity: "equity", range: "weight", loss: "lost" }[this.view];
    if (column === "lost") combos.lost = combos.hand.map((_, i) => this.node.actions.reduce((sum, action) => sum + combos[action][i] * combos[`loss ${action}`][i], 0));
    const values = byKind(combos, column), most = { equity: 1, range: 1, ev: this.node.pot, loss: Math.max(1e-9, ...Object.values(values)) }[this.view];
    const words = (kind) => (this.view === "equity" || this.view === "range" ? percent(values[kind]) : `${chips(values[kind])} chips`);
    return heat(Object.fromEntries(Object.entries(values).map(([kind, value]) => [kind, Math.max(0, value / most)])), about, words, [this.view === "loss" ? "var(--colour-1)" : "var(--colour-0)"], chosen);
  }

  totals() {
    const mean = (who, column) => { const told = this.node.combos[who]; return told[column].reduce((sum, value, i) => sum + (value || 0) * told.share[i], 0); };
    return h("table", { class: "totals" }, h("thead", {}, h("tr", {}, h("th", { class: "name", scope: "col" }, "Player"), h("th", { scope: "col" }, "EV"), h("th", { scope: "col" }, "Equity"), h("th", { scope: "col" }, "Hands"))),
      h("tbody", {}, Object.entries(PLAYERS).map(([who, name]) => h("tr", {}, h("th", { class: "name", scope: "row" }, name), h("td", {}, chips(mean(who, "ev"))),
        h("td", {}, percent(this.node.equity[who])), h("td", {}, plain(Math.round(10 * this.node.combos[who].weight.reduce((sum, weight) => sum + weight, 0)) / 10))))));
  }

  mark() { for (const cell of this.picture.querySelectorAll("g[data-kind]")) cell.classList.toggle("chosen", cell.dataset.kind === this.kind); }

  break(kind) {
    // Each hand of a kind, by its suits.
    this.kind = kind;
    this.mark();
    const combos = this.combos, rows = combos.kind.flatMap((one, i) => (one === kind ? [i] : [])), acting = this.player === this.node.player, actions = this.node.actions;
    if (!rows.length) { this.cell.replaceChildren(h("h2", {}, kind), h("p", { class: "quiet" }, `${PLAYERS[this.player]} has no such hand here.`)); return; }
    put(this.cell, h("h2", {}, `${kind}: ${many(rows.length, "hand")}`),
      h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `The hands of ${kind}` }, h("table", { class: "combos" },
        h("thead", {}, h("tr", {}, ["Hand", ...(acting ? ["Does"] : []), "EV", "Equity", "Weight"].map((name, i) => h("th", { scope: "col", class: i < (acting ? 2 : 1) ? "name" : "" }, name)))),
        h("tbody", {}, rows.map((i) => h("tr", { "data-hand": combos.hand[i] },
          h("th", { class: "name", scope: "row" }, inline(combos.hand[i], h)),
          acting && h("td", { class: "name does" }, strip(actions.map((action) => combos[action][i]), actions, this.told.colours)),
          h("td", {}, chips(combos.ev[i])), h("td", {}, percent(combos.equity[i])), h("td", {}, percent(combos.weight[i]))))))),
      acting && h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `What each action is worth with ${kind}` }, h("table", { class: "combos" },
        h("thead", {}, h("tr", {}, h("th", { class: "name", scope: "col" }, "EV of"), actions.map((action) => h("th", { scope: "col" }, action)))),
        h("tbody", {}, rows.map((i) => h("tr", {}, h("th", { class: "name", scope: "row" }, inline(combos.hand[i], h)), actions.map((action) => h("td", {}, chips(combos[`ev ${action}`][i]), h("small", {}, percent(combos[action][i]))))))))));
  }

  lock() {
    const editor = new LockEditor(this.file, this.line, this.told, () => { this.element.replaceChildren(this.place); });
    this.element.replaceChildren(editor.element);
  }
}
