// Card abstractions: every hand on a board in the colour of its bucket, from weak to strong, and who shares one.
import { h, many, plain } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";
import { SIZE, cells, combos, heat, percent, redraw, stripes } from "./grid.js";
import { BoardPicker } from "./picker.js";

const STREETS = { preflop: "before the flop", flop: "on the flop", turn: "on the turn", river: "on the river" };
const SIZES = [0, 3, 4, 5];
const VIEWS = { bucket: "Bucket", strength: "E[HS]" };
const address = (one, board) => `#/buckets/${encodeURIComponent(one.cards)}/${one.recall}/${one.seed}/${board}`;
const titled = (one) => `${one.cards}, ${one.recall} recall${one.seed === 1 ? "" : `, seed ${one.seed}`}`;
const strong = (value) => value.toFixed(3);

function choice(known, now, id, chosen) {
  const select = h("select", { id, class: "abstraction", onchange: () => chosen(known[select.selectedIndex]) }, known.map((one) => h("option", {}, titled(one))));
  select.selectedIndex = Math.max(0, known.findIndex((one) => now && one.cards === now.cards && one.recall === now.recall && one.seed === now.seed));
  return select;
}

export function bucketChooser(known) {
  // Which card abstraction to look at.
  const select = choice(known, null, "bucket-cards", () => {});
  return h("form", { class: "panel", onsubmit: (event) => { event.preventDefault(); location.hash = address(known[select.selectedIndex], ""); } }, h("h2", {}, "Buckets"),
    h("p", { class: "quiet" }, "Card abstractions of hold'em: which hands are taken for one, on any board."),
    known.length ? [h("div", { class: "field" }, h("label", { for: "bucket-cards" }, "Card abstraction"), select), h("p", { class: "doing" }, h("button", { type: "submit", class: "see-buckets" }, "Look at it"))]
      : h("p", { class: "quiet" }, "None is built yet: \u201cpokerlab buckets build range-of-skill\u201d makes one."));
}

export async function bucketsPage(cards, recall, seed, board = "") {
  const asked = { cards: decodeURIComponent(cards), recall, seed, board };
  const [told, known] = await Promise.all([get(`/api/buckets/look?${new URLSearchParams(asked)}`), get("/api/buckets")]);
  const page = new Buckets(told, known).element;
  return (main) => { main.replaceChildren(page); };
}

class Buckets {
  constructor(told, known) {
    this.told = told; this.view = "bucket"; this.kind = null; this.bucket = null;
    this.rows = new Map(told.here.map((row, place) => [row.bucket, { ...row, place }]));
    this.kinds = {};  // of each kind of hand: which of `combos` are its
    told.combos.kind.forEach((kind, i) => (this.kinds[kind] = this.kinds[kind] || []).push(i));
    this.picture = h("div", { class: "picture" });
    this.says = h("p", { class: "quiet", "aria-live": "polite" });
    this.cell = h("section", { class: "panel breakdown", "aria-live": "polite" });
    this.views = Object.entries(VIEWS).map(([key, name]) => h("button", { type: "button", class: "size", "data-choice": key, onclick: () => { this.view = key; this.draw(); } }, name));
    this.list = this.listed();
    this.element = this.laid(known);
    this.break(Object.keys(this.kinds)[Object.keys(this.kinds).length - 1]);
    this.draw();
  }

