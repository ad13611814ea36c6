// The jobs `task-creation` and `task-switching`: tasks that all exist at once, and tasks that hand a token round.

import { meet } from "./gathering.js";
import { positiveInteger } from "./numbers.js";

// What a task may be. Each file has `create(count, gathering)` and `goRound(count, switches, gathering)`.
const KINDS = {
  promise: () => import("./tasks/promises.js"),
  worker: () => import("./tasks/workers.js"),
};

/** Makes tasks that all exist at once. Each reports that it is there, and waits until it may end. */
export async function makeTasks({ TASKS, GATHERING, TASK }) {
  const count = positiveInteger("TASKS", TASKS);
  const { create } = await kind(TASK);
  const gathering = await meet(GATHERING);
  await create(count, gathering);
  gathering.leave();
}

/** Makes tasks in a ring, each of which hands the token to the next. */
export async function handTokenRound({ TASKS, SWITCHES, GATHERING, TASK }) {
  const count = positiveInteger("TASKS", TASKS);
  const switches = positiveInteger("SWITCHES", SWITCHES);
  const { goRound } = await kind(TASK);
  const gathering = await meet(GATHERING);
  await goRound(count, switches, gathering);
  gathering.leave();
}

function kind(name = "promise") {
  if (!Object.hasOwn(KINDS, name)) {
    throw new Error(`TASK must be one of ${Object.keys(KINDS).join(", ")}, not ${JSON.stringify(name)}`);
  }
  return KINDS[name]();
}
