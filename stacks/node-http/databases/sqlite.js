// SQLite: one read-only connection per process, as better-sqlite3 is synchronous.

import Database from "better-sqlite3";

import { idDrawer } from "../lib/items.js";

const COLUMNS = "id, uuid, name, hash_code, created_at";
const PICK = `SELECT ${COLUMNS} FROM items WHERE id >= ? ORDER BY id LIMIT 1`;
const BY_UUID = `SELECT ${COLUMNS} FROM items WHERE uuid = ?`;
// Two selects, because min() and max() in one would scan the whole table.
const BOUNDS = "SELECT (SELECT min(id) FROM items) AS first, (SELECT max(id) FROM items) AS last";
const CATEGORIES = "SELECT id, name, slug, description FROM categories ORDER BY id";
const ARTICLES = "SELECT id, name, type, tags, description FROM articles";
const RATINGS = "SELECT user_number, article_id FROM ratings";

// The same in every stack, because drivers are compiled with different defaults.
const PRAGMAS = ["busy_timeout = 5000", "cache_size = -2000", "mmap_size = 0"];

const SQLITE_SCHEME = "sqlite:///";

export function open(databaseUrl) {
  const database = connect(pathOf(databaseUrl));
  const statement = statements(database);
  const drawId = idDrawer(() => statement(BOUNDS).get());
  return {
    ping: () => statement("SELECT 1").get(),
    close: () => database.close(),
    items: {
      random: async () => statement(PICK).get(await drawId()),
      byUuid: (uuid) => statement(BY_UUID).get(uuid),
    },
    categories: { all: () => statement(CATEGORIES).all() },
    articles: { all: () => statement(ARTICLES).all(), ratings: () => statement(RATINGS).all() },
  };
}

function connect(path) {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    PRAGMAS.forEach((pragma) => database.pragma(pragma));
    return database;
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

/** Statements are prepared when they are first used: which tables there are depends on the workload. */
function statements(database) {
  const prepared = new Map();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
}

function pathOf(databaseUrl) {
  const path = databaseUrl.slice(SQLITE_SCHEME.length);
  if (!databaseUrl.startsWith(SQLITE_SCHEME) || !path.startsWith("/")) {
    throw new Error(`a database is given as sqlite:////absolute/path.db, not "${databaseUrl}"`);
  }
  return path;
}
