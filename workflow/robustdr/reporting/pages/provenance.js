// How the numbers of a system were made: #collection/system/split/variations/measure/table.
"use strict";

const { make } = robustdr;
const { root } = JSON.parse(document.getElementById("explored").textContent);
const by = (id) => document.getElementById(id);
const number = (value, digits) => (value === undefined ? "–" : value.toFixed(digits));

function about(step, installed) {
  const digests = step.digests.map(([file, digest]) => make("span", { class: "digest" }, make("code", {}, `${digest}  ${file}`)));
  const lines = digests.length ? digests : [make("span", {}, "no record of its files is left")];
  const details = [make("summary", {}, step.path), ...lines, make("p", {}, step.hardware ? `Computed on ${step.hardware}. ` : "", `snakemake --cores 2 ${step.path}`)];
  if (step.installed !== null) details.push(make("p", {}, `Installed: ${installed[step.installed]}`));
  return make("details", {}, ...details);
}

async function show() {
  const [collection, name, split, kinds, measure, table] = robustdr.place();
  if (!name) return;
  try {
    const made = await robustdr.load(`${collection}/${name}`, `${collection}/systems/${name}`);
    if (!made.steps) throw new Error(`report/data/${collection}/systems/${name}.js was made by another version`);
    const sets = ["original", ...kinds.split(",")].map((kind) => `${split}.${kind}`);
    const steps = made.steps.filter((step) => !step.query_set || sets.includes(step.query_set));
    by("rows").replaceChildren(
      ...steps.map((step) =>
        make("tr", {}, make("td", {}, step.name.replaceAll("_", " ")), make("td", {}, step.what), make("td", {}, make("code", {}, step.key)),
          make("td", {}, number(step.cost?.s, 1)), make("td", {}, number(step.cost?.max_rss, 0)), make("td", {}, about(step, made.installed)))),
    );
    const jobs = new Map(steps.filter((step) => step.cost).map((step) => [step.benchmark, step.cost.s ?? 0]));
    const total = [...jobs.values()].reduce((sum, seconds) => sum + seconds, 0);
    by("summary").textContent = `${made.label} on ${collection} ${split}, ${kinds}${measure ? `, ${measure}` : ""}: ${steps.length} steps, ${jobs.size} recorded jobs, ${total.toFixed(0)} seconds in all. Seeds: ${made.seeds.join(", ")}; the steps are those of seed ${made.seeds[0]}.`;
    by("command").textContent = `snakemake --cores 2 ${made.steps.at(-1).path}`;
    by("whole").textContent = table ? `snakemake --cores 2 ${root}/tables/${table}.md` : "";
    by("state").textContent = "";
    by("shown").hidden = false;
  } catch (error) {
    by("shown").hidden = true;
    by("state").textContent = `${error.message}. Make it by: snakemake --cores 2 ${root}/report/index.html`;
  }
}

window.addEventListener("hashchange", show);
show();
