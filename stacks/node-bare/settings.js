// What the environment says, with the defaults for what it does not.

export function settingsFromEnvironment(env = process.env) {
  return {
    host: env.HOST || "127.0.0.1",
    port: integer(env, "PORT", 8080, 0),
    databaseUrl: env.DATABASE_URL || "",
    processes: integer(env, "WEB_CONCURRENCY", 1),
    poolSize: integer(env, "DB_POOL", 16),
    batchSize: integer(env, "BATCH_SIZE", 8),
  };
}

function integer(env, name, fallback, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) {
  const text = env[name] || String(fallback);
  if (!/^\d+$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
    throw new Error(`${name} must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
  }
  return Number(text);
}
