/** An answer that is thrown: this status, these headers, an empty body. */
export class HttpError extends Error {
  constructor(status, headers = {}) {
    super(`HTTP status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}
