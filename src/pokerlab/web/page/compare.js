// Two solved spots side by side: at each decision a chart of what changes, and the hands that change most.
import { h, signed } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";
import { heat, percent, swatch } from "./grid.js";
import { PLAYERS } from "./decision.js";
import { crumbs, deal, nameOf } from "./look.js";

const NAMES = { strategy: "Moved", ev: "EV", equity: "Equity", range: "Range" };
const address = (before, after) => (line) => `#/compare/${encodeURIComponent(before)}/${encodeURIComponent(after)}/${line.map(encodeURIComponent).join(",")}`;

export async function comparePage(first, second, line) {
  const [before, after] = [first, second].map(decodeURIComponent), words = (line || "").split(",").filter(Boolean).map(decodeURIComponent);
  const told = await get(`/api/spots/compare?${new URLSearchParams({ before, after, line: words.join(", ") })}`), to = address(before, after);
  const body = told.kind === "decision" ? changes(told, words, to) : told.kind === "deal" ? deal(told, (card) => to([...words, card]))
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  const page = h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, `${nameOf(before)} \u2192 ${nameOf(after)}`), h("a", { href: to(words).replace(/^#\/compare\/([^/]*)\/([^/]*)/, "#/compare/$2/$1") }, "the other way round")),
    h("p", { class: "board-line" }, inline(told.board, h)), crumbs(words, to), body);
  return (main) => { main.replaceChildren(page); };
}

function changes(told, words, to) {
  const actions = Object.keys(told.frequencies), common = actions.filter((action) => told.changes[action]), views = [...Object.keys(NAMES), ...common];
  const picture = h("div", { class: "picture" }), says = h("p", { class: "quiet" }), inChips = (view) => view === "ev";
  const buttons = views.map((view) => h("button", { type: "button", class: "size", "data-choice": view, onclick: () => show(view) }, NAMES[view] || view));
  function show(view) {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.choice === view)));
    const values = told.changes[view], most = Math.max(1e-9, ...Object.values(values).map(Math.abs)), full = inChips(view) || view === "range" ? most : 100;
    const words = (kind) => `${view === "strategy" ? values[kind].toFixed(1) : signed(values[kind], 1)}${inChips(view) ? " chips" : " %"}`;
    says.textContent = `${view === "strategy" ? "How much of such hands' play goes to another action" : view === "ev" ? "Change of what such hands expect" : view === "equity" ? "Change of such hands' equity" : view === "range" ? "Change of how much of the range such hands are" : `Change of how often such hands ${view}`}; most: ${most.toFixed(1)}${inChips(view) ? " chips" : " %"}. Blue is more, red is less.`;
    picture.replaceChildren(heat(Object.fromEntries(Object.entries(values).map(([kind, value]) => [kind, value / full])), `${NAMES[view] || view}: what changes with each hand`, words, ["var(--colour-0)", "var(--colour-1)"]));
  }
  show("strategy");
  const hands = told.hands, rows = hands.hand.slice(0, 12).map((_, i) => i);
  return h("section", { class: "panel" }, h("h2", {}, `${PLAYERS[told.player]} to act`),
    h("div", { class: "moves" }, common.map((action) => h("a", { class: "move", href: to([...words, action]) }, swatch(actions, actions.map((one) => told.colours[one]), actions.indexOf(action)), action,
      h("small", {}, `${percent(told.frequencies[action].before)} \u2192 ${percent(told.frequencies[action].after)}`)))),
    h("div", { class: "decision" }, h("div", {}, h("div", { class: "choice", role: "group", "aria-label": "What the chart shows" }, buttons), picture, says),
      h("div", { class: "aside" }, h("section", { class: "panel" }, h("h2", {}, "Hands that change most, in %"), h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Hands that change most" }, h("table", { class: "combos" },
        h("thead", {}, h("tr", {}, h("th", { class: "name", scope: "col" }, "Hand"), h("th", { scope: "col" }, "Moved"), h("th", { scope: "col" }, "EV"), common.map((action) => h("th", { scope: "col" }, action)))),
        h("tbody", {}, rows.map((i) => h("tr", {}, h("th", { class: "name", scope: "row" }, inline(hands.hand[i], h)), h("td", {}, percent(hands.moved[i])), h("td", {}, hands["ev change"][i] === null ? "\u2013" : signed(hands["ev change"][i], 1)),
          common.map((action) => h("td", {}, [`${action} before`, `${action} after`].map((when) => (100 * hands[when][i]).toFixed(0)).join(" \u2192 "))))))))))));
}
