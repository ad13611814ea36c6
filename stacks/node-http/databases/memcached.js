// memcached: one connection per process, on which memjs sends requests without waiting for answers to those before.

import { promisify } from "node:util";

import { Client } from "memjs";

const TIME_LIMIT_SECONDS = 5;
const SILENT = { log: () => {} }; // errors reach whoever asked, and are logged there

export function open(url) {
  const { host } = new URL(url);
  const client = Client.create(host, { timeout: TIME_LIMIT_SECONDS, logger: SILENT });
  const statistics = promisify((done) => client.stats(done));

  return {
    ping: () => statistics(),
    close: () => client.close(),
    values: {
      get: async (key) => (await client.get(key)).value?.toString(),
      put: (key, value, seconds) => client.set(key, value, { expires: seconds }),
    },
  };
}
