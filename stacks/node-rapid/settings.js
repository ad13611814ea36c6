// What the environment says, with the defaults for what it does not.

const MOST_ROWS_OF_A_BATCH = 10_000; // three parameters a row, and a statement has 65,535 at most

export function settingsFromEnvironment(env = process.env) {
  return {
    host: env.HOST || "127.0.0.1",
    port: integer(env, "PORT", 8080, 0),
    databaseUrl: env.DATABASE_URL || "",
    processes: integer(env, "WEB_CONCURRENCY", 1),
    poolSize: integer(env, "DB_POOL", 16),
    batchSize: integer(env, "BATCH_SIZE", 8, 1, MOST_ROWS_OF_A_BATCH),
    writes: oneOf(env, "WRITES", ["single", "batched", "fire-and-forget"]),
    stores: oneOf(env, "STORES", ["object", "string", "null"]),
    matching: oneOf(env, "MATCHING", ["compiled", "route-by-route"]),
  };
}

function integer(env, name, fallback, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) {
  const text = env[name] || String(fallback);
  if (!/^\d+$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
    throw new Error(`${name} must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
  }
  return Number(text);
}

/** The first of `names` is the default. */
function oneOf(env, name, names) {
  const text = env[name] || names[0];
  if (!names.includes(text)) throw new Error(`${name} must be one of ${names.join(", ")}, not "${text}"`);
  return text;
}
