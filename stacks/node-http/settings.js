// What the environment says, with the defaults for what it does not.

const MOST_ROWS_OF_A_BATCH = 10_000; // three parameters a row, and a statement has 65,535 at most

export function settingsFromEnvironment(env = process.env) {
  return {
    host: env.HOST || "127.0.0.1",
    port: integer(env, "PORT", 8080, 0),
    databaseUrl: env.DATABASE_URL || "",
    cacheUrl: env.CACHE_URL || "",
    upstreamUrl: env.UPSTREAM_URL || "",
    processes: integer(env, "WEB_CONCURRENCY", 1),
    poolSize: integer(env, "DB_POOL", 16),
    upstreamPool: integer(env, "UPSTREAM_POOL", 16),
    batchSize: integer(env, "BATCH_SIZE", 8, 1, MOST_ROWS_OF_A_BATCH),
    matchThreads: integer(env, "MATCH_THREADS", 0, 0),
    accessLog: env.ACCESS_LOG === "on",
  };
}

function integer(env, name, fallback, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) {
  const text = env[name] || String(fallback);
  if (!/^\d+$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
    const upTo = maximum === Number.MAX_SAFE_INTEGER ? "" : ` to ${maximum}`;
    throw new Error(`${name} must be a whole number from ${minimum}${upTo}, not "${text}"`);
  }
  return Number(text);
}
