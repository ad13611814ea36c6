// The HTTP surface, all of it: no router, no layer, and no work that a request does not need.

import { readJsonObject } from "./body.js";
import { logError } from "./log.js";

const SURVEY = /^\/survey(batched)?\/([a-z0-9-]{1,32})\/([1-9]\d{0,9})$/;
const SURVEY_OF_ANY_NAME = /^\/survey(?:batched)?\/[^/]+\/[^/]+$/;
const GREATEST_USER = 2_147_483_647;

const HELLO = "Hello, World!";
const HELLO_HEADERS = {
  "content-type": "text/plain; charset=utf-8",
  "content-length": Buffer.byteLength(HELLO),
};
const EMPTY = { "content-length": "0" };

/** A listener for the "request" event of an HTTP server. `surveys` is what `openSurveys` gives. */
export function createListener(surveys) {
  const single = new Map([
    ["POST", surveys.insert],
    ["PUT", surveys.replace],
  ]);
  const batched = new Map([["POST", surveys.insertBatched]]);

  return function listener(request, response) {
    const { method, url } = request;
    if (url === "/plaintext") return answerGet(request, response, hello);
    const found = SURVEY.exec(url);
    if (found === null) return answerOther(request, response, surveys);
    const stores = found[1] === undefined ? single : batched;
    const store = stores.get(method);
    const survey = found[2];
    const user = Number(found[3]);
    if (store === undefined) return refuseMethod(response, [...stores.keys()]);
    if (user > GREATEST_USER) return sendEmpty(response, 400);
    readJsonObject(request, (refusal, answers) => {
      if (refusal !== undefined) return sendEmpty(response, refusal.status, refusal.headers);
      store({ survey, user, answers }).then(
        () => sendEmpty(response, 201),
        (error) => fail(error, request, response),
      );
    });
  };
}

function hello(response) {
  response.writeHead(200, HELLO_HEADERS);
  response.end(HELLO);
}

/** All that is not measured. */
function answerOther(request, response, { ping }) {
  const { method, url } = request;
  if (url === "/health") {
    const healthy = () => sendEmpty(response, 200);
    answerGet(request, response, () => ping().then(healthy, (error) => fail(error, request, response)));
  } else if (SURVEY_OF_ANY_NAME.test(url) && (method === "POST" || method === "PUT")) {
    sendEmpty(response, 400);
  } else {
    sendEmpty(response, 404);
  }
}

function answerGet({ method }, response, answer) {
  if (method === "GET" || method === "HEAD") answer(response);
  else refuseMethod(response, ["GET", "HEAD"]);
}

function refuseMethod(response, allowed) {
  sendEmpty(response, 405, { allow: allowed.join(", ") });
}

function fail(error, { method, url, socket }, response) {
  if (socket.destroyed) return; // nobody is left to be answered
  logError(`${method} /${url.split("/", 2)[1]}`, error);
  sendEmpty(response, 500);
}

function sendEmpty(response, status, headers) {
  response.writeHead(status, headers === undefined ? EMPTY : { ...headers, ...EMPTY });
  response.end();
}
