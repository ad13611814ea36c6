// What a handler gets.

import { queryOf } from "./target.js";

/**
 * `parameters` and `body` have been read. `query` and `signal` are made when a handler first asks for them: a request
 * that needs neither costs nothing for them but the reference to its response.
 */
export class Context {
  #response;

  constructor(parameters, body, request, response) {
    this.parameters = parameters;
    this.body = body;
    this.request = request;
    this.#response = response;
  }

  get query() {
    return this.#keep("query", queryOf(this.request.url));
  }

  get signal() {
    return this.#keep("signal", signalOf(this.request, this.#response));
  }

  #keep(name, value) {
    Object.defineProperty(this, name, { value });
    return value;
  }
}

/** A signal that is aborted if the client goes away before it has its answer. */
function signalOf({ socket }, response) {
  const controller = new AbortController();
  const gone = () => controller.abort();
  if (socket.destroyed) {
    gone();
  } else {
    socket.setMaxListeners(0); // a client that pipelines has many requests on one connection
    socket.once("close", gone);
    // The socket, as the response of a pipelined request that waits for its turn is told nothing.
    response.once("finish", () => socket.off("close", gone));
  }
  return controller.signal;
}
