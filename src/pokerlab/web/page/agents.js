// Strategies of agents walked as spots are, small games as whole trees, and all-in or fold before the flop.
import { TITLES, h, many, plain, signed } from "./dom.js";
import { get } from "./api.js";
import { inline, spoken } from "./cards.js";
import { bars, chart, heat, legend, percent, strip, swatch } from "./grid.js";
import { crumbs } from "./look.js";
import { deck } from "./picker.js";

const STREETS = ["before the flop", "on the flop", "on the turn", "on the river"];
const address = (game, agent) => (line) => `#/agent/${game}/${encodeURIComponent(agent)}/${line.map(encodeURIComponent).join(",")}`;
const small = (game) => !game.startsWith("holdem");

export function chooser(games, buckets) {
  // A game, an agent and where to look; card abstractions; a stack.
  const game = h("select", { id: "agent-game", onchange: () => choose() }, games.map((one) => h("option", { value: one.game }, TITLES[one.game] || one.game)));
  const agent = h("input", { id: "agent-spec", list: "agent-specs", maxlength: 300, spellcheck: "false", autocomplete: "off" }), specs = h("datalist", { id: "agent-specs" });
  const tree = h("a", { class: "tree", href: "#/" }, "as a whole tree"), stack = h("input", { id: "jam-stack", type: "number", min: 1.1, max: 100, step: 0.1, value: 10, inputmode: "decimal" });
  function choose() {
    const known = games.find((one) => one.game === game.value), all = [...known.files, ...known.agents];
    specs.replaceChildren(...all.map((spec) => h("option", { value: spec })));
    agent.value = all.includes(agent.value) ? agent.value : all[0];
    tree.hidden = !small(game.value);
  }
  choose();
  tree.addEventListener("click", (event) => { event.preventDefault(); location.hash = `#/tree/${game.value}/${encodeURIComponent(agent.value)}`; });
  return [
    h("form", { class: "panel whole", onsubmit: (event) => { event.preventDefault(); location.hash = address(game.value, agent.value)([]); } }, h("h2", {}, "Strategies of agents"),
      h("p", { class: "quiet" }, "Blueprints, strategies, case bases: what is done with every hand after any betting."),
      h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "agent-game" }, "Game"), game), h("div", { class: "field" }, h("label", { for: "agent-spec" }, "Agent"), agent, specs)),
      h("p", { class: "doing" }, h("button", { type: "submit", class: "walk-agent" }, "Walk it"), tree)),
    buckets, h("form", { class: "panel", onsubmit: (event) => { event.preventDefault(); location.hash = `#/jamfold/${stack.value}`; } }, h("h2", {}, "All-in or fold"), h("p", { class: "quiet" }, "Before the flop, two players with as many big blinds."),
      h("div", { class: "field" }, h("label", { for: "jam-stack" }, "Big blinds"), stack), h("p", { class: "doing" }, h("button", { type: "submit", class: "jam" }, "Charts")))];
}

export async function agentPage(game, spec, line) {
  const agent = decodeURIComponent(spec), words = (line || "").split(",").filter(Boolean).map(decodeURIComponent), to = address(game, agent);
  const told = await get(`/api/agents/look?${new URLSearchParams({ game, agent, line: words.join(", ") })}`);
  const body = told.kind === "decision" ? decision(game, words, told, to) : told.kind === "deal" ? deal(told, (cards) => to([...words, cards]))
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  const page = h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, agent), small(game) && h("a", { href: `#/tree/${game}/${encodeURIComponent(agent)}` }, "as a whole tree")), h("p", { class: "quiet" }, `${TITLES[game] || game}, the agent in all seats`),
    told.board && h("p", { class: "board-line" }, inline(told.board, h)), crumbs(words, to, told.said), body);
  return (main) => { main.replaceChildren(page); };
}

function heading(game, told) { return `Player ${told.seat + 1} ${small(game) ? `in round ${told.round + 1}` : STREETS[told.round]}, pot ${plain(told.pot)}`; }

