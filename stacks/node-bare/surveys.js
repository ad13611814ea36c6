// Where surveys are stored: MongoDB by its official driver, or nowhere.

import { MongoClient } from "mongodb";

import { createBatcher } from "./batcher.js";

const SELECT_SERVER_MS = 10_000;

/**
 * `insert`, `insertBatched` and `replace` take `{survey, user, answers}` and resolve when that is stored. Rejects if the
 * database cannot be reached.
 */
export async function openSurveys({ databaseUrl, poolSize, batchSize }) {
  if (databaseUrl === "") return nowhere();
  const client = new MongoClient(databaseUrl, {
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: SELECT_SERVER_MS,
    writeConcern: { journal: true }, // an acknowledged write is on disk
  });
  const database = client.db();
  const surveys = database.collection("surveys");
  const ping = () => database.command({ ping: 1 });
  await ping();
  return {
    ping,
    close: () => client.close(),
    insert: (row) => surveys.insertOne(documentOf(row)),
    insertBatched: createBatcher((rows) => surveys.insertMany(rows.map(documentOf)), batchSize),
    replace: (row) =>
      surveys.replaceOne({ survey: row.survey, user_number: row.user }, documentOf(row), { upsert: true }),
  };
}

/** Without a database answers are read and parsed, and stored nowhere. */
function nowhere() {
  const nothing = async () => {};
  return {
    ping: nothing,
    close: nothing,
    insert: nothing,
    insertBatched: nothing,
    replace: nothing,
  };
}

function documentOf({ survey, user, answers }) {
  return { survey, user_number: user, answers };
}
