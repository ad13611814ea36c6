import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import * as rapid from "../index.js";

test("what is declared is what there is", async () => {
  const declarations = await readFile(new URL("../index.d.ts", import.meta.url), "utf8");
  const declared = [...declarations.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(declared.sort(), Object.keys(rapid).sort());
});
