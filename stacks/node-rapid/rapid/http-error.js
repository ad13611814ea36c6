import { answer } from "./answer.js";

/** An answer that is thrown: `answer` makes it, and throws for the same mistakes. `cause` is for whoever logs it. */
export class HttpError extends Error {
  name = "HttpError";

  constructor(status, { headers, body, cause } = {}) {
    super(`HTTP status ${status}`, cause === undefined ? undefined : { cause });
    this.status = status;
    this.answer = answer({ status, headers, body });
  }
}
