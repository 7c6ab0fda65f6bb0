import type { Context, MiddlewareHandler } from 'hono';
import parseRange from 'range-parser';
import type { ApiConfig, ApiEnv } from '../deps.ts';
import { respondProblem } from './problem.ts';
import { hasCurrentCopy, Representation, varyHeaders } from './representation.ts';

/**
 * Completes every successful response: its ETag names the bytes, a GET for known bytes responds 304, large text is
 * compressed as the caller accepts, and a handler that sets `Accept-Ranges` serves parts of its bytes.
 */
export function represent({ publicUrl }: Pick<ApiConfig, 'publicUrl'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next();
    if (c.get('hasDefaultHeaders') || !hasBytes(c.res)) return;
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (!isRead && !c.res.headers.has('ETag')) return;
    const representation = await readRepresentation(c.res);
    if (!isRead)
      return replaceResponse(c, { body: representation.body, headers: { ETag: representation.entityTag() } });
    const isRanged = c.res.headers.has('Accept-Ranges') && c.req.header('range') !== undefined;
    if (hasCurrentCopy(c, representation)) replaceResponse(c, notModified(representation));
    else if (isRanged) respondRange(c, representation, publicUrl);
    else {
      const { body, headers } = await representation.encode(c);
      replaceResponse(c, { body, headers: { ...headers, ...varyHeaders, 'Content-Length': String(body.length) } });
    }
  };
}

function hasBytes({ ok, status, body, headers }: Response): boolean {
  const type = headers.get('Content-Type');
  const isEncoded = headers.has('Content-Encoding');
  return ok && status < 204 && body !== null && type !== null && !isEncoded && !type.startsWith('text/event-stream');
}

async function readRepresentation(response: Response): Promise<Representation> {
  return new Representation(new Uint8Array(await response.arrayBuffer()), {
    type: response.headers.get('Content-Type') ?? '',
    version: response.headers.get('ETag')?.slice(1, -1),
  });
}

const notModified = (representation: Representation): Replacement => ({
  status: 304,
  body: null,
  headers: { ...varyHeaders, ETag: representation.entityTag() },
});

/** Parts are never compressed, so that they fit to each other; a request for several parts gets all bytes. */
function respondRange(c: Context<ApiEnv>, representation: Representation, publicUrl: string): void {
  const { body } = representation;
  const headers = { ...varyHeaders, ETag: representation.entityTag() };
  const whole = { body, headers: { ...headers, 'Content-Length': String(body.length) } };
  const condition = c.req.header('if-range')?.trim();
  const ranges = parseRange(body.length, c.req.header('range') ?? '');
  if ((condition !== undefined && condition !== representation.entityTag()) || ranges === -2)
    return replaceResponse(c, whole);
  if (ranges === -1) return respondUnsatisfiable(c, body.length, publicUrl);
  const [range] = ranges;
  if (ranges.type !== 'bytes' || ranges.length !== 1 || !range) return replaceResponse(c, whole);
  const part = body.subarray(range.start, range.end + 1);
  const position = { 'Content-Range': `bytes ${range.start}-${range.end}/${body.length}` };
  replaceResponse(c, {
    status: 206,
    body: part,
    headers: { ...headers, ...position, 'Content-Length': String(part.length) },
  });
}

function respondUnsatisfiable(c: Context<ApiEnv>, length: number, publicUrl: string): void {
  c.res = undefined;
  c.res = respondProblem(c, publicUrl, {
    reason: 'range-not-satisfiable',
    detail: `The file has ${length} bytes, and the requested range is not within them.`,
    headers: { 'Content-Range': `bytes */${length}` },
  });
}

type Replacement = { status?: number; body: Uint8Array<ArrayBuffer> | null; headers: Record<string, string> };

/** Keeps the headers of the handler, except those that describe bytes when there are none. */
function replaceResponse(c: Context<ApiEnv>, { status = c.res.status, body, headers }: Replacement): void {
  const kept = new Headers(c.res.headers);
  if (body === null) kept.delete('Content-Type');
  for (const [name, value] of Object.entries(headers)) kept.set(name, value);
  // Assigning a response merges the headers of the one before, unless there is none.
  c.res = undefined;
  c.res = new Response(body, { status, headers: kept });
}
