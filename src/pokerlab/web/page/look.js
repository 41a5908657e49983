// Solved spots: a line is walked action by action and card by card, with what is done with each kind of hand.
import { h, plain } from "./dom.js";
import { get } from "./api.js";
import { inline, spoken } from "./cards.js";
import { chart, legend, swatch } from "./grid.js";
import { deck } from "./picker.js";
import { Solving } from "./solves.js";

const PLAYERS = { oop: "Out of position", ip: "In position" };
const address = (file, line) => `#/look/${encodeURIComponent(file)}/${line.map(encodeURIComponent).join(",")}`;

export async function lookPage(file, line) {
  if (!file) return shelf();
  const page = await spot(decodeURIComponent(file), (line || "").split(",").filter(Boolean).map(decodeURIComponent));
  return (main) => { main.replaceChildren(page); };
}

async function shelf() {
  const [files, solves] = await Promise.all([get("/api/spots"), get("/api/solves")]);
  const list = h("div", {}), show = (all) => list.replaceChildren(all.length
    ? h("ul", { class: "tables" }, all.map((file) => h("li", {}, h("a", { class: "panel", href: address(file, []) }, h("b", {}, file.replace(/\.solution$/, ""))))))
    : h("p", { class: "quiet" }, "There are none yet in the folder where the server was started. Make one here; or \u201cpokerlab spot FILE.toml\u201d solves one and keeps it as FILE.solution."));
  show(files);
  return (main) => {
    const solving = new Solving(solves, async () => show(await get("/api/spots")));
    main.replaceChildren(h("div", { class: "lobby" }, h("div", { class: "heading" }, h("h1", {}, "Spots"), h("a", { class: "button make-one", href: "#/make" }, "Make a spot")),
      solving.element, h("section", {}, h("h2", {}, "Solved"), list)));
    return () => solving.close();
  };
}

async function spot(file, line) {
  const told = await get(`/api/spots/look?${new URLSearchParams({ file, line: line.join(", ") })}`);
  const crumbs = [h("a", { href: address(file, []) }, "start"), ...line.map((word, i) => h("a", { href: address(file, line.slice(0, i + 1)) }, word))];
  const body = told.kind === "decision" ? decision(file, line, told) : told.kind === "deal" ? deal(file, line, told)
    : h("p", {}, told.how === "fold" ? "The hand ends by a fold." : "The hand goes to a showdown.");
  return h("div", { class: "look" }, h("div", { class: "heading" }, h("h1", {}, file.replace(/\.solution$/, "")), h("a", { href: `#/make/file/${encodeURIComponent(file)}` }, "Change the spot")), h("p", { class: "board-line" }, inline(told.board, h)),
    h("nav", { class: "crumbs", "aria-label": "The line so far" }, crumbs.flatMap((crumb, i) => (i ? [" \u203a ", crumb] : [crumb]))), body);
}

function decision(file, line, told) {
  const node = told.node, who = PLAYERS[node.player] || node.player;
  return h("section", { class: "panel" },
    h("h2", {}, `${who} to act, pot ${plain(node.pot)}`),
    h("div", { class: "moves" }, node.actions.map((action, i) =>
      h("a", { class: "move", href: address(file, [...line, action]) }, swatch(node.actions, told.colours, i), action, h("small", {}, `${(100 * node.frequencies[i]).toFixed(1)} %`)))),
    chart(node.hands, node.actions, told.colours, `What ${who} does with each hand`), legend(node.actions, told.colours, node.frequencies));
}

function deal(file, line, told) {
  return h("section", { class: "panel" }, h("h2", {}, "Which card comes?"), deck((card) => (told.cards.includes(card)
    ? h("a", { href: address(file, [...line, card]), "data-card": card, "aria-label": spoken(card) }, inline(card, h)) : h("span", { class: "gone", "aria-hidden": "true" }, inline(card, h)))));
}
