// MariaDB: a pool of mysql2; execute() prepares a statement once on each connection.

import mysql from "mysql2/promise";

import { idDrawer, withTimeAsText } from "../lib/items.js";

const CONNECT_MS = 10_000;

const COLUMNS = "id, uuid, name, hash_code, created_at";
const PICK = `SELECT ${COLUMNS} FROM items WHERE id >= ? ORDER BY id LIMIT 1`;
const BY_UUID = `SELECT ${COLUMNS} FROM items WHERE uuid = ?`;
const BOUNDS = "SELECT min(id) AS first, max(id) AS last FROM items";
const SURVEY_INSERT = "INSERT INTO surveys (survey, user_number, answers) VALUES (?, ?, ?)";
const SURVEY_UPDATE = "UPDATE surveys SET answers = ? WHERE survey = ? AND user_number = ?";
const CATEGORIES = "SELECT id, name, slug, description FROM categories ORDER BY id";
const UNIT_COUNT = "SELECT count(*) AS count FROM units";
const UNIT_COUNT_RED = "SELECT count(*) AS count FROM units WHERE label = 'red'";
const UNIT_INSERT = "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue')";
const UNIT_INCREMENT = "UPDATE units SET value = value + 1 WHERE id = ?";
const ARTICLES = "SELECT id, name, type, tags, description FROM articles";
const RATINGS = "SELECT user_number, article_id FROM ratings";
const PAGE_ITEM = "SELECT id, name, uuid, description FROM items WHERE id = ?";
const PAGE_BEFORE = "SELECT name FROM items WHERE id < ? ORDER BY id DESC LIMIT 10";
const PAGE_CATEGORIES = "SELECT count(*) AS count FROM categories";
const SLEEP = `SELECT ${process.env.LONG_FUNCTION ?? "SLEEP"}(?)`;

export function open(url, poolSize) {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: poolSize,
    maxIdle: poolSize, // idle connections are kept
    connectTimeout: CONNECT_MS,
    timezone: "Z",
    charset: "utf8mb4",
  });
  // An update that finds no row would lock the gap where it looked, and two that then insert there would deadlock.
  // Under this level, which is PostgreSQL's default, it does not.
  pool.on("connection", (connection) => {
    connection.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  });

  const drawId = idDrawer(() => row(pool, BOUNDS));
  return {
    ping: () => ping(pool),
    close: () => pool.end(),
    items: {
      random: async () => withTimeAsText(await row(pool, PICK, [await drawId()])),
      byUuid: async (uuid) => withTimeAsText(await row(pool, BY_UUID, [uuid])),
    },
    surveys: {
      insert: (survey) => pool.execute(SURVEY_INSERT, valuesOf(survey)),
      insertMany: (surveys) => pool.execute(insertOf(surveys.length), surveys.flatMap(valuesOf)),
      replace: (survey) => onConnection(pool, (connection) => replaceSurvey(connection, survey)),
    },
    categories: { all: () => rows(pool, CATEGORIES) },
    queries: {
      one: async () => (await row(pool, "SELECT 1 AS value")).value,
      sleep: (milliseconds) => pool.execute(SLEEP, [milliseconds / 1000]),
    },
    units: { onConnection: (work) => onConnection(pool, (connection) => work(unitsOn(connection))) },
    articles: { all: () => rows(pool, ARTICLES), ratings: () => rows(pool, RATINGS) },
    pages: {
      item: (id) => row(pool, PAGE_ITEM, [id]),
      namesBefore: async (id) => (await rows(pool, PAGE_BEFORE, [id])).map(({ name }) => name),
      categoryCount: async () => (await row(pool, PAGE_CATEGORIES)).count,
    },
  };
}

/** `to`: the pool or one of its connections. */
async function rows(to, sql, values) {
  const [found] = await to.execute(sql, values);
  return found;
}

async function row(to, sql, values) {
  return (await rows(to, sql, values))[0];
}

async function ping(pool) {
  const connection = await pool.getConnection();
  try {
    await connection.ping();
  } finally {
    connection.release();
  }
}

/** Runs `work(connection)` on one connection. After an error it is given up, with whatever it had begun. */
async function onConnection(pool, work) {
  const connection = await pool.getConnection();
  try {
    const done = await work(connection);
    connection.release();
    return done;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

function valuesOf({ survey, user, answers }) {
  return [survey, user, JSON.stringify(answers)];
}

/** One statement for each size of a batch; there are not more of them than BATCH_SIZE. */
const insertStatements = [];

function insertOf(count) {
  return (insertStatements[count] ??= SURVEY_INSERT + ", (?, ?, ?)".repeat(count - 1));
}

async function replaceSurvey(connection, { survey, user, answers }) {
  const text = JSON.stringify(answers);
  await connection.beginTransaction();
  // Rows that matched are counted, changed or not: mysql2 sets CLIENT_FOUND_ROWS.
  const [{ affectedRows }] = await connection.execute(SURVEY_UPDATE, [text, survey, user]);
  if (affectedRows === 0) await connection.execute(SURVEY_INSERT, [survey, user, text]);
  await connection.commit();
}

function unitsOn(connection) {
  return {
    begin: () => connection.beginTransaction(),
    commit: () => connection.commit(),
    rollback: () => connection.rollback(),
    count: async () => (await row(connection, UNIT_COUNT)).count,
    countRed: async () => (await row(connection, UNIT_COUNT_RED)).count,
    insert: async () => (await connection.execute(UNIT_INSERT))[0].insertId,
    increment: (id) => connection.execute(UNIT_INCREMENT, [id]),
  };
}
