import { createApp } from "./app.js";
import { inProcesses } from "./processes.js";
import { settingsFromEnvironment } from "./settings.js";
import { openStore } from "./store.js";

const DRAIN_MS = 2000;

const settings = settingsFromEnvironment();

await inProcesses(settings.processes, async () => {
  const store = await openStore(settings);
  const app = createApp(store);
  await app.listen({ host: settings.host, port: settings.port, backlog: 1024 });
  return async () => {
    setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref();
    await app.close(); // idle connections at once, the others when they are answered
    await store.close();
  };
});