  laid(known) {
    const told = this.told, to = (board) => address(told, board), count = Object.entries(told.buckets).map(([street, number]) => `${plain(number)} ${STREETS[street]}`).join(", ");
    const picker = new BoardPicker(() => { if (SIZES.includes(picker.cards.length)) location.hash = to(picker.cards.join("")); });
    picker.set(told.board);
    const before = SIZES.filter((size) => size < told.board.length / 2).map((size) => h("a", { href: to(told.board.slice(0, 2 * size)) }, size ? inline(told.board.slice(0, 2 * size), h) : "start"));
    return h("div", { class: "look buckets-page" },
      h("div", { class: "heading" }, h("h1", { title: `Buckets of ${titled(told)}` }, "Buckets"), known.length > 1 && h("p", { class: "doing" }, h("label", { for: "bucket-cards" }, "Card abstraction "), choice(known, told, "bucket-cards", (one) => { location.hash = address(one, told.board); }))),
      h("p", { class: "quiet" }, h("b", {}, told.cards), `, ${told.recall} recall, seed ${told.seed}: ${count}.`),
      told.board && h("nav", { class: "crumbs", "aria-label": "The board so far" }, before.flatMap((crumb) => [crumb, " \u203a "]), inline(told.board, h)),
      h("details", { class: "panel folds", open: !told.board }, h("summary", {}, "The board"), h("p", { class: "quiet" }, "None, three, four or five cards, in the order in which they come."), picker.element),
      h("section", { class: "panel" }, h("h2", {}, `${many(told.count, "bucket")} ${STREETS[told.street]}${told.here.length < told.count ? `, ${plain(told.here.length)} of them with hands here` : ""}`),
        h("div", { class: "decision" }, h("div", {}, h("div", { class: "choice", role: "group", "aria-label": "What the chart shows" }, this.views), this.picture, this.ramp(), this.says), h("div", { class: "aside" }, this.cell, this.list))));
  }

  ramp() {
    const here = this.told.here, last = here[here.length - 1];
    return h("p", { class: "ramp" }, strong(here[0].strength), h("span", { class: "colours", style: { background: `linear-gradient(90deg, ${Array.from({ length: 9 }, (_, i) => here[Math.round(i * (here.length - 1) / 8)].colour).join(", ")})` } }), strong(last.strength), h("span", { class: "quiet" }, "mean E[HS] of a bucket's hands here"));
  }

  shares(kind) {
    // The buckets of a kind's hands from weak to strong, each with how many are in it.
    const counts = new Map();
    for (const i of this.kinds[kind] || []) counts.set(this.told.combos.bucket[i], (counts.get(this.told.combos.bucket[i]) || 0) + 1);
    return [...counts].sort(([a], [b]) => this.rows.get(a).place - this.rows.get(b).place);
  }

  draw() {
    for (const button of this.views) button.setAttribute("aria-pressed", String(button.dataset.choice === this.view));
    const chosen = (kind) => { if (this.kinds[kind]) { this.break(kind, true); this.draw(); } };
    redraw(this.picture, this.view === "bucket" ? cells("The bucket of each hand", (kind, x, y) => this.coloured(kind, x, y), { chosen }) : this.strengths(chosen));
    for (const cell of this.picture.querySelectorAll("g[data-kind]")) cell.classList.toggle("chosen", cell.dataset.kind === this.kind);
    for (const button of this.element.querySelectorAll("button[data-bucket]")) button.setAttribute("aria-pressed", String(Number(button.dataset.bucket) === this.bucket));
    this.says.textContent = this.view === "strength" ? "The mean strength on the river of each kind of hand, against any hand." : this.bucket === null
      ? "A cell has the colours of its hands' buckets, and the number of the one with most of them." : this.sharing();
  }

  coloured(kind, x, y) {
    const shares = this.shares(kind), all = (this.kinds[kind] || []).length;
    if (!all) return { parts: [], said: `${kind}: on the board`, look: "none" };
    const [most] = shares.reduce((one, two) => (two[1] > one[1] ? two : one)), mine = (shares.find(([bucket]) => bucket === this.bucket) || [0, 0])[1];
    const parts = stripes(x, y, SIZE, SIZE, shares.map(([, count]) => count / all), shares.map(([bucket]) => this.rows.get(bucket).colour));
    if (this.bucket !== null) parts.forEach((part, i) => { if (part && shares[i][0] !== this.bucket) part.setAttribute("opacity", 0.1); });
    const note = this.bucket === null ? `${most}${shares.length > 1 ? `+${shares.length - 1}` : ""}` : mine ? (mine === all ? "all" : `${mine}/${all}`) : "";
    return { parts, note, look: this.bucket !== null && !mine ? "none" : "", said: `${kind}: ${shares.map(([bucket, count]) => `bucket ${bucket}${count < all ? ` (${count} of ${all})` : ""}`).join(", ")}` };
  }

