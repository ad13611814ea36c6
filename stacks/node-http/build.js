// node build.js SERVICES: compiles, or downloads, the native driver of SQLite if SERVICES, separated by commas, name it.

import { execFileSync } from "node:child_process";

const [services = "sqlite"] = process.argv.slice(2);

if (services.split(",").includes("sqlite")) {
  execFileSync("npm", ["rebuild", "better-sqlite3"], { stdio: "inherit" });
  // Fails at once if npm left the native module unbuilt.
  const { default: Database } = await import("better-sqlite3");
  new Database(":memory:").close();
}
