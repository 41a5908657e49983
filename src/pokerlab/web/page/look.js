// Solved spots: a line is walked action by action and card by card, with what is done with each kind of hand.
import { h, plain } from "./dom.js";
import { get } from "./api.js";
import { inline } from "./cards.js";
import { chart, legend } from "./grid.js";

const RANKS = "AKQJT98765432", PLAYERS = { oop: "Out of position", ip: "In position" };
const address = (file, line) => `#/look/${encodeURIComponent(file)}/${line.map(encodeURIComponent).join(",")}`;

export async function lookPage(file, line) {
  const page = file ? await spot(decodeURIComponent(file), (line || "").split(",").filter(Boolean).map(decodeURIComponent)) : await shelf();
  return (main) => { main.replaceChildren(page); };
}

async function shelf() {
  const files = await get("/api/spots");
  return h("div", { class: "lobby" }, h("h1", {}, "Solved spots"),
    files.length ? h("ul", { class: "tables" }, files.map((file) => h("li", {}, h("a", { class: "panel", href: address(file, []) }, h("b", {}, file)))))
      : h("p", { class: "quiet" }, "There are none in the folder where the server was started. \u201cpokerlab spot FILE.toml\u201d solves one and keeps it as FILE.solution."));
}

async function spot(file, line) {
  const told = await get(`/api/spots/look?${new URLSearchParams({ file, line: line.join(", ") })}`);
  const crumbs = [h("a", { href: address(file, []) }, "start"), ...line.map((word, i) => h("a", { href: address(file, line.slice(0, i + 1)) }, word))];
  const body = told.kind === "decision" ? decision(file, line, told) : told.kind === "deal" ? deal(file, line, told)
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  return h("div", { class: "look" }, h("h1", {}, file), h("p", { class: "board-line" }, inline(told.board, h)),
    h("nav", { class: "crumbs", "aria-label": "The line so far" }, crumbs.flatMap((crumb, i) => (i ? [" \u203a ", crumb] : [crumb]))), body);
}

function decision(file, line, told) {
  const node = told.node, who = PLAYERS[node.player] || node.player;
  return h("section", { class: "panel" },
    h("h2", {}, `${who} to act, pot ${plain(node.pot)}`),
    h("div", { class: "moves" }, node.actions.map((action, i) =>
      h("a", { class: "move", href: address(file, [...line, action]), style: { background: told.colours[i] } }, action, h("small", {}, `${(100 * node.frequencies[i]).toFixed(1)} %`)))),
    chart(node.hands, node.actions, told.colours, `What ${who} does with each hand`), legend(node.actions, told.colours, node.frequencies));
}

function deal(file, line, told) {
  return h("section", { class: "panel" }, h("h2", {}, "Which card comes?"),
    h("div", { class: "deck" }, [..."shdc"].map((suit) => h("div", {}, [...RANKS].map((rank) => {
      const card = rank + suit;
      return told.cards.includes(card) ? h("a", { href: address(file, [...line, card]), "data-card": card }, inline(card, h)) : h("span", { class: "gone" }, inline(card, h));
    })))));
}
