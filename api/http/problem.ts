import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import {
  reasons,
  ServiceError,
  type ErrorCode,
  type FieldError,
  type PageLink,
  type Reason,
} from '../../src/errors.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { locateSyntaxError } from './locate-syntax-error.ts';

const httpProblemCodes = [
  'malformed',
  'method-not-allowed',
  'unsupported-media-type',
  'range-not-satisfiable',
  'request-timeout',
  'headers-too-large',
  'internal-error',
] as const;
type HttpProblemCode = (typeof httpProblemCodes)[number];
export type ProblemCode = ErrorCode | HttpProblemCode;
export type ProblemReason = Reason | HttpProblemCode;

/** The status, title and help of each problem type, as the problems page of the reference shows them. */
export const problemKinds: Record<ProblemCode, { status: ProblemStatus; title: string; help: string }> = {
  malformed: {
    status: 400,
    title: 'Bad request',
    help: 'The body is not valid JSON. Fix the error at the line and column that `detail` names.',
  },
  'not-signed-in': {
    status: 401,
    title: 'Unauthorized',
    help: 'The request carries no valid credentials. Send a token as `Authorization: Bearer …`, or sign in.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    help: 'The caller’s roles do not allow the operation. `detail` names the required role.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    help: 'The resource or path does not exist. `detail` names it.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    help: 'The path does not support the method. The header `Allow` lists the supported methods.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    help: 'The operation returns none of the media types of the header `Accept`. `detail` lists those that it returns.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    help: 'The headers or the body did not arrive in time. Send the request again.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    help: 'The current state of the resource does not allow the operation. Read the resource again.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    help: 'The resource is not in the version that the header `If-Match` or `If-None-Match` names. Read it again.',
  },
  'too-large': {
    status: 413,
    title: 'Content too large',
    help: 'The body exceeds the size limit of the operation.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the body as `Content-Type: application/json`.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    help: 'The file is shorter than the requested range. The header `Content-Range` has its length.',
  },
  invalid: {
    status: 422,
    title: 'Validation failed',
    help: 'The request is well formed, but a value is not allowed. `errors` lists each invalid field by its JSON pointer, or as `?name` for a query parameter.',
  },
  'precondition-required': {
    status: 428,
    title: 'Precondition required',
    help: 'The operation replaces a resource. Send the version that you read, as `If-Match` or in the body.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    help: 'A rate limit was reached. Retry after the number of seconds in the header `Retry-After`.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request header fields too large',
    help: 'The URL and the headers exceed 16 kB. Send fewer or shorter ones.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    help: 'The request failed for an unexpected reason. Operators find the cause in the log by the `instance` of the problem.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    help: 'A system that the operation needs cannot be reached. Retry after the number of seconds in the header `Retry-After`.',
  },
};

export type ProblemStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 406
  | 408
  | 409
  | 412
  | 413
  | 415
  | 416
  | 422
  | 428
  | 429
  | 431
  | 500
  | 503;

/** Every reason that a problem document can carry, with its problem type and the help of the problems page. */
export const problemReasons: [ProblemReason, { code: ProblemCode; help: string }][] = [
  ...(Object.entries(reasons) as [Reason, (typeof reasons)[Reason]][]),
  ...httpProblemCodes.map((code): [ProblemReason, { code: ProblemCode; help: string }] => [
    code,
    { code, help: problemKinds[code].help },
  ]),
];

const reasonTable = problemReasons.map(([reason, { code, help }]) => `- \`${reason}\` (${code}): ${help}`).join('\n');

const ProblemView = z
  .object({
    type: z.string().openapi({ description: 'The URL of the documentation of the problem type.' }),
    title: z.string().describe('Name of the problem type.'),
    status: z.int().describe('HTTP status of the response.'),
    reason: z.enum(problemReasons.map(([reason]) => reason)).openapi({
      description: `The machine-readable cause, finer than \`type\`; new reasons may be added.\n${reasonTable}`,
    }),
    detail: z.string().openapi({ description: 'The cause and the fix, for people; its wording may change.' }),
    instance: z.string().openapi({ description: 'The id of the request.' }),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer of the value in the body, or `?name` for a query parameter.'),
          detail: z.string().describe('Why the value is invalid.'),
        }),
      )
      .describe('Invalid values of the request; empty for other problems.'),
    links: z
      .array(
        z.object({
          title: z.string().describe('Title of the link.'),
          url: z.string().describe('Path of a page of the web UI.'),
        }),
      )
      .optional()
      .describe('Pages of the resources that prevent the request; absent if it has none.'),
  })
  .openapi('Problem', { description: 'A problem document (RFC 9457).' });

export type Problem = z.infer<typeof ProblemView>;

type ProblemResponse = { description: string; content: { 'application/problem+json': { schema: typeof ProblemView } } };

/** Declares the problem responses of a route. Every route may also fail unexpectedly, or while the store is away. */
export function problems<S extends ProblemStatus>(...statuses: S[]): Record<S | 500 | 503, ProblemResponse> {
  const entries = [...statuses, 500 as const, 503 as const].map((status) => [status, toProblemResponse(status)]);
  return Object.fromEntries(entries) as Record<S | 500 | 503, ProblemResponse>;
}

