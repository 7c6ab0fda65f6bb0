import type { Paths } from './generated/openapi.ts';
import { readJson, restoreInvisible } from './reveal-invisible.ts';
import type { Problem } from './types.ts';
import { createWriteOnce } from './write-once.ts';

/** The problem document of a rejected request, or of a server that could not be reached (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly title: string;
  readonly reason: string;
  readonly requestId: string;
  readonly errors: Problem['errors'];
  readonly links: NonNullable<Problem['links']>;
  /** The method and path of the request. */
  readonly target: string;

  constructor({ status, title, reason, detail, instance, errors, links }: Partial<Problem>, target = '') {
    super(detail ?? 'The request failed.');
    this.name = 'ApiProblem';
    this.status = status ?? 0;
    this.title = title ?? 'The server cannot be reached';
    this.reason = reason ?? 'unreachable';
    this.requestId = instance ?? '';
    this.errors = errors ?? [];
    this.links = links ?? [];
    this.target = target;
  }
}

type Method = 'get' | 'post' | 'put' | 'delete';
type PathWith<M extends Method> = { [P in keyof Paths]: M extends keyof Paths[P] ? P : never }[keyof Paths] & string;
type Operation<M extends Method, P extends keyof Paths> = Paths[P] extends Record<M, infer O> ? O : never;
type Field<O, Name extends string> = O extends Record<Name, infer Value> ? Value : never;
type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;

export type RequestOptions<M extends Method, P extends PathWith<M>> = {
  params: Record<ParamNames<P>, string>;
  query?: Field<Operation<M, P>, 'query'>;
  body?: Field<Operation<M, P>, 'body'>;
  /** The bytes of an operation that takes a file, sent with the type of the file. */
  file?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Calls an operation of the API with the session of the browser; throws `ApiProblem`. */
export async function request<M extends Method, P extends PathWith<M>>(
  method: M,
  path: P,
  { params, query, body, file, headers, signal }: RequestOptions<M, P>,
): Promise<Field<Operation<M, P>, 'response'>> {
  const url = toUrl(path, params, query as object | undefined);
  const init = {
    method: method.toUpperCase(),
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(file && { 'Content-Type': file.type }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(file && { body: file }),
    ...(signal && { signal }),
  };
  // A request that a page may abort, such as a preview, changes nothing.
  const response = method === 'get' || file || signal ? read(url, init) : writeOnce(url, init);
  return (await response) as Field<Operation<M, P>, 'response'>;
}

async function read(url: string, init: RequestInit): Promise<unknown> {
  const text = await readText(url, init);
  return text === '' ? undefined : readJson(text);
}

/** Reads a response of any type as it is; throws `ApiProblem`. */
export async function readText(url: string, init: RequestInit): Promise<string> {
  const response = await send(url, init);
  if (!response.ok) throw new ApiProblem(await readProblem(response), `${init.method} ${url}`);
  return await receive(response.text(), url, init);
}

const send = async (url: string, init: RequestInit): Promise<Response> => await receive(fetch(url, init), url, init);

/** Throws a problem with `status` 0 when the connection ends before the whole response is there. */
async function receive<T>(received: Promise<T>, url: string, init: RequestInit): Promise<T> {
  try {
    return await received;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const detail = 'The connection to the server failed. Check the network, then retry.';
    throw new ApiProblem({ detail }, `${init.method} ${url}`);
  }
}

/** A proxy in front of the API may answer without a problem document. */
async function readProblem(response: Response): Promise<Partial<Problem>> {
  const fallback = {
    status: response.status,
    title: response.statusText,
    detail: `The server responded ${response.status}.`,
  };
  if (!response.headers.get('Content-Type')?.includes('json')) return fallback;
  return { ...fallback, ...(readJson(await response.text()) as Partial<Problem>) };
}

export function toUrl(path: string, params: Record<string, string>, query: object = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  // Pages hold file paths in revealed form; the API expects the original characters.
  const search = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, restoreInvisible(String(value))]),
  ).toString();
  return `/api${filled}${search === '' ? '' : `?${search}`}`;
}

const writeOnce = createWriteOnce(read);
