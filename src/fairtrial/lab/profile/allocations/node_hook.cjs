// Loaded into Node.js programs by NODE_OPTIONS. When the lab asks for it, it takes a CPU profile of this process, unlike
// `--cpu-prof` for the time of the load alone and without a clean exit; and tells the bytes that were allocated on V8's
// heap: what there is more of, and what collections took away.
"use strict";
try {
  const fs = require("node:fs");
  const path = require("node:path");
  const v8 = require("node:v8");
  const { Session } = require("node:inspector");
  const { threadId } = require("node:worker_threads");
  const LOOK_EVERY_MILLISECONDS = 50;
  const SAMPLE_EVERY_MICROSECONDS = 1000;
  const folder = process.env.FAIRTRIAL_PROFILE;
  const own = (what) => path.join(folder, `${process.pid}-${threadId}.${what}`);
  const say = (what, text = "") => {
    fs.writeFileSync(own("part"), text);
    fs.renameSync(own("part"), own(what));
  };
  const used = () => v8.getHeapStatistics().used_heap_size;
  let collections, before, session;
  const count = () => {
    collections = new v8.GCProfiler(); // of Node.js 18.15 and newer
    collections.start();
    before = used();
    say("counting");
  };
  const endCount = () => {
    let bytes = used() - before;
    for (const { beforeGC, afterGC } of collections.stop().statistics)
      bytes += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    say("allocated", `bytes ${bytes}`);
  };
  const begin = () => {
    session = new Session();
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_MICROSECONDS });
    session.post("Profiler.start");
    say("begun");
  };
  const end = () =>
    session.post("Profiler.stop", (error, answer) => {
      session.disconnect();
      say("cpuprofile", JSON.stringify(error ? { error } : answer.profile));
    });
  // Counting ends first: a profile is large.
  const waiting = [
    v8.GCProfiler ? [["count", count], ["end-count", endCount]] : [],
    [[`${process.pid}.begin`, begin], [`${process.pid}.end`, end]],
  ];
  const look = setInterval(() => {
    try {
      for (const steps of waiting)
        if (steps.length && fs.existsSync(path.join(folder, steps[0][0]))) steps.shift()[1]();
      if (!waiting.flat().length) clearInterval(look);
    } catch {
      clearInterval(look); // the program matters more
    }
  }, LOOK_EVERY_MILLISECONDS);
  look.unref();
  say("ready");
} catch {
  // an old Node.js, or a folder that has gone: the program runs without a profile
}
