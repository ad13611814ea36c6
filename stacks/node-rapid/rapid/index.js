export { answer } from "./answer.js";
export { HttpError } from "./http-error.js";
export { createListener } from "./listener.js";
export { createWriteBuffer } from "./write-buffer.js";
