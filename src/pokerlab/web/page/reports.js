// Tournaments, papers, buckets and case bases: pages that the command line has left in the folder, each in a frame of its own, with no script but ours.
import { h } from "./dom.js";
import { get } from "./api.js";

const KINDS = { tournament: "Tournaments", paper: "Papers: published figures beside ours", page: "Buckets, case bases and other pages" };
const source = (file) => `/api/reports/page?${new URLSearchParams({ file })}`;

const breakable = (title) => title.split("/").flatMap((part, i) => (i ? ["/", h("wbr"), part] : [part]));

export async function reportsPage(file) {
  const known = await get("/api/reports");
  const page = file ? one(known, decodeURIComponent(file)) : all(known);
  return (main) => { main.replaceChildren(page); };
}

function all(known) {
  const groups = Object.entries(KINDS).map(([kind, title]) => [title, known.filter((report) => report.kind === kind)]).filter(([, reports]) => reports.length);
  return h("div", { class: "lobby" }, h("h1", {}, "Reports"),
    groups.map(([title, reports]) => h("section", {}, h("h2", {}, title), h("ul", { class: "tables reports" }, reports.map((report) => h("li", {},
      h("a", { class: "panel", href: `#/reports/${encodeURIComponent(report.file)}` }, h("b", {}, breakable(report.title)),
        h("span", { class: "quiet" }, `${report.file}, ${new Date(1000 * report.changed).toLocaleDateString()}`))))))),
    h("p", { class: "quiet" }, groups.length ? "" : "There are none in the folder where the server was started. ",
      "\u201cpokerlab tournament\u201d and \u201cpokerlab paper\u201d leave reports, and so does --html of \u201cpokerlab buckets\u201d, \u201ccases show\u201d and \u201chands\u201d."));
}

function one(known, file) {
  const report = known.find((each) => each.file === file);
  if (!report) throw new Error(`there is no report ${file} any more`);
  return h("div", { class: "report" }, h("h1", { class: "spoken" }, report.title),
    h("p", {}, h("a", { href: "#/reports" }, "All reports"), " \u00b7 ", h("a", { href: source(file), target: "_blank", rel: "noreferrer" }, "alone in a tab")),
    h("iframe", { src: source(file), sandbox: "allow-scripts", title: report.title }));
}
