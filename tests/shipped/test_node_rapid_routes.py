"""node-rapid's variant `route-by-route`: routes that are tried one after the other answer as compiled ones do."""

import json
import os
import subprocess
from pathlib import Path

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.machine.needs import needs

STACK = find_stacks()["node-rapid"]

REQUESTS = """
import { createServer } from "node:http";
const { createApp } = await import("./app.js");
const { settingsFromEnvironment } = await import("./settings.js");

let compared = 0;
const stored = [];
const store = async (row) => void stored.push(row);
const database = { ping: async () => {}, surveys: { insert: store, replace: store } };
const { listener } = createApp(database, settingsFromEnvironment());
const { findIndex } = Array.prototype;
Array.prototype.findIndex = function (...given) {
  if (Array.isArray(this[0])) compared += 1; // rows of segments
  return findIndex.apply(this, given);
};

const server = createServer(listener).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const base = `http://127.0.0.1:${server.address().port}`;
const headers = { "content-type": "application/json" };
const asked = [
  ["GET", "/plaintext"], ["HEAD", "/plaintext"], ["GET", "/plaintext?x=/1"], ["GET", "/health"], ["GET", "/"],
  ["GET", "/0"], ["GET", "/nowhere"], ["GET", "/survey/s1/1"], ["DELETE", "/plaintext"],
  ["POST", "/survey/s1/1", "{}"], ["POST", "/survey/s%2d1/2?x=1", '{"Q1":"yes"}'], ["PUT", "/survey/s1/3", "{}"],
  ["POST", "/survey/s1/0", "{}"], ["POST", "/survey/S1/1", "{}"], ["POST", "/survey/%ff/1", "{}"],
  ["POST", "/survey//1", "{}"], ["POST", "/survey/s1/1/", "{}"], ["POST", "/survey/s1/1", "{"],
  ["POST", "/survey/s1/1", "[]"],
];
const answers = [];
for (const [method, path, body] of asked) {
  const answer = await fetch(base + path, { method, body, headers: body && headers });
  answers.push([method, path, answer.status, answer.headers.get("allow"), await answer.text()]);
}
server.close();
server.closeAllConnections();
console.log(JSON.stringify({ answers, stored, compared, asked: asked.length }));
"""
"""Every kind of request to the app: what it answers and stores, and how many times it looked through the routes."""


def answered(built: Path, variant: str) -> dict[str, object]:
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", REQUESTS],
        cwd=built,
        env={"PATH": os.environ["PATH"], **(STACK.variants[variant].env if variant != "default" else {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@needs("node-rapid")
def test_routes_that_are_tried_in_turn_answer_as_compiled_ones(cache: Path, tmp_path: Path) -> None:
    built = ready(BuildRequest(STACK, tmp_path / "log", lambda: None, versions=installed_versions(STACK))).folder
    compiled, in_turn = answered(built, "default"), answered(built, "route-by-route")
    assert in_turn["answers"] == compiled["answers"]
    assert in_turn["stored"] == compiled["stored"]
    assert isinstance(compiled["stored"], list) and len(compiled["stored"]) == 3
    assert compiled["compared"] == 0, "one look-up, and no walk"
    assert in_turn["compared"] == in_turn["asked"], "each request walks through the routes"
