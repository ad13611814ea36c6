// survey-insert: answered when the row is committed.

import { createBatcher } from "../lib/batcher.js";
import { ENDLESS, TOO_LONG, readJsonObject } from "../lib/body.js";
import { positiveInteger } from "../lib/numbers.js";
import { empty, unavailable } from "../lib/reply.js";

const SURVEY = /^[a-z0-9-]{1,32}$/;

export function surveyRoutes(surveys, batchSize) {
  const storedBy = (store) =>
    surveys ? (parameters, request) => storeAnswers(store, parameters, request) : unavailable;
  const single = storedBy((row) => surveys.insert(row));
  const batched = storedBy(surveys && createBatcher(surveys.insertMany, batchSize));
  const upsert = storedBy((row) => surveys.replace(row));
  return [
    ["POST", "/survey/{survey}/{user}", single],
    ["PUT", "/survey/{survey}/{user}", upsert],
    ["POST", "/surveybatched/{survey}/{user}", batched],
  ];
}

/** `store` takes a row `{survey, user, answers}` and resolves when it is committed. */
async function storeAnswers(store, { survey, user }, request) {
  const answers = await readJsonObject(request);
  if (answers === TOO_LONG) return empty(413);
  if (answers === ENDLESS) return empty(413, { connection: "close" });
  const number = positiveInteger(user);
  if (answers === undefined || number === undefined || !SURVEY.test(survey)) return empty(400);
  await store({ survey, user: number, answers });
  return empty(201);
}
