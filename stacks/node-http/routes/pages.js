// page: an item's page of three queries, and the list of categories from the cache.

import { escapeHtml } from "../lib/html.js";
import { positiveInteger } from "../lib/numbers.js";
import { empty, text, unavailable } from "../lib/reply.js";

const FRAGMENT = "fragment:categories";
const FRAGMENT_SECONDS = 60;
const HTML = "text/html; charset=utf-8";

export function pageRoutes(pages, categories, cache) {
  const served = pages && categories && cache;
  return [
    ["GET", "/pages/{id}", served ? (parameters) => page(pages, categories, cache, parameters) : unavailable],
  ];
}

async function page(pages, categories, cache, parameters) {
  const id = positiveInteger(parameters.id);
  const item = id && (await pages.item(id));
  if (!item) return empty(404);
  const [before, count, navigation] = await Promise.all([
    pages.namesBefore(id),
    pages.categoryCount(),
    categoryList(categories, cache),
  ]);
  return text(render(item, before, count, navigation), HTML);
}

async function categoryList(categories, cache) {
  const kept = await cache.get(FRAGMENT);
  if (kept !== undefined) return kept;
  const all = await categories.all();
  const fragment = `<ul>${all.map(({ name }) => `<li>${escapeHtml(name)}</li>`).join("")}</ul>`;
  await cache.put(FRAGMENT, fragment, FRAGMENT_SECONDS);
  return fragment;
}

function render(item, before, count, navigation) {
  const name = escapeHtml(item.name);
  const names = before.map((one) => `<li>${escapeHtml(one)}</li>`).join("");
  return (
    `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body>` +
    `<nav>${navigation}</nav>` +
    `<h1>${name}</h1><p>${escapeHtml(item.uuid)}</p><p>${escapeHtml(item.description)}</p>` +
    `<ol>${names}</ol>` +
    `<footer>${count} categories</footer></body></html>`
  );
}
