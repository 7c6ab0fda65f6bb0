import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { toUnreadableProblem } from '../../../api/http/problem.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

type Problem = {
  type: string;
  title: string;
  status: number;
  reason: string;
  detail: string;
  instance: string;
  errors: { pointer: string; detail: string }[];
};

const readProblem = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  return (await response.json()) as Problem;
};
const createOrg = async ({ request }: ApiHarness, body: unknown, headers: Record<string, string> = {}) =>
  request('/v1/orgs', { method: 'POST', body, headers });

describe('a problem document', () => {
  it('contains the type, the reason and the id of the request', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/nowhere', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(await readProblem(response)).toEqual({
      type: 'http://localhost:8080/api/docs/problems#not-found',
      title: 'Not found',
      status: 404,
      reason: 'not-found',
      detail: 'No Organization named "nowhere" in the installation.',
      instance: 'mine-1',
      errors: [],
    });
    expect(response.headers.get('X-Request-Id')).toBe('mine-1');
  });

  it('has a finer reason than its type', async () => {
    const { request } = await startApi({ role: 'viewer' });
    const problem = await readProblem(await request('/v1/orgs', { method: 'POST', body: { name: 'umbrella' } }));
    expect(problem).toMatchObject({ status: 403, title: 'Forbidden', reason: 'insufficient-role' });
    expect(problem.type).toMatch(/#forbidden$/);
  });

  it('400: locates the JSON syntax error', async () => {
    const response = await createOrg(await startApi(), '{"name": "a",}');
    expect(response.status).toBe(400);
    expect(await readProblem(response)).toMatchObject({
      reason: 'malformed',
      detail: 'The body is not valid JSON: syntax error at line 1, column 14.',
    });
  });

  it('413: rejects a body over one MiB, whether its length is declared or not', async () => {
    const api = await startApi();
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect((await readProblem(await createOrg(api, large))).status).toBe(413);
    const body = new Blob([large]).stream();
    const headers = {
      Authorization: `Bearer ${await api.tokenFor('platform-admin')}`,
      'Content-Type': 'application/json',
    };
    const streamed = await api.app.request('/api/v1/orgs', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  it('415: rejects every media type other than JSON', async () => {
    const response = await createOrg(await startApi(), 'name=a', {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(response.status).toBe(415);
    expect((await readProblem(response)).detail).toContain('application/x-www-form-urlencoded');
  });

  it('500: reveals only the id of the request, under which the error is logged', async () => {
    const lines: object[] = [];
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (fields: object) => lines.push(fields) };
    const { request, store } = await startApi({ log });
    await request('/v1/me');
    await store.close();
    const response = await request('/v1/me');
    expect(response.status).toBe(500);
    const { detail, instance, reason } = await readProblem(response);
    expect(reason).toBe('internal-error');
    expect(detail).toBe('The request failed for an unexpected reason. Report the instance to the operators.');
    expect(lines).toEqual([expect.objectContaining({ requestId: instance, route: '/api/v1/me' })]);
    expect(JSON.stringify(lines)).not.toContain('svc_');
  });

  it('503: sets Retry-After while the workflow server is unreachable', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec: { repos: [] } } });
    const response = await request('/v1/orgs/acme/products/shop', { method: 'DELETE' });
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('5');
    expect((await readProblem(response)).reason).toBe('workflow-server-unreachable');
  });
});

it('writes no fault to the log for a caller that closes the connection within the body', async () => {
  const faults: object[] = [];
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (fields: object) => void faults.push(fields) };
  const { app } = await startApi({ role: 'anonymous', log });
  const [port, ended] = [await reservePort(), Promise.withResolvers<number>()];
  const fetch = async (...request: Parameters<typeof app.fetch>): Promise<Response> => {
    const response = await app.fetch(...request);
    ended.resolve(response.status);
    return response;
  };
  const server = await startHttpServer({ fetch }, { port, host: '127.0.0.1' });
  onTestFinished(async () => await server.stop(0));
  const head = ['POST /api/v1/auth/sign-in HTTP/1.1', 'host: localhost', 'content-type: application/json'];
  const socket = connect(port, '127.0.0.1', () => {
    socket.write([...head, 'content-length: 100', '', '{'].join('\r\n'), () => setImmediate(() => socket.destroy()));
  });
  expect(await ended.promise).toBe(500);
  expect(faults).toEqual([]);
});

it('431: is a complete problem document also for a request that reaches no operation', async () => {
  const port = await reservePort();
  const server = await startHttpServer(
    { fetch: () => new Response() },
    { port, host: '127.0.0.1', toProblem: (cause) => toUnreadableProblem(cause, 'http://localhost:8080') },
  );
  onTestFinished(async () => await server.stop(0));
  const response = await fetch(`http://127.0.0.1:${port}/?${'x'.repeat(20_000)}`);
  const requestId = response.headers.get('X-Request-Id');
  expect(response.status).toBe(431);
  expect(await readProblem(response)).toEqual({
    type: 'http://localhost:8080/api/docs/problems#headers-too-large',
    title: 'Request header fields too large',
    status: 431,
    reason: 'headers-too-large',
    detail: 'The URL and the headers exceed 16 kB. Send fewer or shorter ones.',
    instance: requestId,
    errors: [],
  });
});
