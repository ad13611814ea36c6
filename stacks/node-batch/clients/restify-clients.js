// The client library of restify with its defaults, as the first client of a published study used it.

import { Agent } from "node:http";

import restifyClients from "restify-clients";

export function open(url, connections, timeoutMs) {
  // The agent of the variant `built-in`: the two differ in the library alone.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  const client = restifyClients.createStringClient({
    url: url.origin,
    agent,
    requestTimeout: timeoutMs,
    proxy: false, // whatever the environment says: the server is on this machine
  });
  const path = url.pathname + url.search;

  return {
    call: () => new Promise((resolve, reject) => client.get(path, answered(resolve, reject))),
    close: () => client.close(),
  };
}

function answered(resolve, reject) {
  return (error, _request, response) => {
    if (response && response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
    else if (error) reject(error);
    else resolve();
  };
}
