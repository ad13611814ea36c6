// The task barrier.

import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";

/** Connects to the barrier at this path. */
export async function meet(path) {
  const socket = connect(path);
  await once(socket, "connect");
  return new Gathering(socket);
}

/** The connection to the barrier, which all tasks share. */
class Gathering {
  #socket;
  #lines;

  constructor(socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  /** Reports one task. */
  arrive() {
    this.#socket.write(".");
  }

  /** Waits for the barrier's next line. */
  async line() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the gathering ended before all were there");
    return value;
  }

  /** Waits for the first token. */
  async token() {
    return Number(await this.line());
  }

  /** Sends the last token, and waits until the tasks may end. */
  async giveBack(token) {
    this.#socket.write(`${token}\n`);
    await this.line();
  }

  leave() {
    this.#socket.destroy();
  }
}
