import { entityTagsPattern } from '../http/entity-tags.ts';
import type { DocumentedResponse, Header, Parameter } from './document-types.ts';

const text = (description: string, example: string, required = false): Header => ({
  description,
  ...(required && { required }),
  schema: { type: 'string' },
  example,
});

/** The headers that responses share. */
export const commonHeaders = {
  'X-Request-Id': text(
    'Id of the request, as in the log of the service.',
    '7d0d4f0e-3c0b-4b0e-9c3f-0a4c2f1d9b11',
    true,
  ),
  ETag: text('Version of the response. Send it as `If-Match` or `If-None-Match`.', '"4711"'),
  Location: text('URL of the created resource.', '/api/v1/orgs/acme/products/hello', true),
  'Retry-After': {
    description: 'Seconds after which the request can be repeated.',
    required: true,
    schema: { type: 'integer' },
    example: 5,
  },
  'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="service"', true),
  RateLimit: text('Requests that remain, and the seconds until the limit starts again.', '"requests";r=11999;t=60'),
  'RateLimit-Policy': text('Requests that the caller may send in a window of seconds.', '"requests";q=12000;w=60'),
  Deprecation: text('Time since when the operation is deprecated (RFC 9745).', '@1796083200', true),
  Sunset: text('Time from which the operation may be gone (RFC 8594).', 'Tue, 01 Jun 2027 00:00:00 GMT', true),
  Link: text(
    'The operation to use instead (RFC 8288).',
    '</api/v1/orgs/acme/access-groups>; rel="successor-version"',
    true,
  ),
} satisfies Record<string, Header>;
export type HeaderName = keyof typeof commonHeaders;

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  example,
});

const entityTagsHeader = (name: string, description: string): Parameter => ({
  ...header(name, description, '"4711"'),
  schema: { type: 'string', pattern: entityTagsPattern.source },
});

/** The headers that requests share, by the name of their component. */
export const commonParameters = {
  RequestId: header(
    'X-Request-Id',
    'Id of the request for the log of the service. It is generated if it is omitted or not of the form `[\\w=-]{1,255}`.',
    '7d0d4f0e-3c0b-4b0e-9c3f-0a4c2f1d9b11',
  ),
  IfMatch: entityTagsHeader(
    'If-Match',
    'The `ETag` that was read. The request fails if the resource has changed since.',
  ),
  IfNoneMatch: entityTagsHeader(
    'If-None-Match',
    'The `ETag` of a stored response. The response is 304 without a body if that is still current.',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'A unique key of 1 to 200 characters. A retry with the same key has no other effect than the first request. Use a new key for each request.',
    'b1946ac9-2f6e-4a3c-8d7b-5a3f1c9e0d42',
  ),
  LastEventId: header(
    'Last-Event-ID',
    'Id of the last event that was received, to resume an event stream after it.',
    '4711',
  ),
} satisfies Record<string, Parameter>;
export type ParameterName = keyof typeof commonParameters;

const problem = (description: string): DocumentedResponse => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** The HTTP server responds so before any operation is reached. */
export const serverResponses: Record<string, DocumentedResponse> = {
  408: problem('The headers or the body did not arrive in time'),
  431: problem('The URL or the headers exceed 16 kB'),
};

/** Stands for the 2xx response, which rules of OpenAPI linters require, of an operation that only redirects. */
export const onlyRedirects: DocumentedResponse = { description: 'None: a success is the documented redirect' };
