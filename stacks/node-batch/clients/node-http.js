// One call through the client of node:http, whatever its agent does with connections.

import { get } from "node:http";

/** Resolves when an answer of status 200 was read to its end. */
export function callThrough(agent, url, timeoutMs) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: timeoutMs }, (response) => {
      response.on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`status ${response.statusCode}`));
      });
      response.on("error", reject); // the connection ended before the answer did
      response.resume();
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on("error", reject);
  });
}
