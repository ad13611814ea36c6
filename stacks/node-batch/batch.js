// Does the job that the environment names, and ends.

import { makeCalls } from "./calls.js";
import { handTokenRound, makeTasks } from "./tasks.js";

const JOBS = { "call-batch": makeCalls, "task-creation": makeTasks, "task-switching": handTokenRound };

const { JOB = "" } = process.env;
if (!Object.hasOwn(JOBS, JOB)) {
  throw new Error(`there is no job ${JSON.stringify(JOB)}; there are: ${Object.keys(JOBS).join(", ")}`);
}
await JOBS[JOB](process.env);
