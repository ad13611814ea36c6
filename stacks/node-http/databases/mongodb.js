// MongoDB: the pool of the official driver.

import { MongoClient } from "mongodb";

import { drawInteger, withTimeAsText } from "../lib/items.js";

const SELECT_SERVER_MS = 10_000;
const LAST_SEGMENT = 9_999;
const EMPTY_DRAWS = 100;

const ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 };

export async function open(url, poolSize) {
  const client = new MongoClient(url, {
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: SELECT_SERVER_MS,
    writeConcern: { journal: true }, // an acknowledged write is on disk, as it is with the other databases
  });
  const database = client.db();
  const items = database.collection("items");
  const surveys = database.collection("surveys");
  const categories = database.collection("categories");
  const articles = database.collection("articles");

  return {
    ping: () => database.command({ ping: 1 }),
    close: () => client.close(),
    items: {
      random: () => randomItem(items),
      byUuid: async (uuid) => itemOf(await items.findOne({ uuid }, { projection: ANSWERED })),
    },
    surveys: {
      insert: (survey) => surveys.insertOne(documentOf(survey)),
      insertMany: (some) => surveys.insertMany(some.map(documentOf)),
      replace: (survey) =>
        surveys.replaceOne({ survey: survey.survey, user_number: survey.user }, documentOf(survey), {
          upsert: true,
        }),
    },
    categories: { all: async () => (await categories.find().sort({ _id: 1 }).toArray()).map(categoryOf) },
    articles: { all: async () => (await articles.find().toArray()).map(withId) },
  };
}

/** Draws a segment, counts it, and reads the document after as many as are drawn; undefined if there are none. */
async function randomItem(items) {
  for (let draws = 1; ; draws++) {
    const segment = drawInteger(0, LAST_SEGMENT);
    const count = await items.countDocuments({ segment });
    if (count > 0) {
      const skip = drawInteger(0, count - 1);
      const found = await items.findOne({ segment }, { skip, projection: ANSWERED });
      if (found) return itemOf(found);
    } else if (draws % EMPTY_DRAWS === 0 && (await items.estimatedDocumentCount()) === 0) {
      return undefined;
    }
  }
}

function itemOf(document) {
  return document ? withTimeAsText(withId(document)) : undefined;
}

function withId({ _id, ...fields }) {
  return { id: _id, ...fields };
}

/** Keys in the order in which they are answered, whatever order the document has. */
function categoryOf({ _id, name, slug, description }) {
  return { id: _id, name, slug, description };
}

function documentOf({ survey, user, answers }) {
  return { survey, user_number: user, answers };
}
