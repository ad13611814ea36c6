// Matches of all articles with one of them or with a user, and where they are computed.

import { scaled, termVectors } from "./terms.js";
import { workerPool } from "./worker-pool.js";

const MOST_SIMILAR = 10;
const WORKER = new URL("./match-worker.js", import.meta.url);

/** Each gives [{id, similarity}], the most similar first, ties by lower id. */
export const MATCHES = {
  /** The articles most similar to the one with this id. */
  similarTo: (vectors, id) => mostSimilar(vectors, vectors.get(id), new Set([id])),
  /** Those most similar to the sum of the articles that a user rated, without them. */
  bestFor: (vectors, rated) => mostSimilar(vectors, sumOf(rated.map((id) => vectors.get(id))), new Set(rated)),
};

/** A function of the name of a match and its argument, which computes on so many threads; 0: on the event loop. */
export function matcher(articles, threads) {
  if (threads > 0) return workerPool(WORKER, threads, articles);
  const vectors = termVectors(articles);
  return (name, argument) => MATCHES[name](vectors, argument);
}

function mostSimilar(vectors, mine, leftOut) {
  const others = [];
  for (const [id, vector] of vectors) {
    if (!leftOut.has(id)) others.push({ id, similarity: cosine(mine, vector) });
  }
  others.sort((one, other) => other.similarity - one.similarity || one.id - other.id);
  return others.slice(0, MOST_SIMILAR);
}

/** Both are of length 1. */
function cosine(one, other) {
  const [shorter, longer] = one.size < other.size ? [one, other] : [other, one];
  let sum = 0;
  for (const [term, weight] of shorter) sum += weight * (longer.get(term) ?? 0);
  return sum;
}

/** Of length 1, too. */
function sumOf(vectors) {
  const sum = new Map();
  for (const vector of vectors) {
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  }
  return scaled(sum);
}
