// The database and the cache that the environment names. A driver is loaded only if it is needed.

import { reasonOf } from "./lib/log.js";

// Each file has `open(url, poolSize)`, which gives the parts that routes use (items, surveys, …) beside `ping` and
// `close`. A part that is missing is not served.
const DRIVERS = {
  sqlite: () => import("./databases/sqlite.js"),
  postgresql: () => import("./databases/postgresql.js"),
  mysql: () => import("./databases/mariadb.js"),
  mongodb: () => import("./databases/mongodb.js"),
  redis: () => import("./databases/redis.js"),
  memcached: () => import("./databases/memcached.js"),
};

/** Connects to what is configured; rejects if it cannot be reached. */
export async function openServices({ databaseUrl, cacheUrl, poolSize }) {
  const database = await open("DATABASE_URL", databaseUrl, poolSize);
  const cache = await open("CACHE_URL", cacheUrl, poolSize);
  return {
    database,
    cache,
    ping: () => Promise.all([database.ping(), cache.ping()]),
    close: () => Promise.all([database.close(), cache.close()]),
  };
}

async function open(variable, url, poolSize) {
  const scheme = url && url.split(":", 1)[0];
  const load = url === "" ? () => import("./databases/none.js") : DRIVERS[scheme];
  if (!load) {
    // The URL is not repeated: there may be a password in it.
    throw new Error(`${variable} must begin with one of ${Object.keys(DRIVERS).join(", ")}, and ://`);
  }
  try {
    const driver = await load();
    const service = await driver.open(url, poolSize);
    await service.ping();
    return service;
  } catch (error) {
    throw new Error(`${variable} (${scheme}): ${reasonOf(error)}`, { cause: error });
  }
}
