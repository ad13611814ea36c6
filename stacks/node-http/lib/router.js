// Paths to handlers. Compiled once: fixed paths are one look-up, others a walk over their segments.

const NO_PARAMETERS = Object.freeze({});

/**
 * `routes`: [method, pattern, handle], with patterns such as "/items/{uuid}". Gives a function from a path to
 * `{methods, parameters}`, or undefined if no route has this path. `methods` maps a method to its handle.
 */
export function compileRoutes(routes) {
  const fixed = new Map();
  const root = newNode();

  for (const [method, pattern, handle] of routes) {
    const names = [];
    let node = root;
    for (const segment of pattern.slice(1).split("/")) {
      if (segment.startsWith("{")) {
        names.push(segment.slice(1, -1));
        node = node.any ??= newNode();
      } else {
        if (!node.children.has(segment)) node.children.set(segment, newNode());
        node = node.children.get(segment);
      }
    }
    node.leaf ??= { methods: new Map(), names };
    node.leaf.methods.set(method, handle);
    if (names.length === 0) fixed.set(pattern, { methods: node.leaf.methods, parameters: NO_PARAMETERS });
  }

  return (path) => fixed.get(path) ?? walk(root, path);
}

function newNode() {
  return { children: new Map(), any: undefined, leaf: undefined };
}

function walk(root, path) {
  if (!path.startsWith("/")) return undefined;
  const values = [];
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const child = node.children.get(segment);
    if (child) {
      node = child;
    } else if (node.any && segment !== "") {
      values.push(decode(segment));
      node = node.any;
    } else {
      return undefined;
    }
  }
  if (!node.leaf) return undefined;
  const parameters = {};
  node.leaf.names.forEach((name, i) => (parameters[name] = values[i]));
  return { methods: node.leaf.methods, parameters };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a malformed escape sequence stands for itself: no row is called so
  }
}
