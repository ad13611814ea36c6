import type { IncomingMessage, ServerResponse } from "node:http";

type Awaitable<T> = T | PromiseLike<T>;

/** What may be sent: a string is text, bytes are bytes, all else is JSON. */
export type Body = unknown;

/** Values by name. `content-length` and `transfer-encoding` follow from the body and are refused. */
export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

/** Made by `answer()`; may be given as often as you like. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly payload: string | Uint8Array | undefined;
}

/**
 * An answer of this status (200, or 204 without a body), with these headers and this body.
 *
 * @throws RangeError for a status that is not 200 to 599
 * @throws TypeError for a header or a body that cannot be sent
 */
export function answer(options?: { status?: number; headers?: Headers; body?: Body }): Answer;

/** An answer that is thrown. Throws itself what `answer()` throws. */
export class HttpError extends Error {
  constructor(status: number, options?: { headers?: Headers; body?: Body; cause?: unknown });
  readonly status: number;
  readonly answer: Answer;
}

/** Reads a parameter's text; undefined if the text is none, which is answered 400. */
export type ReadParameter = (text: string) => unknown;
export type Types = Readonly<Record<string, ReadParameter>>;

interface OwnTypes {
  text: string;
  int: number;
}
type ValueOf<Type extends string, T extends Types> = Type extends keyof T
  ? Exclude<ReturnType<T[Type]>, undefined>
  : Type extends keyof OwnTypes
    ? OwnTypes[Type]
    : never;
type ParameterOf<Segment extends string, T extends Types> = Segment extends `:${infer Name}(${infer Type})`
  ? { [Key in Name]: ValueOf<Type, T> }
  : Segment extends `:${infer Name}`
    ? { [Key in Name]: string }
    : {};
/** The parameters of a route: `{ id: number }` of `"GET /items/:id(int)"`. */
export type ParametersOf<
  Route extends string,
  T extends Types = {},
> = Route extends `${infer Segment}/${infer Rest}`
  ? ParameterOf<Segment, T> & ParametersOf<Rest, T>
  : ParameterOf<Route, T>;

/** What a handler gets. `query` and `signal` are made when they are first asked for. */
export interface Context<Parameters = Readonly<Record<string, unknown>>> {
  readonly parameters: Parameters;
  /** The body, parsed as JSON; undefined if there is none. Its shape is for the handler to check. */
  readonly body: unknown;
  readonly query: URLSearchParams;
  /** Aborted if the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** For its head: its events `end` and `close` need not come. */
  readonly request: IncomingMessage;
}

/** Gives, or resolves to, an `Answer`, a string, bytes, a value that is sent as JSON, or undefined for 204. */
export type Handler<Parameters = Readonly<Record<string, unknown>>> = (
  context: Context<Parameters>,
) => Awaitable<Answer | Body>;

export interface ListenerOptions<T extends Types = {}> {
  /** Types of parameters beside `text` and `int`. */
  types?: T;
  /** The longest body; 1 MiB if it is not set. */
  bodyLimitBytes?: number;
  /** Told what a handler threw, unless it was an HttpError; `console.error` if it is not set. */
  onError?: (error: unknown, request: IncomingMessage) => unknown;
}

/**
 * A listener for the "request" event of an HTTP server.
 *
 * @param routes handlers by `METHOD /pattern`, such as `"GET /items/:id(int)"`
 * @throws Error for a route that cannot be understood, or that would never be called
 */
export function createListener<Route extends string, T extends Types = {}>(
  routes: { readonly [R in Route]: Handler<ParametersOf<R, T>> },
  options?: ListenerOptions<T>,
): (request: IncomingMessage, response: ServerResponse) => void;

export interface WriteBufferOptions {
  /** How many rows are written together. */
  count: number;
  /** How long the first row of a batch waits for others. */
  milliseconds: number;
  /** How many writes may be under way; 8 if it is not set. */
  writesAtOnce?: number;
  /** How many rows may wait or be under way before `add` refuses more; 10,000 if it is not set. */
  mostRows?: number;
}

export interface WriteBuffer<Row, Written> {
  /** Resolves to what the write gave that stored this row; rejects if it failed, and with a 503 if there are too many. */
  add(row: Row): Promise<Written>;
  /** Writes what waits; resolves when every row that was added before is stored or has failed. Never rejects. */
  flush(): Promise<void>;
}

/**
 * Rows of several requests, written together.
 *
 * @param write resolves when all of the rows are stored
 * @throws RangeError for a number that is no whole one, or too small
 */
export function createWriteBuffer<Row, Written = void>(
  write: (rows: Row[]) => Awaitable<Written>,
  options: WriteBufferOptions,
): WriteBuffer<Row, Written>;
