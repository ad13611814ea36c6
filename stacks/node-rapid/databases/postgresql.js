// PostgreSQL: a pool of node-postgres; named statements are prepared once on each connection.

import pg from "pg";

import { logError } from "../log.js";

const CONNECT_MS = 10_000;

const SQL = {
  insert: "INSERT INTO surveys (survey, user_number, answers) VALUES ($1, $2, $3)",
  // One statement for batches of any size.
  "insert-many":
    "INSERT INTO surveys (survey, user_number, answers) SELECT * FROM unnest($1::text[], $2::integer[], $3::jsonb[])",
  update: "UPDATE surveys SET answers = $3 WHERE survey = $1 AND user_number = $2",
};

export function open(url, poolSize) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 0, // idle connections are kept
    connectionTimeoutMillis: CONNECT_MS,
  });
  pool.on("error", (error) => logError("an idle connection to PostgreSQL", error));
  return {
    ping: () => pool.query("SELECT 1"),
    close: () => pool.end(),
    surveys: {
      insert: (row) => run(pool, "insert", valuesOf(row)),
      insertMany: (rows) => run(pool, "insert-many", columnsOf(rows)),
      replace: (row) => onConnection(pool, (client) => replaceRow(client, valuesOf(row))),
    },
  };
}

/** `to`: the pool or one of its connections. */
function run(to, name, values) {
  return to.query({ name, text: SQL[name], values });
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

function columnsOf(rows) {
  return [
    rows.map(({ survey }) => survey),
    rows.map(({ user }) => user),
    rows.map(({ answers }) => JSON.stringify(answers)),
  ];
}

async function replaceRow(client, values) {
  await client.query("BEGIN");
  const { rowCount } = await run(client, "update", values);
  if (rowCount === 0) await run(client, "insert", values);
  await client.query("COMMIT");
}
