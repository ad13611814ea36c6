// Tasks that are async functions, in one event loop.

import { step } from "./token.js";

export async function create(count, gathering) {
  let release;
  const mayEnd = new Promise((resolve) => {
    release = resolve;
  });
  const tasks = Array.from({ length: count }, async () => {
    gathering.arrive();
    await mayEnd;
  });
  await gathering.line();
  release();
  await Promise.all(tasks);
}

/** Hands a token round a ring of tasks, each of which has an inbox. No message ends a task. */
export async function goRound(count, switches, gathering) {
  const inboxes = Array.from({ length: count }, () => new Inbox());
  const last = new Inbox();
  const tasks = inboxes.map(async (inbox, number) => {
    const successor = inboxes[(number + 1) % count];
    gathering.arrive();
    for (let received = await inbox.take(); received; received = await inbox.take()) {
      const token = step(received.token, number);
      if (received.left === 1) last.put(token);
      else successor.put({ token, left: received.left - 1 });
    }
  });
  inboxes[0].put({ token: await gathering.token(), left: switches });
  await gathering.giveBack(await last.take());
  for (const inbox of inboxes) inbox.put(undefined);
  await Promise.all(tasks);
}

/** Holds one message until it is taken: JavaScript has no queue that can be awaited. */
class Inbox {
  #deliver;
  #delivered = this.#next();

  put(message) {
    this.#deliver(message);
  }

  async take() {
    const message = await this.#delivered;
    this.#delivered = this.#next();
    return message;
  }

  #next() {
    return new Promise((resolve) => {
      this.#deliver = resolve;
    });
  }
}
