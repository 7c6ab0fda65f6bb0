import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { acceptedCoding, acceptedType, negotiate } from '../../../api/http/negotiate.ts';
import type { ApiEnv } from '../../../api/deps.ts';

const types = ['application/json', 'text/event-stream'];
const app = new Hono<ApiEnv>()
  .get('/type', (c) => c.text(acceptedType(c, types) ?? 'none'))
  .get('/coding', (c) => c.text(acceptedCoding(c, ['br', 'gzip', 'identity']) ?? 'none'))
  .get('/negotiated', negotiate(types), (c) => c.text('handled'));
app.onError((error, c) => c.text(error.message, 406));

const ask = async (path: string, headers: Record<string, string>): Promise<string> =>
  (await app.request(path, { headers })).text();

it.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
  ['text/event-stream;q=0', 'none'],
  ['text/event-stream;q=0, */*', 'application/json'],
  ['application/json, text/event-stream;q=0.1', 'application/json'],
  ['application/json;q=0.1, text/event-stream', 'text/event-stream'],
  ['application/json, text/event-stream', 'application/json'],
  ['application/xml', 'none'],
])('Accept: %s selects %s', async (accept, type) => {
  expect(await ask('/type', accept === undefined ? {} : { Accept: accept })).toBe(type);
});

it.each([
  [undefined, 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, gzip', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['*;q=0.5, br;q=0', 'gzip'],
])('Accept-Encoding: %s selects %s', async (accept, coding) => {
  expect(await ask('/coding', accept === undefined ? {} : { 'Accept-Encoding': accept })).toBe(coding);
});

it('406: names the types that the operation returns', async () => {
  expect(await ask('/negotiated', {})).toBe('handled');
  expect(await ask('/negotiated', { Accept: 'application/xml' })).toContain('application/json or text/event-stream');
});
