import { OpenAPIHono } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../api/deps.ts';
import { assertDocumented, createDocumentChecks, type OpenApiDocument } from './assert-documented.ts';
import { readEvents } from './read-events.ts';
import { startApi } from './start-api.ts';

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const aged = {
  allOf: [{ $ref: '#/components/schemas/Named' }, { type: 'object', properties: { age: { type: 'integer' } } }],
};
const list = {
  type: 'object',
  properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Named' } } },
};
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const headers = { ETag: { required: true }, Age: { $ref: '#/components/headers/Age' } };
const document = {
  paths: {
    '/v1/people': { get: { operationId: 'listPeople', responses: { 200: json(list) } } },
    '/v1/events': {
      get: {
        operationId: 'watchPeople',
        responses: {
          200: { 'x-event-stream': { events: { changed: { data: { $ref: '#/components/schemas/Named' } } } } },
        },
      },
    },
    '/v1/people/{name}': {
      get: {
        operationId: 'getPerson',
        responses: { 200: { ...json(aged), headers }, 204: {} },
      },
    },
  },
  components: { schemas: { Named: named }, headers: { Age: { required: true } } },
} as OpenApiDocument;

const { findViolation, findEventViolation } = createDocumentChecks(document);
const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8', ETag: '"1"', Age: '0' };
const respond = (
  body: unknown,
  { status = 200, headers: sent = jsonHeaders as Record<string, string>, path = '/v1/people/jo' } = {},
) =>
  findViolation('GET', `/api${path}`, {
    status,
    headers: new Headers(sent),
    body: body === '' ? '' : JSON.stringify(body),
  });

const documented = 'The response is documented.';

it.each([
  ['a response as documented', { name: 'Jo', age: 3 }, {}, documented],
  ['no body where none is documented', '', { status: 204, headers: {} }, documented],
  ['a path that is not an operation', {}, { path: '/v1/other', status: 404 }, documented],
  ['a status', { name: 'Jo' }, { status: 201 }, 'getPerson: 201 is not documented'],
  [
    'a media type',
    'Jo',
    { headers: { 'Content-Type': 'text/plain', ETag: '"1"', Age: '0' } },
    'undocumented Content-Type "text/plain"',
  ],
  ['absent headers', { name: 'Jo' }, { headers: { 'Content-Type': 'application/json' } }, 'has no header ETag, Age'],
  ['an absent body', '', { headers: { ETag: '"1"', Age: '0' } }, 'has no body'],
  ['an absent property', { age: 3 }, {}, "must have required property 'name'"],
  ['a property of another type', { name: 'Jo', age: 'old' }, {}, 'body/age must be integer'],
  ['an undocumented property', { name: 'Jo', secret: 1 }, {}, 'must NOT have unevaluated properties'],
  ['one of an item', { items: [{ name: 'Jo', secret: 1 }] }, { path: '/v1/people' }, 'body/items/0 must NOT have'],
])('judges %s', (_name, body, response, message) => {
  expect(respond(body, response) ?? documented).toContain(message);
});

it('fails the request of a test whose response is not documented', async () => {
  const { request } = await startApi();
  expect((await request('/v1/me')).status).toBe(200);
  const app = assertDocumented(new OpenAPIHono<ApiEnv>());
  app.get('/api/v1/me', (c) => c.json({ made: 'up' }, 418));
  await expect(async () => await app.request('/api/v1/me')).rejects.toThrow('getMe: 418 is not documented');
});

it.each([
  ['an event', 'changed', '{"name":"Jo"}', documented],
  ['an undocumented event', 'renamed', '{"name":"Jo"}', 'watchPeople: the event "renamed" is not documented'],
  ['an event without a name', undefined, '{"name":"Jo"}', 'watchPeople: the event "message" is not documented'],
  ['an absent property', 'changed', '{}', "data must have required property 'name'"],
  ['an undocumented property', 'changed', '{"name":"Jo","secret":1}', 'must NOT have unevaluated properties'],
])('judges, of a stream, %s', (_name, event, data, message) => {
  const violation = findEventViolation('GET', '/api/v1/events', 200);
  expect(violation({ event, data }) ?? documented).toContain(message);
});

it.each([
  [
    'an event that is not documented',
    'event: renamed\ndata: {}\n\n',
    'streamTopics: the event "renamed" is not documented',
  ],
  [
    'a wrong body',
    'event: relist\ndata: {"topics":"waiting"}\n\n',
    'data/topics must be array. Event: {"event":"relist"',
  ],
  ['a body that is not JSON', 'event: relist\ndata: waiting\n\n', 'is not valid JSON'],
  ['a field that is not one of events', 'evnet: relist\n\n', 'Unknown field "evnet"'],
])('fails the read of a stream that has %s, and closes the stream', async (_name, wrong, message) => {
  const relist = ': comment\n\nevent: relist\ndata: {"topics":["waiting"]}\nid: 1\n\n';
  const texts = [relist.slice(0, 40), relist.slice(40), wrong];
  let isCancelled = false;
  const app = assertDocumented(new OpenAPIHono<ApiEnv>());
  app.get('/api/v1/me/stream', (c) => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(texts.shift() ?? ': later\n\n')),
      cancel: () => void (isCancelled = true),
    });
    return c.body(body, 200, { 'Content-Type': 'text/event-stream', 'X-Request-Id': 'one' });
  });
  const events = readEvents(await app.request('/api/v1/me/stream'));
  expect((await events.next()).data).toBeUndefined();
  expect(await events.next()).toMatchObject({ event: 'relist', data: { topics: ['waiting'] }, id: '1' });
  await expect(events.next()).rejects.toThrow(message);
  expect(isCancelled).toBe(true);
});