function decision(game, words, told, to) {
  const cell = h("section", { class: "panel breakdown", "aria-live": "polite" }), about = "What is done with each hand";
  const show = (kind) => {
    const rows = told.combos.kind.flatMap((one, i) => (one === kind ? [i] : []));
    for (const one of picture.querySelectorAll("g[data-kind]")) one.classList.toggle("chosen", one.dataset.kind === kind);
    cell.replaceChildren(h("h2", {}, `${kind}: ${many(rows.length, "hand")}`), h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `The hands of ${kind}` }, h("table", { class: "combos" },
      h("thead", {}, h("tr", {}, h("th", { class: "name", scope: "col" }, "Hand"), h("th", { class: "name", scope: "col" }, "Does"), told.actions.map((action) => h("th", { scope: "col" }, action)))),
      h("tbody", {}, rows.map((i) => h("tr", { "data-hand": told.combos.hand[i] }, h("th", { class: "name", scope: "row" }, inline(told.combos.hand[i], h)), h("td", { class: "name does" }, strip(told.combos.odds[i], told.actions, told.colours)),
        told.combos.odds[i].map((part) => h("td", {}, percent(part)))))))));
  };
  const picture = small(game) ? bars(told.kinds, told.actions, told.colours, about) : chart(told.kinds, told.actions, told.colours, about, (kind) => { if (told.kinds[kind]) show(kind); });
  show(Object.keys(told.kinds).sort((a, b) => told.kinds[b].share - told.kinds[a].share)[0]);
  return h("section", { class: "panel" }, h("h2", {}, heading(game, told)), !told.reached && h("p", { class: "quiet" }, "It never comes here by its own play; all hands are shown as likely as each other."),
    h("div", { class: "moves" }, told.codes.map((code, i) => h("a", { class: "move", href: to([...words, code]) }, swatch(told.actions, told.colours, i), told.actions[i], h("small", {}, percent(told.often[i]))))),
    small(game) ? picture
      : h("div", { class: "decision" }, h("div", {}, picture, legend(told.actions, told.colours, told.often)), h("div", { class: "aside" }, cell)));
}

function deal(told, to) {
  const chosen = [];
  if (told.cards.some((card) => !"shdc".includes(card[1])) || told.cards.length < 20) // a small deck
    return h("section", { class: "panel" }, h("h2", {}, "Which card comes?"), h("div", { class: "moves" }, told.cards.map((card) => h("a", { class: "move", href: to(card), "data-card": card }, card))));
  return h("section", { class: "panel" }, h("h2", {}, told.count === 1 ? "Which card comes?" : `Which ${told.count} cards come?`), deck((card) => {
    if (!told.cards.includes(card)) return h("span", { class: "gone", "aria-hidden": "true" }, inline(card, h));
    const button = h("button", { type: "button", "data-card": card, "aria-label": spoken(card), "aria-pressed": "false", onclick: () => {
      const at = chosen.indexOf(card);
      if (at >= 0) chosen.splice(at, 1); else chosen.push(card);
      button.setAttribute("aria-pressed", String(at < 0));
      if (chosen.length === told.count) location.hash = to(chosen.join(""));
    } }, inline(card, h));
    return button;
  }));
}

export async function treePage(game, spec) {
  const agent = decodeURIComponent(spec), told = await get(`/api/agents/tree?${new URLSearchParams({ game, agent })}`);
  const page = h("div", { class: "look" }, h("h1", {}, agent), h("p", { class: "quiet" }, `${TITLES[game] || game} as a whole: a bar a hand that may be held, as wide as each action is likely.`), h("ul", { class: "tree-list" }, node(game, told, "start", 0)));
  return (main) => { main.replaceChildren(page); };
}

function node(game, told, word, depth) {
  const inner = Object.entries(told.then);
  if (told.kind === "end") return h("li", { class: "leaf" }, h("b", {}, word), h("span", { class: "quiet" }, ` ${told.how}, pot ${plain(told.pot)}`));
  const say = told.kind === "deal" ? "a card comes" : `${heading(game, told)}${told.reached ? "" : " (never reached)"}`;
  return h("li", {}, h("details", { open: depth < 3 }, h("summary", {}, h("b", {}, word), h("span", { class: "quiet" }, ` ${say}`)),
    told.kind === "decision" && h("div", { class: "tree-node" }, legend(told.actions, told.colours, told.often), bars(told.kinds, told.actions, told.colours, say)),
    h("ul", { class: "tree-list" }, inner.map(([code, after], i) => node(game, after, told.kind === "deal" ? code[0] : told.actions[i], depth + 1)))));
}

export async function jamPage(stack) {
  const told = await get(`/api/jamfold?${new URLSearchParams({ stack: stack || 10 })}`);
  const one = (key, title, share) => h("section", { class: "panel", "data-chart": key }, h("h2", {}, `${title}: ${percent(share)}`), heat(told[key], title, (kind) => percent(told[key][kind]), ["var(--colour-0)"]));
  const field = h("input", { id: "jam-stack", type: "number", min: 1.1, max: 100, step: 0.1, value: told.stack, inputmode: "decimal", onchange: () => { location.hash = `#/jamfold/${field.value}`; } });
  const page = h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, "All-in or fold before the flop"), h("p", { class: "doing" }, h("label", { for: "jam-stack" }, "Big blinds "), field)),
    h("p", {}, `Worth ${signed(told.value, 4)} big blinds a hand to the small blind; solved exactly.`),
    h("div", { class: "make-columns" }, one("jam", "The small blind jams", told.jam_share), one("call", "The big blind calls", told.call_share)));
  return (main) => { main.replaceChildren(page); };
}
