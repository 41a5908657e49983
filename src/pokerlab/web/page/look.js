// Solved spots: a line is walked action by action and card by card, with what is done with each kind of hand.
import { h, plain } from "./dom.js";
import { get } from "./api.js";
import { inline, spoken } from "./cards.js";
import { Decision, PLAYERS } from "./decision.js";
import { swatch } from "./grid.js";
import { deck } from "./picker.js";
import { Solving } from "./solves.js";

const address = (file) => (line) => `#/look/${encodeURIComponent(file)}/${line.map(encodeURIComponent).join(",")}`;
export const nameOf = (file) => file.replace(/\.solution$/, "");

export async function lookPage(file, line) {
  if (!file) return shelf();
  const page = await spot(decodeURIComponent(file), (line || "").split(",").filter(Boolean).map(decodeURIComponent));
  return (main) => { main.replaceChildren(page); };
}

async function shelf() {
  const [files, solves] = await Promise.all([get("/api/spots"), get("/api/solves")]);
  const list = h("div", {}), show = (all) => list.replaceChildren(all.length
    ? h("ul", { class: "tables" }, all.map((file) => h("li", {}, h("a", { class: "panel", href: address(file)([]) }, h("b", {}, nameOf(file))))))
    : h("p", { class: "quiet" }, "There are none yet in the folder where the server was started. Make one here; or \u201cpokerlab spot FILE.toml\u201d solves one and keeps it as FILE.solution."));
  show(files);
  return (main) => {
    const solving = new Solving(solves, async () => show(await get("/api/spots")));
    main.replaceChildren(h("div", { class: "lobby" }, h("div", { class: "heading" }, h("h1", {}, "Spots"), h("a", { class: "button make-one", href: "#/make" }, "Make a spot")),
      solving.element, h("section", {}, h("h2", {}, "Solved"), list)));
    return () => solving.close();
  };
}

export function crumbs(line, to) {
  const all = [h("a", { href: to([]) }, "start"), ...line.map((word, i) => h("a", { href: to(line.slice(0, i + 1)) }, word))];
  return h("nav", { class: "crumbs", "aria-label": "The line so far" }, all.flatMap((crumb, i) => (i ? [" \u203a ", crumb] : [crumb])));
}

async function spot(file, line) {
  const [told, files] = await Promise.all([get(`/api/spots/look?${new URLSearchParams({ file, line: line.join(", ") })}`), get("/api/spots")]), to = address(file);
  const body = told.kind === "decision" ? decision(file, line, told) : told.kind === "deal" ? deal(told, (card) => to([...line, card]))
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  const others = files.filter((one) => one !== file);
  const beside = h("select", { id: "beside", onchange: () => { if (beside.value) location.hash = `#/compare/${encodeURIComponent(file)}/${encodeURIComponent(beside.value)}/${line.map(encodeURIComponent).join(",")}`; } },
    h("option", { value: "" }, "another spot \u2026"), others.map((one) => h("option", { value: one }, nameOf(one))));
  return h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, nameOf(file)), h("p", { class: "doing" }, others.length > 0 && h("label", { for: "beside" }, "Compare with "), others.length > 0 && beside, h("a", { href: `#/make/file/${encodeURIComponent(file)}` }, "Change the spot"))),
    h("p", { class: "board-line" }, inline(told.board, h)), crumbs(line, to), body);
}

function decision(file, line, told) {
  const node = told.node, to = address(file), shown = new Decision(file, line, told);
  return h("section", { class: "panel" },
    h("div", { class: "heading" }, h("h2", {}, `${PLAYERS[node.player]} to act, pot ${plain(node.pot)}`), h("button", { type: "button", class: "plain lock", onclick: () => shown.lock() }, "Lock this decision")),
    h("div", { class: "moves" }, node.actions.map((action, i) =>
      h("a", { class: "move", href: to([...line, action]) }, swatch(node.actions, told.colours, i), action, h("small", {}, `${(100 * node.frequencies[i]).toFixed(1)} %`)))),
    shown.element);
}

export function deal(told, to) {
  return h("section", { class: "panel" }, h("h2", {}, "Which card comes?"), deck((card) => (told.cards.includes(card)
    ? h("a", { href: to(card), "data-card": card, "aria-label": spoken(card) }, inline(card, h)) : h("span", { class: "gone", "aria-hidden": "true" }, inline(card, h)))));
}
