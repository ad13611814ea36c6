// The target of a request (RFC 9112, section 3.2): its path and its query.

import { HttpError } from "./http-error.js";

const SLASH = "/".charCodeAt(0);
const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** The path, undecoded; `*` of the whole server. Throws 400 for a target that is none of these. */
export function pathOf(target) {
  // Nearly every target begins with its path, and no more of it is looked at.
  if (target.charCodeAt(0) !== SLASH) return target === "*" ? target : pathOfAbsolute(target);
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** A server has to accept `http://host/path` (RFC 9112, section 3.2.2): clients ask proxies so. */
function pathOfAbsolute(target) {
  const origin = ORIGIN.exec(target);
  if (origin === null) throw new HttpError(400);
  const rest = target.slice(origin[0].length);
  return pathOf(rest.startsWith("/") ? rest : `/${rest}`);
}

/** The query as the URL standard parses it; empty if there is none. */
export function queryOf(target) {
  const query = target.indexOf("?");
  return new URLSearchParams(query === -1 ? "" : target.slice(query));
}

/**
 * One form for all paths that are the same (RFC 3986, section 6.2.2): escapes are decoded, but for those of `/` and `%`,
 * which would mean something else without them. Throws 400 for an escape that is malformed, or no UTF-8.
 */
export function canonical(path) {
  return path.split("/").map(canonicalSegment).join("/");
}

function canonicalSegment(segment) {
  try {
    return decodeURIComponent(segment).replace(/[%/]/g, encodeURIComponent);
  } catch {
    throw new HttpError(400);
  }
}
