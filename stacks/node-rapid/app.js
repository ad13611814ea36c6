// The HTTP surface: from an open database to a request listener.

import { HttpError, answer, createListener, createWriteBuffer } from "fairtrial-rapid";

import { logError } from "./log.js";
import { createRouteByRouteListener } from "./route-by-route.js";

const LARGEST_BODY_BYTES = 65_536;
const LONGEST_WAIT_MS = 5;
const CREATED = answer({ status: 201 });

const TYPES = {
  survey: (text) => (/^[a-z0-9-]{1,32}$/.test(text) ? text : undefined),
  user: (text) => (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined),
};

/** What is stored for the answers of a survey. All but `object` replicate contenders of a published study. */
const STORED = {
  object: (answers) => answers,
  string: (answers) => JSON.stringify(answers),
  null: () => null,
};

/** `listener` takes requests; `flush()` writes what waits, and resolves when it is stored or has failed. */
export function createApp({ ping, surveys }, { poolSize, batchSize, writes, stores, matching }) {
  const { add, flush } = createWriteBuffer((rows) => surveys.insertMany(rows), {
    count: batchSize,
    milliseconds: LONGEST_WAIT_MS,
    writesAtOnce: poolSize, // a further one would wait for a connection
  });
  // The flaw of a published study: answered while the row is under way, and whether it arrives nobody is told.
  const forgotten = (write) => (row) => {
    write(row).catch((error) => logError("a forgotten write", error));
  };
  const awaited = { insert: (row) => surveys.insert(row), replace: (row) => surveys.replace(row) };
  const { insert, replace } = {
    single: awaited,
    batched: { ...awaited, insert: add },
    "fire-and-forget": { insert: forgotten(awaited.insert), replace: forgotten(awaited.replace) },
  }[writes];

  const storedBy =
    (store) =>
    async ({ parameters: { survey, user }, body }) => {
      if (typeof body !== "object" || body === null || Array.isArray(body)) throw new HttpError(400);
      await store({ survey, user, answers: STORED[stores](body) });
      return CREATED;
    };

  const routes = {
    "GET /health": async () => {
      await ping();
      return "ok";
    },
    "GET /plaintext": () => "Hello, World!",
    "POST /survey/:survey(survey)/:user(user)": storedBy(insert),
    "PUT /survey/:survey(survey)/:user(user)": storedBy(replace),
    "POST /surveybatched/:survey(survey)/:user(user)": storedBy(add),
  };
  const options = {
    types: TYPES,
    bodyLimitBytes: LARGEST_BODY_BYTES,
    onError: (error, { method, url }) => logError(`${method} /${url.split("/", 2)[1]}`, error),
  };
  // What a published study held to be the difference, and the same without it.
  const create = { compiled: createListener, "route-by-route": createRouteByRouteListener }[matching];
  return { listener: create(routes, options), flush };
}
