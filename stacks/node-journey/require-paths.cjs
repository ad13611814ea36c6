// journey sets `require.paths`, which Node.js had until 0.4. It gets an array there, and nobody else does.
const { prototype } = require("node:module");
const compile = prototype._compile;
prototype._compile = function (content, filename, ...rest) {
  const shim = filename.endsWith("/node_modules/journey/lib/journey.js") ? "require.paths = [];" : "";
  return compile.call(this, shim + content, filename, ...rest);
};
