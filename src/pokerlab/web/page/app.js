// The places of the page by the address behind #, and settings that are kept.
import { h } from "./dom.js";
import { agentPage, jamPage, treePage } from "./agents.js";
import { bucketsPage } from "./buckets.js";
import { comparePage } from "./compare.js";
import { lobbyPage } from "./lobby.js";
import { lookPage } from "./look.js";
import { makePage } from "./make.js";
import { reportsPage } from "./reports.js";
import { solvePage } from "./solves.js";
import { tablePage } from "./table.js";

const main = document.getElementById("main"), motion = document.getElementById("motion");
const PLACES = {  // by the first word of an address: who shows it, and under which link of the head
  "": [lobbyPage, "play"], table: [tablePage, "play"], look: [lookPage, "look"], make: [makePage, "look"], solve: [solvePage, "look"],
  compare: [comparePage, "look"], agent: [agentPage, "look"], tree: [treePage, "look"], jamfold: [jamPage, "look"],
  buckets: [bucketsPage, "look"], reports: [reportsPage, "reports"],
};
let leave = null, turn = 0, here = null;

async function go() {
  if (leave) leave();
  leave = null;
  main.setAttribute("aria-busy", true);
  const mine = (turn += 1), [, place, ...about] = location.hash.split("/");
  const [open, group] = PLACES[Object.hasOwn(PLACES, place) ? place : ""];
  for (const link of document.querySelectorAll("nav [data-place]")) link.classList.toggle("here", link.dataset.place === group);
  try {
    const show = await open(...about);
    if (mine !== turn) return;  // somebody has gone on while this page was being read
    main.setAttribute("aria-busy", false);
    leave = show(main);
    entitle();
    if (here !== open) window.scrollTo(0, 0);  // another place; within one, what is looked at stays where it is
    here = open;
  } catch (error) {
    if (mine !== turn) return;
    main.setAttribute("aria-busy", false);
    main.replaceChildren(h("h1", {}, "Nothing to see here"), h("p", { class: "problem", role: "alert" }, error.message), h("p", {}, h("a", { href: "#/" }, "To the tables")));
    entitle();
  }
}

function entitle() {
  // Tabs are told apart by the heading, or by what it is short for.
  const heading = main.querySelector("h1");
  document.title = `${heading.title || heading.textContent} \u00b7 pokerlab`;
}

function still() {
  document.body.classList.toggle("still", !motion.checked);
  try { localStorage.setItem("motion", motion.checked ? "on" : "off"); } catch { /* private browsing */ }
}

let wanted = null;
try { wanted = localStorage.getItem("motion"); } catch { /* private browsing */ }
motion.checked = wanted ? wanted === "on" : !matchMedia("(prefers-reduced-motion: reduce)").matches;
motion.addEventListener("change", still);
still();
if (!location.hash) history.replaceState(null, "", "#/");  // one address for the lobby, so that going there again does not draw it anew
window.addEventListener("hashchange", go);
go();
