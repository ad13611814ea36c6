// Preloaded into a server of Node.js, it makes each request dearer: the process is busy for so many microseconds before
// the server sees the request. SPIN_US says how many, or else the file `spin_us` beside this one.

const { readFileSync } = require("node:fs");
const { Server } = require("node:http");
const { join } = require("node:path");

const milliseconds = Number(process.env.SPIN_US ?? readFileSync(join(__dirname, "spin_us"), "utf8")) / 1000;
const { emit } = Server.prototype;

Server.prototype.emit = function (event, ...details) {
  if (event === "request") {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  }
  return emit.call(this, event, ...details);
};
