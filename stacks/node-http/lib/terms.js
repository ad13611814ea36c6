// From articles to term vectors: docs/workloads.md of the project, "similar-items", says the rules.

const STOP_WORDS = new Set(
  "a an and are as at be by for from in is it of on or that the to was with".split(" "),
);
const FIELD_WEIGHTS = { name: 10, description: 3, type: 1, tags: 1 };

/** For each article's id a map from terms to weights, scaled to length 1. */
export function termVectors(articles) {
  const counts = articles.map(countTerms);
  const documentFrequency = new Map();
  for (const counted of counts) {
    for (const term of counted.keys()) documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1);
  }
  const weight = (term, count) => count * Math.log(articles.length / documentFrequency.get(term));
  const weighted = (counted) => [...counted].map(([term, count]) => [term, weight(term, count)]);
  return new Map(articles.map(({ id }, i) => [id, scaled(weighted(counts[i]))]));
}

function countTerms(article) {
  const counted = new Map();
  for (const [field, weight] of Object.entries(FIELD_WEIGHTS)) {
    for (const term of terms(article[field])) counted.set(term, (counted.get(term) ?? 0) + weight);
  }
  return counted;
}

function terms(text) {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

/** Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1. */
function stem(word) {
  if (word.length > 4 && word.endsWith("ies") && !/(eies|aies)$/.test(word)) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith("es") && !/(aes|ees|oes)$/.test(word)) return word.slice(0, -1);
  if (word.length > 2 && word.endsWith("s") && !/(us|ss)$/.test(word)) return word.slice(0, -1);
  return word;
}

/** `weights`: pairs of a term and its weight. Gives a map of the same direction and of length 1. */
export function scaled(weights) {
  const pairs = [...weights];
  const length = Math.sqrt(pairs.reduce((sum, [, one]) => sum + one * one, 0));
  // Terms that every article has weigh nothing; an article may have no others.
  return new Map(length === 0 ? [] : pairs.map(([term, one]) => [term, one / length]));
}
