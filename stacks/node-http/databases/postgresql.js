// PostgreSQL: a pool of node-postgres; named statements are prepared once on each connection.

import pg from "pg";

import { idDrawer, withTimeAsText } from "../lib/items.js";
import { logError } from "../lib/log.js";

const CONNECT_MS = 10_000;

const COLUMNS = "id, uuid, name, hash_code, created_at";
const SQL = {
  "item-pick": `SELECT ${COLUMNS} FROM items WHERE id >= $1 ORDER BY id LIMIT 1`,
  "item-by-uuid": `SELECT ${COLUMNS} FROM items WHERE uuid = $1`,
  "item-bounds": "SELECT min(id) AS first, max(id) AS last FROM items",
  "survey-insert": "INSERT INTO surveys (survey, user_number, answers) VALUES ($1, $2, $3)",
  // One statement for batches of any size.
  "survey-insert-many":
    "INSERT INTO surveys (survey, user_number, answers) SELECT * FROM unnest($1::text[], $2::integer[], $3::jsonb[])",
  "survey-update": "UPDATE surveys SET answers = $3 WHERE survey = $1 AND user_number = $2",
  categories: "SELECT id, name, slug, description FROM categories ORDER BY id",
  one: "SELECT 1 AS value",
  sleep: `SELECT ${process.env.LONG_FUNCTION ?? "pg_sleep"}($1)`,
  "unit-count": "SELECT count(*) AS count FROM units",
  "unit-count-red": "SELECT count(*) AS count FROM units WHERE label = 'red'",
  "unit-insert": "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue') RETURNING id",
  "unit-increment": "UPDATE units SET value = value + 1 WHERE id = $1",
  articles: "SELECT id, name, type, tags, description FROM articles",
  ratings: "SELECT user_number, article_id FROM ratings",
  "page-item": "SELECT id, name, uuid, description FROM items WHERE id = $1",
  "page-before": "SELECT name FROM items WHERE id < $1 ORDER BY id DESC LIMIT 10",
  "page-categories": "SELECT count(*) AS count FROM categories",
};

// count(*) and ids are far below the largest safe integer: as text they would be strings in answers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function open(url, poolSize) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 0, // idle connections are kept
    connectionTimeoutMillis: CONNECT_MS,
    options: "-c TimeZone=UTC",
  });
  pool.on("error", (error) => logError("an idle connection to PostgreSQL", error));

  const drawId = idDrawer(() => row(pool, "item-bounds"));
  return {
    ping: () => pool.query("SELECT 1"),
    close: () => pool.end(),
    items: {
      random: async () => withTimeAsText(await row(pool, "item-pick", [await drawId()])),
      byUuid: async (uuid) => withTimeAsText(await row(pool, "item-by-uuid", [uuid])),
    },
    surveys: {
      insert: (survey) => run(pool, "survey-insert", valuesOf(survey)),
      insertMany: (surveys) => run(pool, "survey-insert-many", columnsOf(surveys)),
      replace: (survey) => onConnection(pool, (client) => replaceSurvey(client, valuesOf(survey))),
    },
    categories: { all: () => rows(pool, "categories") },
    queries: {
      one: async () => (await row(pool, "one")).value,
      sleep: (milliseconds) => run(pool, "sleep", [milliseconds / 1000]),
    },
    units: { onConnection: (work) => onConnection(pool, (client) => work(unitsOn(client))) },
    articles: { all: () => rows(pool, "articles"), ratings: () => rows(pool, "ratings") },
    pages: {
      item: (id) => row(pool, "page-item", [id]),
      namesBefore: async (id) => (await rows(pool, "page-before", [id])).map(({ name }) => name),
      categoryCount: async () => (await row(pool, "page-categories")).count,
    },
  };
}

/** `to`: the pool or one of its connections. */
function run(to, name, values) {
  return to.query({ name, text: SQL[name], values });
}

async function rows(to, name, values) {
  return (await run(to, name, values)).rows;
}

async function row(to, name, values) {
  return (await rows(to, name, values))[0];
}

/** Runs `work(client)` on one connection. After an error that connection is given up, with whatever it had begun. */
async function onConnection(pool, work) {
  const client = await pool.connect();
  let failure;
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(failure);
  }
}

function valuesOf({ survey, user, answers }) {
  return [survey, user, JSON.stringify(answers)];
}

function columnsOf(surveys) {
  return [
    surveys.map(({ survey }) => survey),
    surveys.map(({ user }) => user),
    surveys.map(({ answers }) => JSON.stringify(answers)),
  ];
}

async function replaceSurvey(client, values) {
  await client.query("BEGIN");
  const { rowCount } = await run(client, "survey-update", values);
  if (rowCount === 0) await run(client, "survey-insert", values);
  await client.query("COMMIT");
}

function unitsOn(client) {
  return {
    begin: () => client.query("BEGIN"),
    commit: () => client.query("COMMIT"),
    rollback: () => client.query("ROLLBACK"),
    count: async () => (await row(client, "unit-count")).count,
    countRed: async () => (await row(client, "unit-count-red")).count,
    insert: async () => (await row(client, "unit-insert")).id,
    increment: (id) => run(client, "unit-increment", [id]),
  };
}
