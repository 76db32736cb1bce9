// Shared by all pages. Data lies in scripts beside them, because a page opened from disk may load nothing else.
"use strict";

window.robustdr = {
  packed: {},
  loaded: {},

  // What a script of data calls; `packed`: JSON, by gzip and base64.
  take(name, packed) {
    this.packed[name] = packed;
  },

  // The data of this name, from data/<path>.js; rejected where the script is missing, cut off or damaged.
  load(name, path) {
    this.loaded[name] ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${path}.js`;
      const damaged = () => reject(new Error(`report/data/${path}.js is cut off or damaged`));
      script.onload = () => this.unpack(this.packed[name]).then(resolve, damaged);
      script.onerror = () => reject(new Error(`report/data/${path}.js was not made`));
      document.head.append(script);
    });
    return this.loaded[name];
  },

  async unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
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
