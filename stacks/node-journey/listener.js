// From node:http to journey, which is handed a request when its body is complete.

const LARGEST_BODY_BYTES = 65_536;

export function createListener(router) {
  return (request, response) => {
    const chunks = [];
    let bytes = 0;
    request.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    });
    request.on("end", () => {
      if (bytes > LARGEST_BODY_BYTES) {
        empty(response, 413);
        return;
      }
      try {
        router.route(request, Buffer.concat(chunks).toString(), ({ status, headers, body }) => {
          response.writeHead(status, headers);
          response.end(body);
        });
      } catch {
        empty(response, 400); // a target that cannot be parsed
      }
    });
    request.on("error", () => {}); // nobody is left to be answered
  };
}

function empty(response, status) {
  response.writeHead(status, { "Content-Length": 0 });
  response.end();
}
