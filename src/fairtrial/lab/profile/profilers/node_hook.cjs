// Loaded into Node.js programs by NODE_OPTIONS. It waits for the lab to ask for a CPU profile of this process, and
// writes it: unlike `--cpu-prof`, for the time of the load alone, and without a clean exit.
"use strict";
try {
  const fs = require("node:fs");
  const path = require("node:path");
  const { Session } = require("node:inspector");
  const { threadId } = require("node:worker_threads");
  const LOOK_EVERY_MILLISECONDS = 50;
  const SAMPLE_EVERY_MICROSECONDS = 1000;
  const folder = process.env.FAIRTRIAL_PROFILE;
  const asked = (what) => fs.existsSync(path.join(folder, `${process.pid}.${what}`));
  const own = (what) => path.join(folder, `${process.pid}-${threadId}.${what}`);
  let session = null;
  const look = setInterval(() => {
    try {
      if (session === null && asked("begin")) {
        session = new Session();
        session.connect();
        session.post("Profiler.enable");
        session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_MICROSECONDS });
        session.post("Profiler.start");
        fs.writeFileSync(own("begun"), "");
      } else if (session !== null && asked("end")) {
        clearInterval(look);
        session.post("Profiler.stop", (error, answer) => {
          session.disconnect();
          fs.writeFileSync(own("part"), JSON.stringify(error ? { error } : answer.profile));
          fs.renameSync(own("part"), own("cpuprofile"));
        });
      }
    } catch {
      clearInterval(look); // the program matters more
    }
  }, LOOK_EVERY_MILLISECONDS);
  look.unref();
  fs.writeFileSync(own("ready"), "");
} catch {
  // an old Node.js, or a folder that has gone: the program runs without a profile
}
