// MongoDB by its official driver.

import { MongoClient } from "mongodb";

import { createBatcher } from "./batcher.js";
import { drawInteger, withTimeAsText } from "./items.js";

const SELECT_SERVER_MS = 10_000;
const LAST_SEGMENT = 9_999;
const ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 };

export async function openMongodb({ databaseUrl, poolSize, batchSize }) {
  const client = new MongoClient(databaseUrl, {
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: SELECT_SERVER_MS,
    writeConcern: { journal: true }, // an acknowledged write is on disk
  });
  const database = client.db();
  const items = database.collection("items");
  const categories = database.collection("categories");
  const surveys = database.collection("surveys");
  const ping = () => database.command({ ping: 1 });
  await ping();
  return {
    ping,
    close: () => client.close(),
    randomItem: () => randomItem(items),
    itemByUuid: async (uuid) => itemOf(await items.findOne({ uuid }, { projection: ANSWERED })),
    categories: async () => (await categories.find().sort({ _id: 1 }).toArray()).map(categoryOf),
    insert: (row) => surveys.insertOne(documentOf(row)),
    insertBatched: createBatcher((rows) => surveys.insertMany(rows.map(documentOf)), batchSize),
    replace: (row) =>
      surveys.replaceOne({ survey: row.survey, user_number: row.user }, documentOf(row), { upsert: true }),
  };
}

/** Draws a segment until one has documents, and then one of them; undefined if there are none at all. */
async function randomItem(items) {
  for (;;) {
    const segment = drawInteger(0, LAST_SEGMENT);
    const count = await items.countDocuments({ segment });
    if (count > 0) {
      const skip = drawInteger(0, count - 1);
      return itemOf(await items.findOne({ segment }, { skip, projection: ANSWERED }));
    }
    if ((await items.estimatedDocumentCount()) === 0) return undefined;
  }
}

function itemOf(found) {
  if (!found) return undefined;
  const { _id, ...fields } = found;
  return withTimeAsText({ id: _id, ...fields });
}

/** Keys in the order in which they are answered, whatever order the document has. */
function categoryOf({ _id, name, slug, description }) {
  return { id: _id, name, slug, description };
}

function documentOf({ survey, user, answers }) {
  return { survey, user_number: user, answers };
}
