import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ServiceError, type ErrorCode, type FieldError } from '../src/errors.ts';
import type { ApiDeps, ApiEnv } from './deps.ts';
import { placeOfSyntaxError } from './syntax-error.ts';

export type ProblemCode = ErrorCode | 'malformed' | 'method-not-allowed' | 'unsupported-media-type' | 'fault';

/** Every kind of refusal: its status, and the words of its page in the reference. */
export const problemKinds: Record<ProblemCode, { status: ProblemStatus; title: string; help: string }> = {
  malformed: {
    status: 400,
    title: 'Not JSON',
    help: 'The body could not be read as JSON. Mend it at the line and column that the detail names.',
  },
  'not-signed-in': {
    status: 401,
    title: 'Not signed in',
    help: 'Send a token as `Authorization: Bearer …`, or sign in. Tokens that were revoked or have expired are refused too.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    help: 'Your roles do not allow this. The detail names the role it takes.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    help: 'There is no such resource, or no such path. The detail says what is missing where.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    help: 'The path exists, but not with that method. The header `Allow` lists those it has.',
  },
  conflict: {
    status: 409,
    title: 'In conflict with the current state',
    help: 'Read the resource again: it has changed, or its state does not allow this now.',
  },
  'too-large': { status: 413, title: 'Too large', help: 'The body is larger than this operation takes.' },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the body as `Content-Type: application/json`.',
  },
  invalid: {
    status: 422,
    title: 'Cannot be done as asked',
    help: 'The request is well formed but wrong. `errors` lists each wrong field by its JSON pointer, or `?name` for a query parameter.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    help: 'Come back after the seconds that `Retry-After` says.',
  },
  fault: {
    status: 500,
    title: 'A fault of the service',
    help: 'The service failed. Its operators find the cause in the log by the `instance` of the problem.',
  },
  unavailable: {
    status: 503,
    title: 'Not available right now',
    help: 'Something that the service needs cannot be reached. Come back after the seconds that `Retry-After` says.',
  },
};

export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

const ProblemView = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })),
  })
  .openapi('Problem', { description: 'A problem document (RFC 9457).' });

type ProblemResponse = { description: string; content: { 'application/problem+json': { schema: typeof ProblemView } } };

/** The refusals that a route declares. */
export function problems<S extends ProblemStatus>(...statuses: S[]): Record<S, ProblemResponse> {
  const entries = statuses.map((status): [S, ProblemResponse] => [status, responseOf(status)]);
  return Object.fromEntries(entries) as Record<S, ProblemResponse>;
}

function responseOf(status: ProblemStatus): ProblemResponse {
  const kind = Object.values(problemKinds).find((candidate) => candidate.status === status);
  return { description: kind?.title ?? 'Refused', content: { 'application/problem+json': { schema: ProblemView } } };
}

type Problem = { code: ProblemCode; detail: string; errors?: FieldError[]; headers?: Record<string, string> };

/** The one place where a refusal becomes a status, and a fault becomes a 500 that says nothing but where to look. */
export const answerError =
  ({ config, log }: Pick<ApiDeps, 'config' | 'log'>) =>
  async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const problem = await problemOf(error, c);
    if (problem.code === 'fault') {
      const { name, message, stack } = error;
      log.error(
        { requestId: c.get('requestId'), method: c.req.method, path: c.req.path, error: { name, message, stack } },
        'A request failed',
      );
    }
    return answerProblem(c, config.publicUrl, problem);
  };

export function answerProblem(
  c: Context<ApiEnv>,
  publicUrl: string,
  { code, detail, errors = [], headers = {} }: Problem,
): Response {
  const { status, title } = problemKinds[code];
  const instance = c.get('requestId');
  const body = { type: `${publicUrl}/api/docs/problems#${code}`, title, status, detail, instance, errors };
  return c.body(JSON.stringify(body), status, { 'Content-Type': 'application/problem+json', ...headers });
}

async function problemOf(error: Error, c: Context<ApiEnv>): Promise<Problem> {
  if (error instanceof ServiceError) return refusalOf(error);
  if (error instanceof HTTPException && error.status === 400) return malformed(c);
  if (error instanceof HTTPException && error.status === 415) {
    const sent = c.req.header('content-type') ?? 'nothing';
    // Said by those few that take something else.
    const taken = typeof error.cause === 'string' ? error.cause : 'application/json';
    return {
      code: 'unsupported-media-type',
      detail: `Send the body as ${taken}; the Content-Type was ${sent}.`,
    };
  }
  return { code: 'fault', detail: 'The service failed at this request. Quote the instance to its operators.' };
}

function refusalOf({ code, message, errors, retryAfterMs }: ServiceError): Problem {
  const headers: Record<string, string> = {};
  if (code === 'not-signed-in') headers['WWW-Authenticate'] = 'Bearer realm="service"';
  if (code === 'unavailable' || code === 'too-many-requests')
    headers['Retry-After'] = String(Math.max(1, Math.ceil((retryAfterMs ?? 5000) / 1000)));
  return { code, detail: message, errors, headers };
}

async function malformed(c: Context<ApiEnv>): Promise<Problem> {
  return { code: 'malformed', detail: `The body is not JSON: ${placeOfSyntaxError(await c.req.text())}.` };
}