  strengths(chosen) {
    const mean = (kind) => this.kinds[kind].reduce((sum, i) => sum + this.told.combos.strength[i], 0) / this.kinds[kind].length;
    const values = Object.fromEntries(Object.keys(this.kinds).map((kind) => [kind, mean(kind)]));
    return heat(values, "E[HS] of each hand", (kind) => strong(values[kind]), ["var(--colour-0)"], chosen);
  }

  sharing() {
    // Who is in the bucket that was chosen.
    const row = this.rows.get(this.bucket), kinds = Object.keys(this.kinds).filter((kind) => this.shares(kind).some(([bucket]) => bucket === this.bucket));
    const names = kinds.reverse().map((kind) => (this.shares(kind).length === 1 && this.kinds[kind].length === combos(kind) ? kind : `${kind} (${this.shares(kind).find(([bucket]) => bucket === this.bucket)[1]})`));
    return `Bucket ${row.bucket}: ${many(row.hands, "hand")} here, ${names.slice(0, 30).join(", ")}${names.length > 30 ? ` and ${names.length - 30} kinds more` : ""}.`;
  }

  choose(bucket) { this.bucket = this.bucket === bucket ? null : bucket; this.view = "bucket"; this.draw(); }

  button(bucket) {
    const row = this.rows.get(bucket);
    return h("button", { type: "button", class: "size one-bucket", "data-bucket": bucket, "aria-pressed": "false", title: "Who shares it?", onclick: () => this.choose(bucket) }, h("span", { class: "swatch", style: { background: row.colour } }), bucket);
  }

  break(kind, mark = false) {
    // Each hand of a kind, by its suits. Its bucket is marked, of several the one with most hands.
    this.kind = kind;
    const told = this.told.combos, rows = this.kinds[kind];
    if (mark) { this.bucket = this.shares(kind).reduce((one, two) => (two[1] > one[1] ? two : one))[0]; this.view = "bucket"; }
    this.cell.replaceChildren(h("h2", {}, `${kind}: ${many(rows.length, "hand")}`), h("table", { class: "combos" },
      h("thead", {}, h("tr", {}, ["Hand", "Bucket", ...(this.told.recall === "perfect" ? ["Path"] : []), "E[HS]"].map((name, i) => h("th", { scope: "col", class: i < 2 ? "name" : "" }, name)))),
      h("tbody", {}, rows.map((i) => h("tr", { "data-hand": told.hand[i] }, h("th", { class: "name", scope: "row" }, inline(told.hand[i], h)), h("td", { class: "name" }, this.button(told.bucket[i])),
        this.told.recall === "perfect" && h("td", {}, this.rows.get(told.bucket[i]).path.join(".")), h("td", {}, strong(told.strength[i])))))));
  }

  listed() {
    const names = ["Bucket", "Hands", "E[HS]", "Of all deals"];
    return h("section", { class: "panel" }, h("h2", {}, "From strong to weak"), h("div", { class: "wide long", tabindex: 0, role: "region", "aria-label": "The buckets with hands here" }, h("table", { class: "combos" },
      h("thead", {}, h("tr", {}, names.map((name, i) => h("th", { scope: "col", class: i ? "" : "name" }, name)))),
      h("tbody", {}, [...this.told.here].reverse().map((row) => h("tr", {}, h("td", { class: "name" }, this.button(row.bucket)), h("td", {}, row.hands), h("td", {}, strong(row.strength)), h("td", {}, percent(row.share))))))));
  }
}
