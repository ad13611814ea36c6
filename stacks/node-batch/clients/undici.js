// The leanest way that undici documents: a pool of kept connections, and callbacks for what comes of an answer.

import { Pool } from "undici";

export function open(url, connections, timeoutMs) {
  const pool = new Pool(url.origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const request = { method: "GET", path: url.pathname + url.search };

  return {
    call: () => new Promise((resolve, reject) => pool.dispatch(request, new Answer(resolve, reject))),
    close: () => pool.close(),
  };
}

/** Reads an answer to its end. An answer that is shorter than its length says is an error of undici's. */
class Answer {
  constructor(resolve, reject) {
    this.resolve = resolve;
    this.reject = reject;
  }

  onRequestStart() {}

  onResponseStart(_controller, status) {
    this.status = status;
  }

  onResponseData() {}

  onResponseEnd() {
    if (this.status === 200) this.resolve();
    else this.reject(new Error(`status ${this.status}`));
  }

  onResponseError(_controller, error) {
    this.reject(error);
  }
}
