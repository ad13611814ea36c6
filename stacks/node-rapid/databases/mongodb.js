// MongoDB: the pool of the official driver.

import { MongoClient } from "mongodb";

const SELECT_SERVER_MS = 10_000;

export function open(url, poolSize) {
  const client = new MongoClient(url, {
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: SELECT_SERVER_MS,
    writeConcern: { journal: true }, // an acknowledged write is on disk, as it is with the other databases
  });
  const surveys = client.db().collection("surveys");
  return {
    ping: () => client.db().command({ ping: 1 }),
    close: () => client.close(),
    surveys: {
      insert: (row) => surveys.insertOne(documentOf(row)),
      insertMany: (rows) => surveys.insertMany(rows.map(documentOf)),
      replace: (row) =>
        surveys.replaceOne({ survey: row.survey, user_number: row.user }, documentOf(row), { upsert: true }),
    },
  };
}

function documentOf({ survey, user, answers }) {
  return { survey, user_number: user, answers };
}
