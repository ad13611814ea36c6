// The HTTP surface. journey tries one route after the other, each a regular expression of its own.

import journey from "journey";

import { logError } from "./log.js";

const LARGEST_USER = 2_147_483_647;

export function createRouter(surveys) {
  const storedBy = (where, store) => (response, _survey, user, answers) => {
    // journey makes numbers of parameters that look like one: right for a user, wrong for a survey that is called 007.
    const [, , survey] = response.request.url.pathname.split("/");
    if (!isSurvey(survey) || !isUser(user)) {
      response.send(400, {}, "");
      return;
    }
    store({ survey, user, answers }).then(
      () => response.send(201, {}, ""),
      (error) => failed(response, where, error),
    );
  };

  return new journey.Router((map) => {
    map.get("/health").bind((response) => {
      surveys.ping().then(
        () => response.send({ status: "ok" }),
        (error) => failed(response, "GET /health", error),
      );
    });
    map.get("/plaintext").bind((response) => {
      response.send(200, { "Content-Type": "text/plain" }, "Hello, World!");
    });
    map
      .post(/^survey\/([^/]+)\/([^/]+)$/)
      .ensure(isJsonObject)
      .bind(storedBy("POST /survey", surveys.insert));
    map
      .put(/^survey\/([^/]+)\/([^/]+)$/)
      .ensure(isJsonObject)
      .bind(storedBy("PUT /survey", surveys.replace));
    map
      .post(/^surveybatched\/([^/]+)\/([^/]+)$/)
      .ensure(isJsonObject)
      .bind(storedBy("POST /surveybatched", surveys.insertBatched));
  });
}

/**
 * journey takes a body of any other type for a form and a missing one for an empty object, and `null` makes it throw.
 * What begins as an object does is one, or journey answers 400 itself.
 */
function isJsonObject({ method, headers }, body, done) {
  const expected = method === "POST" || method === "PUT";
  const given = /^application\/json\b/.test(headers["content-type"]) && /^\s*\{/.test(body);
  done(expected && !given ? new journey.BadRequest("the body is no JSON object") : undefined);
}

function failed(response, where, error) {
  logError(where, error);
  response.send(500, {}, "");
}

function isSurvey(text) {
  return /^[a-z0-9-]{1,32}$/.test(text);
}

function isUser(value) {
  return Number.isInteger(value) && value >= 1 && value <= LARGEST_USER;
}
