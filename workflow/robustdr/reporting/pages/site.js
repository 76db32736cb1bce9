// Shared by all pages. Data lies in scripts beside them, because a page opened from disk may load nothing else.
"use strict";

window.robustdr = {
  data: {},
  waiting: {},

  // What a script of data calls.
  take(name, value) {
    this.data[name] = value;
  },

  // The data of this name, from data/<path>.js; rejected where the script is missing or cut off.
  load(name, path) {
    this.waiting[name] ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${path}.js`;
      script.onload = () =>
        name in this.data ? resolve(this.data[name]) : reject(new Error(`report/data/${path}.js is cut off or damaged`));
      script.onerror = () => reject(new Error(`report/data/${path}.js was not made`));
      document.head.append(script);
    });
    return this.waiting[name];
  },

  // An element with attributes and children; texts are always texts, never markup.
  make(tag, attributes = {}, ...children) {
    const namespace = ["svg", "rect", "line", "title"].includes(tag) && attributes.xmlns;
    const element = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (name !== "xmlns") element.setAttribute(name, value);
    element.append(...children);
    return element;
  },

  // The parts of the address behind #.
  place() {
    return location.hash.slice(1).split("/").map(decodeURIComponent);
  },

  address(parts) {
    return "#" + parts.map(encodeURIComponent).join("/");
  },
};

document.addEventListener("DOMContentLoaded", () => {
  const here = location.pathname.split("/").pop() || "index.html";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
  }
  const verdict = document.querySelector("[data-filter=claims]");
  const search = document.querySelector("[data-search=claims]");
  const show = () => {
    for (const claim of document.querySelectorAll("[data-claims]")) {
      const found = claim.textContent.toLowerCase().includes(search.value.trim().toLowerCase());
      claim.hidden = !found || (verdict.value !== "" && claim.dataset.verdict !== verdict.value);
    }
  };
  verdict?.addEventListener("change", show);
  search?.addEventListener("input", show);
});
