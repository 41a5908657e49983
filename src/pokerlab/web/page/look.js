// Solved spots: a line is walked action by action and card by card, with what is done with each kind of hand.
import { h, plain } from "./dom.js";
import { chooser } from "./agents.js";
import { get } from "./api.js";
import { bucketChooser } from "./buckets.js";
import { inline, spoken } from "./cards.js";
import { Decision, PLAYERS } from "./decision.js";
import { legend, mix, strip, swatch } from "./grid.js";
import { deck } from "./picker.js";
import { Solving } from "./solves.js";

const address = (file) => (line) => `#/look/${encodeURIComponent(file)}/${line.map(encodeURIComponent).join(",")}`;
const label = (one) => `pot ${plain(one.pot)}${one.exploitability === null ? "" : `, ${Number(one.exploitability.toPrecision(2))} % exploitable`}`;
export const nameOf = (file) => file.replace(/\.solution$/, "");

export async function lookPage(file, line) {
  if (!file) return shelf();
  const page = await spot(decodeURIComponent(file), (line || "").split(",").filter(Boolean).map(decodeURIComponent));
  return (main) => { main.replaceChildren(page); };
}

async function shelf() {
  const [files, solves, games, buckets] = await Promise.all([get("/api/spots"), get("/api/solves"), get("/api/games"), get("/api/buckets")]);
  const list = h("div", {}), show = (all) => list.replaceChildren(all.length
    ? h("ul", { class: "tables" }, all.map((one) => h("li", {}, h("a", { class: "panel", href: address(one.file)([]) }, h("b", {}, nameOf(one.file)), one.board && h("span", {}, inline(one.board, h)), one.pot !== null && h("small", { class: "quiet" }, label(one))))))
    : h("p", { class: "quiet" }, "There are none yet in the folder where the server was started. Make one here; or \u201cpokerlab spot FILE.toml\u201d solves one and keeps it as FILE.solution."));
  show(files);
  return (main) => {
    const solving = new Solving(solves, async () => show(await get("/api/spots")));
    main.replaceChildren(h("div", { class: "lobby" }, h("div", { class: "heading" }, h("h1", {}, "Spots"), h("a", { class: "button make-one", href: "#/make" }, "Make a spot")),
      solving.element, h("section", {}, h("h2", {}, "Solved"), list), h("div", { class: "choosers" }, chooser(games, bucketChooser(buckets)))));
    return () => solving.close();
  };
}

export function crumbs(line, to, said = line) {
  const all = [h("a", { href: to([]) }, "start"), ...said.map((word, i) => h("a", { href: to(line.slice(0, i + 1)) }, word))];
  return h("nav", { class: "crumbs", "aria-label": "The line so far" }, all.flatMap((crumb, i) => (i ? [" \u203a ", crumb] : [crumb])));
}

async function spot(file, line) {
  const [told, files] = await Promise.all([get(`/api/spots/look?${new URLSearchParams({ file, line: line.join(", ") })}`), get("/api/spots")]), to = address(file);
  const body = told.kind === "decision" ? decision(file, line, told) : told.kind === "deal" ? runouts(file, line, told, (card) => to([...line, card]))
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  const others = files.map((one) => one.file).filter((one) => one !== file);
  const beside = h("select", { id: "beside", onchange: () => { if (beside.value) location.hash = `#/compare/${encodeURIComponent(file)}/${encodeURIComponent(beside.value)}/${line.map(encodeURIComponent).join(",")}`; } },
    h("option", { value: "" }, "another spot \u2026"), others.map((one) => h("option", { value: one }, nameOf(one))));
  return h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, nameOf(file)), h("p", { class: "doing" }, others.length > 0 && h("label", { for: "beside" }, "Compare with "), others.length > 0 && beside, h("a", { href: `#/make/file/${encodeURIComponent(file)}` }, "Change the spot"))),
    h("p", { class: "board-line" }, inline(told.board, h)), crumbs(line, to), body);
}

function decision(file, line, told) {
  const node = told.node, to = address(file), shown = new Decision(file, line, told);
  return h("section", { class: "panel" },
    h("div", { class: "heading" }, h("h2", {}, `${PLAYERS[node.player]} to act, pot ${plain(node.pot)}`), h("button", { type: "button", class: "plain lock", onclick: () => shown.lock() }, "Lock this decision")),
    !node.reached && h("p", { class: "quiet" }, "Nobody comes here as the solution plays; a dash: not known."),
    h("div", { class: "moves" }, node.actions.map((action, i) =>
      h("a", { class: "move", href: to([...line, action]) }, swatch(node.actions, told.colours, i), action, h("small", {}, !node.reached ? "\u2013" : `${(100 * node.frequencies[i]).toFixed(1)} %`)))),
    shown.element);
}

function runouts(file, line, told, to) {
  // The cards that may come; once they are known, with what is done after each, and what it is worth.
  const page = deal(told, to), place = h("p", { class: "quiet", role: "status" }, "Every card is being looked at \u2026");
  page.append(place);
  get(`/api/spots/runouts?${new URLSearchParams({ file, line: line.join(", ") })}`).then((all) => {
    const { actions, colours, player, mean } = all, value = (row) => (row[`ev ${player}`] === null ? "\u2013" : row[`ev ${player}`].toFixed(1));
    for (const row of all.cards) {
      const cell = page.querySelector(`[data-card="${row.card}"]`), odds = actions.map((action) => row[action] || 0);
      cell.append(strip(odds, actions, colours), h("small", {}, value(row)));
      cell.setAttribute("aria-label", `${spoken(row.card)}: ${mix(actions, odds)}; worth ${value(row)} chips`);
      cell.title = `${mix(actions, odds)}; ${value(row)} chips`;
    }
    page.querySelector(".deck").classList.add("told");
    place.replaceWith(h("div", { class: "runouts" }, h("p", {}, `What ${PLAYERS[player].toLowerCase()} does after each card, and the chips that it expects then.`), legend(actions, colours, mean.frequencies)));
  }).catch((error) => { place.textContent = error.message; });
  return page;
}

export function deal(told, to) {
  return h("section", { class: "panel" }, h("h2", {}, "Which card comes?"), deck((card) => (told.cards.includes(card)
    ? h("a", { href: to(card), "data-card": card, "aria-label": spoken(card) }, inline(card, h)) : h("span", { class: "gone", "aria-hidden": "true" }, inline(card, h)))));
}
