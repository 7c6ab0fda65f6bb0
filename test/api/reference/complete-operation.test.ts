import { describe, expect, it } from 'vitest';
import { completeOperation } from '../../../api/reference/complete-operation.ts';
import type { DocumentedResponse, Operation } from '../../../api/reference/document-types.ts';

const bearer = { security: [{ bearer: [] }, { session: [] }] };
const thing = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const json: DocumentedResponse = { description: 'Done', content: { 'application/json': { schema: thing } } };
const problem: DocumentedResponse = { description: 'Problem' };

const complete = (operation: Partial<Operation>, method = 'get'): Operation =>
  completeOperation({ method, path: '/v1/things', operation: { operationId: 'any', responses: {}, ...operation } }, {});

/** The names of the headers of each response, without the id of the request, which all have. */
function listHeaders({ responses }: Operation): Record<string, string[]> {
  const names = Object.entries(responses).map(([status, { headers = {} }]) => [
    status,
    Object.keys(headers).filter((name) => name !== 'X-Request-Id'),
  ]);
  return Object.fromEntries(names) as Record<string, string[]>;
}
const listReferences = ({ parameters = [] }: Operation): string[] =>
  parameters.map((parameter) => ('$ref' in parameter ? (parameter.$ref.split('/').at(-1) ?? '') : parameter.name));

describe('the headers of a response', () => {
  const limits = ['RateLimit', 'RateLimit-Policy'];

  it('are those that the API sends with its status', () => {
    const statuses = [304, 401, 403, 404, 412, 413, 429, 503];
    const failures = Object.fromEntries(statuses.map((status) => [status, problem]));
    expect(listHeaders(complete({ ...bearer, responses: { 200: json, ...failures } }))).toEqual({
      200: [...limits, 'ETag'],
      304: [...limits, 'ETag'],
      401: ['WWW-Authenticate'],
      403: [],
      404: limits,
      408: [],
      412: limits,
      413: [],
      429: [...limits, 'Retry-After'],
      431: [],
      503: [...limits, 'Retry-After'],
    });
  });

  it('include the version if the operation evaluates one, and its own headers', () => {
    const own = { 'X-Own': { description: 'Its own.', schema: { type: 'string' } } };
    const operation = { ...bearer, responses: { 204: { ...problem, headers: own }, 412: problem } };
    expect(listHeaders(complete(operation, 'delete'))).toMatchObject({ 204: [...limits, 'ETag', 'X-Own'] });
    expect(listHeaders(complete({ responses: { 200: json } }))).toMatchObject({ 200: [] });
  });

  it('include the location of what was created, unless no operation reads it', () => {
    const responses = { 201: json, 200: json };
    expect(listHeaders(complete({ responses }, 'post'))).toMatchObject({ 201: ['Location'], 200: [] });
    for (const operationId of ['mintToken', 'createIssue'])
      expect(listHeaders(complete({ operationId, responses }, 'post'))).toMatchObject({ 201: [] });
  });

  it('tell that the operation is deprecated', () => {
    const responses = { 200: json, 404: problem };
    expect(listHeaders(complete({ deprecated: true, responses }))).toMatchObject({
      200: ['Deprecation', 'Sunset', 'Link'],
      404: [],
    });
  });
});

describe('the parameters of an operation', () => {
  const stream = { ...json, content: { ...json.content, 'text/event-stream': {} } };

  it('are its own with an example, and those of its responses', () => {
    const name = { name: 'org', in: 'path', schema: { type: 'string' } };
    const key = { name: 'key', in: 'header', schema: { type: 'string' }, example: 'mine' };
    const { parameters } = complete({ parameters: [name, key], responses: { 200: json } });
    expect(parameters).toMatchObject([{ name: 'org', example: 'acme' }, { example: 'mine' }, {}]);
    const responses = { 200: stream, 304: problem, 412: problem };
    const all = ['IfMatch', 'IfNoneMatch', 'LastEventId', 'RequestId'];
    expect(listReferences(complete({ responses }))).toEqual(all);
    expect(listReferences(complete({ responses: { 200: json } }))).toEqual(['RequestId']);
    expect(listReferences(complete({ responses: { 200: stream } }, 'post'))).toEqual(['RequestId']);
  });

  it('are not repeated', () => {
    const own = { name: 'If-Match', in: 'header', schema: { type: 'string' } };
    const operation = complete({ parameters: [own], responses: { 204: problem, 412: problem } }, 'delete');
    expect(listReferences(operation)).toEqual(['If-Match', 'RequestId']);
    const reference = { $ref: '#/components/parameters/Shared' };
    expect(complete({ parameters: [reference] }).parameters?.[0]).toEqual(reference);
  });
});

describe('the body of a response', () => {
  it('has an example in JSON, and no other type has one', () => {
    const content = { ...json.content, 'text/html': { schema: { type: 'string' } } };
    const { responses } = complete({ responses: { 200: { ...json, content } } });
    expect(responses['200']?.content).toEqual({
      'application/json': { schema: thing, example: { name: 'hello' } },
      'text/html': { schema: { type: 'string' } },
    });
  });

  it('has the events of its stream apart, of one item or of the items of a list', () => {
    const list = { type: 'object', properties: { items: { type: 'array', items: thing } } };
    for (const schema of [thing, list]) {
      const content = { 'application/json': { schema }, 'text/event-stream': {} };
      const { content: rest, 'x-event-stream': stream } = complete({ responses: { 200: { ...json, content } } })
        .responses['200'] ?? { description: '' };
      expect(Object.keys(rest ?? {})).toEqual(['application/json']);
      expect(stream?.events['changed']?.data).toEqual(thing);
    }
    const own = { description: 'Its own.', events: {} };
    const response = { description: 'Done', content: { 'text/event-stream': {} }, 'x-event-stream': own };
    expect(complete({ responses: { 200: response } }).responses['200']?.['x-event-stream']).toBe(own);
    expect(complete({ responses: { 200: json } }).responses['200']).not.toHaveProperty('x-event-stream');
  });

  it('is replaced by the redirect if there is no success', () => {
    expect(complete({ responses: { 302: problem } }).responses).toHaveProperty('default');
    expect(complete({ responses: { 204: problem } }).responses).not.toHaveProperty('default');
  });
});

it('takes the example of a body from the operation, or from the body itself', () => {
  const readExample = (operation: Partial<Operation>, type = 'application/json'): unknown =>
    complete(operation, 'post').requestBody?.content[type]?.example;
  const requestBody = { content: { 'application/json': { schema: thing } } };
  expect(readExample({ requestBody })).toEqual({ name: 'hello' });
  expect(readExample({ requestBody, operationId: 'labelIssue' })).toEqual({ add: ['service'] });
  const withExample = { content: { 'application/json': { schema: thing, example: { name: 'own' } } } };
  expect(readExample({ requestBody: withExample, operationId: 'labelIssue' })).toEqual({ name: 'own' });
  const form = { content: { 'application/x-www-form-urlencoded': { schema: thing } } };
  expect(readExample({ requestBody: form }, 'application/x-www-form-urlencoded')).toEqual({ name: 'hello' });
  const version = { properties: { resourceVersion: { type: 'string' } } };
  expect(readExample({ requestBody: { content: { 'application/json': { schema: version } } } })).toEqual({
    resourceVersion: '4711',
  });
  expect(complete({}, 'post')).not.toHaveProperty('requestBody');
});
