// similar-items and matching-mix: articles and their term vectors are kept, matches are computed in each request.

import { lazily } from "../lib/lazily.js";
import { matcher } from "../lib/matches.js";
import { positiveInteger } from "../lib/numbers.js";
import { empty, json, unavailable } from "../lib/reply.js";

/** `matchThreads`: how many threads compute matches; 0: they are computed on the event loop. */
export function articleRoutes(articles, matchThreads) {
  const known = articles && lazily(async () => knownOf(await articles.all(), matchThreads));
  const rated = articles?.ratings && lazily(async () => byUser(await articles.ratings()));
  return [
    ["GET", "/articles/{id}", known ? (parameters) => article(known, parameters) : unavailable],
    ["GET", "/articles/{id}/similar", known ? (parameters) => similar(known, parameters) : unavailable],
    ["GET", "/users/{id}/articles", rated ? (parameters) => bestOfUser(known, rated, parameters) : unavailable],
  ];
}

function knownOf(articles, matchThreads) {
  return { names: new Map(articles.map(({ id, name }) => [id, name])), match: matcher(articles, matchThreads) };
}

/** From each user's number to the ids of the articles that he rated. */
function byUser(ratings) {
  const users = new Map();
  for (const { user_number: user, article_id: article } of ratings) {
    if (!users.has(user)) users.set(user, []);
    users.get(user).push(article);
  }
  return users;
}

async function article(known, parameters) {
  const id = positiveInteger(parameters.id);
  const name = (await known()).names.get(id);
  return name === undefined ? empty(404) : json({ id, name });
}

async function similar(known, parameters) {
  const id = positiveInteger(parameters.id);
  const { names, match } = await known();
  if (!names.has(id)) return empty(404);
  const found = await match("similarTo", id);
  return json({ id, similar: found.map((one) => one.id) });
}

async function bestOfUser(known, rated, parameters) {
  const user = positiveInteger(parameters.id);
  const articles = (await rated()).get(user);
  if (!articles) return empty(404);
  const { match } = await known();
  const found = await match("bestFor", articles);
  return json({
    id: user,
    articles: found.map(({ id, similarity }) => ({ id, similarity_millionths: Math.round(similarity * 1e6) })),
  });
}
