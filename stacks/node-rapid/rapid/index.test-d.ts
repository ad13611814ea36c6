// What the types accept and refuse: `npm run types` compiles this, nothing runs it.

import { createServer } from "node:http";

import { HttpError, answer, createListener, createWriteBuffer } from "./index.js";

const surveys = createWriteBuffer(async (rows: { user: number }[]) => rows.length, {
  count: 8,
  milliseconds: 5,
  writesAtOnce: 4,
});

const listener = createListener(
  {
    "GET /health": () => "ok",
    "GET /items/:id(int)/:part": ({ parameters, query, signal, request }) => {
      const id: number = parameters.id;
      const part: string = parameters.part;
      // @ts-expect-error: the route has no such parameter
      parameters.other;
      // @ts-expect-error: a whole number is no string
      const wrong: string = parameters.id;
      signal.throwIfAborted();
      return { id, part, wrong, page: query.get("page"), method: request.method };
    },
    "GET /:colour(colour)": ({ parameters }) => {
      const colour: number = parameters.colour;
      return colour;
    },
    "POST /surveys/:user(int)": async ({ parameters, body }) => {
      // @ts-expect-error: what a body holds has to be checked
      body.answers;
      if (typeof body !== "object") throw new HttpError(400, { body: { error: "an object is needed" } });
      const stored: number = await surveys.add({ user: parameters.user });
      return answer({ status: 201, headers: { location: `/surveys/${stored}`, "x-tags": ["a", "b"] } });
    },
  },
  {
    types: { colour: (text: string) => (text === "red" ? 0xff0000 : undefined) },
    onError: (error, request) => console.error(request.url, error),
  },
);
createServer(listener).on("close", () => surveys.flush());

// @ts-expect-error: a handler is a function
createListener({ "GET /": "ok" });
// @ts-expect-error: a status is a number
answer({ status: "201" });
// @ts-expect-error: batches have a size
createWriteBuffer(async () => {}, { milliseconds: 5 });
// @ts-expect-error: rows have a type
surveys.add({ user: "1" });
