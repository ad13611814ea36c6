// transaction-mix: units of work of five weights, each on one connection, one statement after the other.

import { empty, json, unavailable } from "../lib/reply.js";

/** By weight: what is done on a connection; gives the first count. */
const UNITS = new Map([
  ["very-light", veryLight],
  ["light", light],
  ["moderate", moderate],
  ["heavy", heavy],
  ["very-heavy", veryHeavy],
]);

export function unitRoutes(units) {
  return [["POST", "/units/{weight}", units ? (parameters) => unitOfWork(units, parameters) : unavailable]];
}

async function unitOfWork(units, { weight }) {
  const work = UNITS.get(weight);
  return work ? json({ units: await units.onConnection(work) }) : empty(404);
}

function veryLight(connection) {
  return connection.count();
}

async function light(connection) {
  const count = await connection.count();
  await connection.insert();
  return count;
}

async function moderate(connection) {
  await connection.begin();
  const count = await connection.count();
  await connection.count();
  await connection.insert();
  await connection.rollback();
  return count;
}

async function heavy(connection) {
  await connection.begin();
  const count = await connection.count();
  await connection.count();
  await connection.count();
  await connection.increment(await connection.insert());
  await connection.commit();
  return count;
}

async function veryHeavy(connection) {
  await connection.begin();
  const count = await connection.count();
  await connection.count();
  await connection.count();
  await connection.countRed();
  const id = await connection.insert();
  await connection.increment(id);
  await connection.increment(id);
  await connection.commit();
  return count;
}
