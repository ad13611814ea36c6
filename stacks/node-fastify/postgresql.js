// PostgreSQL by node-postgres: a pool, each of whose connections prepares a named statement once.

import pg from "pg";

import { createBatcher } from "./batcher.js";
import { drawInteger, withTimeAsText } from "./items.js";
import { logError } from "./log.js";

const CONNECT_MS = 10_000;

const COLUMNS = "id, uuid, name, hash_code, created_at";
const SQL = {
  "item-pick": `SELECT ${COLUMNS} FROM items WHERE id >= $1 ORDER BY id LIMIT 1`,
  "item-by-uuid": `SELECT ${COLUMNS} FROM items WHERE uuid = $1`,
  "item-bounds": "SELECT min(id) AS first, max(id) AS last FROM items",
  categories: "SELECT id, name, slug, description FROM categories ORDER BY id",
  "survey-insert": "INSERT INTO surveys (survey, user_number, answers) VALUES ($1, $2, $3)",
  // One statement for batches of any size.
  "survey-insert-many":
    "INSERT INTO surveys (survey, user_number, answers) SELECT * FROM unnest($1::text[], $2::integer[], $3::jsonb[])",
  "survey-update": "UPDATE surveys SET answers = $3 WHERE survey = $1 AND user_number = $2",
};

// Ids are far below the largest safe integer: as text they would be strings in answers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export async function openPostgresql({ databaseUrl, poolSize, batchSize }) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    idleTimeoutMillis: 0, // idle connections are kept
    connectionTimeoutMillis: CONNECT_MS,
  });
  pool.on("error", (error) => logError("an idle connection to PostgreSQL", error));
  const ping = () => pool.query("SELECT 1");
  await ping();

  let bounds; // read once, when they are first needed
  const readBounds = async () => (bounds ??= await row(pool, "item-bounds"));

  return {
    ping,
    close: () => pool.end(),
    randomItem: async () => {
      const { first, last } = await readBounds();
      return withTimeAsText(await row(pool, "item-pick", [drawInteger(first, last)]));
    },
    itemByUuid: async (uuid) => withTimeAsText(await row(pool, "item-by-uuid", [uuid])),
    categories: async () => (await run(pool, "categories")).rows,
    insert: (survey) => run(pool, "survey-insert", valuesOf(survey)),
    insertBatched: createBatcher((surveys) => run(pool, "survey-insert-many", columnsOf(surveys)), batchSize),
    replace: (survey) => replaceSurvey(pool, valuesOf(survey)),
  };
}

/** `to`: the pool or one of its connections. */
function run(to, name, values) {
  return to.query({ name, text: SQL[name], values });
}

async function row(to, name, values) {
  return (await run(to, name, values)).rows[0];
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

/** After an error its connection is given up, with the transaction that it had begun. */
async function replaceSurvey(pool, values) {
  const client = await pool.connect();
  let failure;
  try {
    await client.query("BEGIN");
    const { rowCount } = await run(client, "survey-update", values);
    if (rowCount === 0) await run(client, "survey-insert", values);
    await client.query("COMMIT");
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(failure);
  }
}
