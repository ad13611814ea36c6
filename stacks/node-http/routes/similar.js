// similar-items: articles and their term vectors are kept, similarities are computed in each request.

import { lazily } from "../lib/lazily.js";
import { positiveInteger } from "../lib/numbers.js";
import { empty, json, unavailable } from "../lib/reply.js";
import { termVectors } from "../lib/terms.js";

const MOST_SIMILAR = 10;

export function articleRoutes(articles) {
  return [["GET", "/articles/{id}/similar", articles ? similarTo(articles) : unavailable]];
}

function similarTo(articles) {
  const vectors = lazily(async () => termVectors(await articles.all()));
  return async (parameters) => {
    const id = positiveInteger(parameters.id);
    const known = await vectors();
    return known.has(id) ? json({ id, similar: mostSimilar(id, known) }) : empty(404);
  };
}

/** Ids of the other articles, the most similar first, ties by lower id. */
function mostSimilar(wanted, vectors) {
  const mine = vectors.get(wanted);
  const others = [];
  for (const [id, vector] of vectors) {
    if (id !== wanted) others.push({ id, similarity: cosine(mine, vector) });
  }
  others.sort((one, other) => other.similarity - one.similarity || one.id - other.id);
  return others.slice(0, MOST_SIMILAR).map(({ id }) => id);
}

/** Both are of length 1. */
function cosine(one, other) {
  let sum = 0;
  for (const [term, weight] of one) sum += weight * (other.get(term) ?? 0);
  return sum;
}
