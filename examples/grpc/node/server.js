// A shop by gRPC on grpc-js, with its items in memory.
"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const GRACE_MS = 2000;
const KINDS = ["teapot", "cup", "saucer", "spoon"];
const ITEMS = new Map();
for (let id = 1; id <= 1000; id++) {
  const kind = KINDS[id % 4];
  ITEMS.set(id, { id, name: `${kind} ${id}`, price_cents: 100 + id, tags: [kind, "new"] });
}

const missing = (id) => ({ code: grpc.status.NOT_FOUND, details: `there is no item ${id}` });

function look({ request }, answer) {
  const item = ITEMS.get(request.id);
  answer(item ? null : missing(request.id), item);
}

function order({ request }, answer) {
  if (request.quantity < 1) {
    return answer({ code: grpc.status.INVALID_ARGUMENT, details: "a quantity is 1 or more" });
  }
  const item = ITEMS.get(request.item);
  answer(item ? null : missing(request.item), item && { item: item.id, total_cents: item.price_cents * request.quantity });
}

async function browse(call) {
  const { first, count } = call.request;
  for (let id = first; id < first + count; id++) {
    const item = ITEMS.get(id);
    if (!item) {
      return call.destroy(missing(id));
    }
    if (!call.write(item)) {
      await new Promise((resolve) => call.once("drain", resolve).once("cancelled", resolve));
      if (call.cancelled) {
        return;
      }
    }
  }
  call.end();
}

const proto = loader.loadSync(path.join(__dirname, "shop.proto"), { keepCase: true, longs: Number });
const server = new grpc.Server();
server.addService(grpc.loadPackageDefinition(proto).shop.Shop.service, { Look: look, Order: order, Browse: browse });
const address = `${process.env.HOST || "127.0.0.1"}:${process.env.PORT || "8080"}`;
server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) {
    throw error;
  }
});
process.on("SIGTERM", () => {
  setTimeout(() => server.forceShutdown(), GRACE_MS).unref(); // connections that stay open do not hold it up
  server.tryShutdown(() => process.exit(0));
});