function toProblemResponse(status: ProblemStatus): ProblemResponse {
  const kind = Object.values(problemKinds).find((candidate) => candidate.status === status);
  return { description: kind?.title ?? 'Problem', content: { 'application/problem+json': { schema: ProblemView } } };
}

type ProblemCause = {
  reason: ProblemReason;
  detail: string;
  errors?: FieldError[];
  links?: PageLink[];
  headers?: Record<string, string>;
};

/** Translates a ServiceError to its status; any other error is logged and becomes a 500 that reveals only the request id. */
export const handleError =
  ({ config, log }: Pick<ApiDeps, 'config' | 'log'>) =>
  async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const problem = await toProblem(error, c);
    if (problem.reason === 'internal-error' && !isAborted(c)) {
      const { name, message, stack } = error;
      log.error(
        {
          requestId: c.get('requestId'),
          method: c.req.method,
          route: routePath(c, -1),
          error: { name, message, stack },
        },
        'Request failed',
      );
    }
    return respondProblem(c, config.publicUrl, problem);
  };

/** A caller that closes the connection within the body is not a fault: strangers could fill the log with such requests. */
function isAborted({ env }: Context<ApiEnv>): boolean {
  const { incoming } = (env ?? {}) as { incoming?: { destroyed: boolean; complete: boolean } };
  return incoming?.destroyed === true && !incoming.complete;
}

export function respondProblem(c: Context<ApiEnv>, publicUrl: string, problem: ProblemCause): Response {
  const { status, headers, body } = toProblemMessage(problem, { publicUrl, requestId: c.get('requestId') });
  // The response that it may replace had them.
  c.set('hasDefaultHeaders', false);
  return c.body(body, status, headers);
}

type ProblemMessage = { status: ProblemStatus; headers: Record<string, string>; body: string };

/** Returns the response to a request that the HTTP server cannot read; its id is found nowhere else. */
export function toUnreadableProblem(
  { reason, detail }: { reason: HttpProblemCode; detail: string },
  publicUrl: string,
): ProblemMessage {
  const requestId = crypto.randomUUID();
  const { headers, ...message } = toProblemMessage({ reason, detail }, { publicUrl, requestId });
  return { ...message, headers: { ...headers, 'X-Request-Id': requestId } };
}

/** Returns the response to a refusal that happens before a request reaches its route. */
export const toRefusal = (error: ServiceError, at: { publicUrl: string; requestId: string }): ProblemMessage =>
  toProblemMessage(fromServiceError(error), at);

function toProblemMessage(
  { reason, detail, errors = [], links = [], headers = {} }: ProblemCause,
  { publicUrl, requestId: instance }: { publicUrl: string; requestId: string },
): ProblemMessage {
  const code = toProblemCode(reason);
  const { status, title } = problemKinds[code];
  const type = `${publicUrl}/api/docs/problems#${code}`;
  const body: Problem = {
    type,
    title,
    status,
    reason,
    detail,
    instance,
    errors,
    ...(links.length > 0 && { links }),
  };
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  };
}

const toProblemCode = (reason: ProblemReason): ProblemCode => (isHttpProblem(reason) ? reason : reasons[reason].code);
const isHttpProblem = (reason: ProblemReason): reason is HttpProblemCode => !Object.hasOwn(reasons, reason);

async function toProblem(error: Error, c: Context<ApiEnv>): Promise<ProblemCause> {
  if (error instanceof ServiceError) return fromServiceError(error);
  if (error instanceof HTTPException && error.status === 400) return toMalformedProblem(c);
  if (error instanceof HTTPException && error.status === 415) {
    const contentType = c.req.header('content-type') ?? 'missing';
    // A route that accepts another media type names it in the cause of the exception.
    const accepted = typeof error.cause === 'string' ? error.cause : 'application/json';
    return {
      reason: 'unsupported-media-type',
      detail: `The Content-Type is ${contentType}. Send the body as ${accepted}.`,
    };
  }
  return {
    reason: 'internal-error',
    detail: 'The request failed for an unexpected reason. Report the instance to the operators.',
  };
}

function fromServiceError({ reason, code, message, errors, links, retryAfterMs }: ServiceError): ProblemCause {
  const headers: Record<string, string> = {};
  if (code === 'not-signed-in') headers['WWW-Authenticate'] = 'Bearer realm="service"';
  if (code === 'unavailable' || code === 'too-many-requests' || retryAfterMs !== undefined)
    headers['Retry-After'] = String(Math.max(1, Math.ceil((retryAfterMs ?? 5000) / 1000)));
  return { reason, detail: message, errors, links, headers };
}

async function toMalformedProblem(c: Context<ApiEnv>): Promise<ProblemCause> {
  return { reason: 'malformed', detail: `The body is not valid JSON: ${locateSyntaxError(await c.req.text())}.` };
}
