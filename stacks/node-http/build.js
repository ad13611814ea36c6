// node build.js SERVICES: compiles, or downloads, the native driver of SQLite if SERVICES, separated by commas, name it.

import { execFileSync } from "node:child_process";

const [services = "sqlite"] = process.argv.slice(2);

if (services.split(",").includes("sqlite")) {
  // -O2 as SQLite's authors advise, and as other drivers compile it; the last option counts. -O3 takes a third longer.
  const env = { ...process.env, CFLAGS: "-O2" };
  execFileSync("npm", ["rebuild", "better-sqlite3"], { stdio: "inherit", env });
  // Fails at once if npm left the native module unbuilt.
  const { default: Database } = await import("better-sqlite3");
  new Database(":memory:").close();
}
