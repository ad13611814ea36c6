// What is read and stored where. A driver is loaded only if DATABASE_URL names its database.

/**
 * `insert`, `insertBatched` and `replace` take `{survey, user, answers}` and resolve when that is stored; `randomItem`,
 * `itemByUuid` and `categories` are there with a database. Rejects if that cannot be reached.
 */
export async function openStore(settings) {
  const scheme = settings.databaseUrl.split(":", 1)[0];
  switch (scheme) {
    case "postgresql":
      return (await import("./postgresql.js")).openPostgresql(settings);
    case "mongodb":
      return (await import("./mongodb.js")).openMongodb(settings);
    case "":
      return nowhere();
    default:
      throw new Error(`DATABASE_URL must begin with postgresql: or mongodb:, not ${scheme}:`);
  }
}

/** Without a database answers are read and parsed, and stored nowhere. */
function nowhere() {
  const nothing = async () => {};
  return { ping: nothing, close: nothing, insert: nothing, insertBatched: nothing, replace: nothing };
}
