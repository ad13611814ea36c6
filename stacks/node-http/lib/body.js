// Reading a request's body, bounded.

const LARGEST_BYTES = 65_536;
// What is too long is read on to its end, so that the client sees the answer and keeps its connection; up to here.
const MOST_DISCARDED_BYTES = 1_048_576;

const decoder = new TextDecoder("utf-8", { fatal: true });

export const TOO_LONG = Symbol("a body longer than 65,536 bytes");
export const ENDLESS = Symbol("a body too long to be read to its end");

/**
 * The JSON object that is the request's body; undefined if the body is none; TOO_LONG or ENDLESS. After ENDLESS the
 * connection has to be closed. Rejects if the client goes away.
 */
export async function readJsonObject(request) {
  const body = await read(request);
  return Buffer.isBuffer(body) ? parseObject(body) : body;
}

function read(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes <= LARGEST_BYTES) {
        chunks.push(chunk);
      } else if (bytes > MOST_DISCARDED_BYTES) {
        request.pause();
        resolve(ENDLESS);
      } else {
        chunks.length = 0;
      }
    });
    request.on("end", () => resolve(bytes > LARGEST_BYTES ? TOO_LONG : concatenated(chunks)));
    request.on("error", reject);
  });
}

function concatenated(chunks) {
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

function parseObject(body) {
  try {
    const value = JSON.parse(decoder.decode(body));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
