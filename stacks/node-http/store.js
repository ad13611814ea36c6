// The database: one connection per process, as better-sqlite3 is synchronous, and the queries.

import Database from "better-sqlite3";

const COLUMNS = "id, uuid, name, hash_code, created_at";
const PICK = `SELECT ${COLUMNS} FROM items WHERE id >= ? ORDER BY id LIMIT 1`;
const BY_UUID = `SELECT ${COLUMNS} FROM items WHERE uuid = ?`;
// Two selects, because min() and max() in one would scan the whole table.
const BOUNDS = "SELECT (SELECT min(id) FROM items) AS first, (SELECT max(id) FROM items) AS last";

// The same in every stack, because drivers are compiled with different defaults.
const PRAGMAS = ["busy_timeout = 5000", "cache_size = -2000", "mmap_size = 0"];

const SQLITE_SCHEME = "sqlite:///";

export function openStore(databaseUrl) {
  const path = sqlitePath(databaseUrl);
  try {
    return storeOf(connect(path));
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

function connect(path) {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  PRAGMAS.forEach((pragma) => database.pragma(pragma));
  return database;
}

function storeOf(database) {
  const { first, last } = database.prepare(BOUNDS).get();
  if (first === null) throw new Error("the table items is empty");
  const span = last - first + 1;
  const pick = database.prepare(PICK);
  const byUuid = database.prepare(BY_UUID);

  return {
    randomItem: () => pick.get(first + Math.floor(Math.random() * span)),
    itemByUuid: (uuid) => byUuid.get(uuid),
    close: () => database.close(),
  };
}

function sqlitePath(databaseUrl) {
  const path = databaseUrl.slice(SQLITE_SCHEME.length);
  if (!databaseUrl.startsWith(SQLITE_SCHEME) || !path.startsWith("/")) {
    throw new Error(`DATABASE_URL must be sqlite:////absolute/path.db, not "${databaseUrl}"`);
  }
  return path;
}
