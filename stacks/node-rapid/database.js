// The database that DATABASE_URL names. A driver is loaded only if it is needed.

// Each file has `open(url, poolSize)`, which gives `ping`, `close` and `surveys`.
const DRIVERS = {
  "": () => import("./databases/none.js"),
  postgresql: () => import("./databases/postgresql.js"),
  mysql: () => import("./databases/mariadb.js"),
  mongodb: () => import("./databases/mongodb.js"),
};

/** Connects; rejects if the database cannot be reached. */
export async function openDatabase({ databaseUrl, poolSize }) {
  const load = DRIVERS[databaseUrl.split(":", 1)[0]];
  // The URL is not repeated: there may be a password in it.
  if (!load)
    throw new Error(`DATABASE_URL must begin with one of ${Object.keys(DRIVERS).filter(Boolean).join(", ")}`);
  const driver = await load();
  const database = driver.open(databaseUrl, poolSize);
  await database.ping();
  return database;
}
