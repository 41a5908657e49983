// Where one sits down: a game, opponents by their specs, a name; and the tables that there are.
import { TITLES, aHand, h, many, notice, signed } from "./dom.js";
import { get, post } from "./api.js";
import { Trainings } from "./training.js";

const kept = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private browsing */ } };
const known = (key, otherwise) => { try { return localStorage.getItem(key) || otherwise; } catch { return otherwise; } };

export async function lobbyPage() {
  const [games, tables] = await Promise.all([get("/api/games"), get("/api/tables")]);
  let chosen = games.find((game) => game.game === known("game", "holdem-limit")) || games[0];
  const name = h("input", { id: "player", maxlength: 40, autocomplete: "nickname", value: known("player", "you") });
  const opponents = h("div", { class: "opponents" });
  const trainings = new Trainings(async () => {
    const fresh = await get("/api/games");
    games.forEach((game, i) => Object.assign(game, fresh[i]));
    choose(chosen, fields.map((field) => field.value));
  });
  const cards = games.map((game) => h("label", { class: "game" },
    h("input", { type: "radio", name: "game", value: game.game, checked: game === chosen, onchange: () => choose(game) }),
    h("b", {}, TITLES[game.game] || game.game), h("span", { class: "quiet" }, game.about)));
  const fields = [];

  function choose(game, typed = []) {
    chosen = game;
    fields.length = 0;
    opponents.replaceChildren(
      h("datalist", { id: "agents" }, [...game.agents, ...game.files].map((spec) => h("option", { value: spec }))),
      ...Array.from({ length: game.players - 1 }, (_, i) => {
        const field = h("input", { id: `agent-${i}`, list: "agents", maxlength: 300, spellcheck: "false", autocomplete: "off", value: typed[i] || known(`agent-${game.game}-${i}`, game.agents[0]) });
        fields.push(field);
        return h("div", { class: "field" }, h("label", { for: `agent-${i}` }, game.players > 2 ? `Opponent ${i + 1}` : "Opponent"), field,
          h("div", { class: "suggested" }, [...game.agents, ...game.files].slice(0, 12).map((spec) =>
            h("button", { type: "button", class: "size", onclick: () => { field.value = spec; } }, spec))));
      }));
    trainings.show(game);
  }

  async function sit(event) {
    event.preventDefault();
    const agents = fields.map((field) => field.value.trim());
    button.disabled = true;
    try {
      const state = await post("/api/tables", { game: chosen.game, agents, player: name.value });
      kept("game", chosen.game); kept("player", name.value);
      agents.forEach((spec, i) => kept(`agent-${chosen.game}-${i}`, spec));
      location.hash = `#/table/${state.table}`;
    } catch (error) { notice(error.message); }
    button.disabled = false;
  }

  const button = h("button", { class: "sit", type: "submit" }, "Sit down");
  choose(chosen);
  const page = h("div", { class: "lobby" },
    h("h1", {}, "Take a seat"),
    h("form", { class: "panel", onsubmit: sit },
      h("fieldset", { class: "games" }, h("legend", {}, "Game"), cards), opponents, trainings.element,
      h("div", { class: "field" }, h("label", { for: "player" }, "Your name"), name), button),
    tables.length > 0 && h("section", {}, h("h2", {}, "Your tables"),
      h("ul", { class: "tables" }, tables.map((table) => h("li", {}, h("a", { href: `#/table/${table.table}`, class: "panel" },
        h("b", {}, TITLES[table.game] || table.game), h("span", { class: "quiet" }, `against ${table.agents.join(" and ")}`),
        h("span", { class: `won ${table.bankroll.chips < 0 ? "loss" : table.bankroll.chips > 0 ? "gain" : ""}` }, `${signed(table.bankroll.chips)} chips`),
        h("span", { class: "quiet" }, `${many(table.bankroll.hands, "hand")}, ${aHand(table.bankroll)}`)))))));
  return (main) => { main.replaceChildren(page); trainings.watch(); return () => trainings.close(); };
}
