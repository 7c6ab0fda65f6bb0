import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { distributionRegistries } from '../../../src/integrations/registries/distribution.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

type Reply = { status?: number; headers?: Record<string, string>; body?: string };
type Script = { challenge?: string; token?: Reply; api?: Record<string, Reply> };

const basic = `Basic ${Buffer.from('ada:correct-horse').toString('base64')}`;

/** Starts a registry that is its own token server, and checks the account `ada` there. */
async function check({ challenge, token = { body: '{"token":"t"}' }, api = {} }: Script, repositoryPrefix?: string) {
  const requests: { route: string; authorization: IncomingHttpHeaders['authorization'] }[] = [];
  const server = createServer((request, response) => {
    const { authorization, host } = request.headers;
    const route = `${request.method} ${request.url}`;
    requests.push({ route, authorization });
    const demand = (challenge ?? 'Bearer realm="<host>/token"').replaceAll('<host>', `http://${host}`);
    const isFirst = route === 'GET /v2/' && authorization === undefined;
    const found = isFirst ? { status: 401, headers: { 'www-authenticate': demand } } : (api[route] ?? {});
    const { status = 200, headers = {}, body = '' }: Reply = request.url?.startsWith('/token') ? token : found;
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => {
    await judged.destroy();
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = { username: 'ada', password: 'correct-horse' };
  const prefix = repositoryPrefix === undefined ? {} : { repositoryPrefix };
  const result = await distributionRegistries({ judged })
    .check({ host, ...prefix, ...account })
    .catch((error: unknown) => error);
  return { result, requests };
}

const atHost = (detail: unknown) => ({ errors: [{ pointer: '/host', detail }] });

describe('the token server', () => {
  it('gets the password, its service and the repository, and the registry gets only its token', async () => {
    const challenge = 'Bearer realm="<host>/token?account=1",service="images"';
    const { result, requests } = await check({ challenge, token: { body: '{"access_token":"a"}' } }, 'acme');
    expect(result).toBe('pull');
    const query = 'account=1&service=images&scope=repository%3Aacme%2Fconnection-check%3Apull%2Cpush';
    expect(requests).toEqual([
      { route: 'GET /v2/', authorization: undefined },
      { route: `GET /token?${query}`, authorization: basic },
      { route: 'GET /v2/', authorization: 'Bearer a' },
      { route: 'GET /v2/acme/connection-check/tags/list', authorization: 'Bearer a' },
      { route: 'POST /v2/acme/connection-check/blobs/uploads/', authorization: 'Bearer a' },
    ]);
  });

  it('is preferred to the password itself', async () => {
    const { requests } = await check({ challenge: 'Basic realm="x", Bearer realm="<host>/token"' });
    expect(requests.at(-1)).toEqual({ route: 'GET /v2/', authorization: 'Bearer t' });
  });

  it.each(['no URL', 'ftp://127.0.0.1/token', 'http://ada@127.0.0.1/token', 'http://:secret@127.0.0.1/token'])(
    'is not asked at %s',
    async (realm) => {
      const { result, requests } = await check({ challenge: `Bearer realm="${realm}"` });
      expect(result).toMatchObject(atHost(expect.stringContaining('names no token server')));
      expect(requests).toHaveLength(1);
    },
  );

  it.each<[string, Reply]>([
    ['no JSON', { body: 'Welcome' }],
    ['no token', { body: '{}' }],
    ['an empty token', { body: '{"token":""}' }],
    ['a token with a space', { body: '{"token":"a b"}' }],
    ['a token with another status', { status: 201, body: '{"token":"t"}' }],
  ])('is refused after %s', async (_, token) => {
    expect((await check({ token })).result).toMatchObject(atHost('returned no token'));
  });

  it.each([401, 403])('rejects the account with status %d', async (status) => {
    expect((await check({ token: { status } })).result).toMatchObject({ errors: [{ pointer: '/password' }] });
  });

  it.each([429, 500, 503])('is unavailable with status %d, which says nothing about the settings', async (status) => {
    expect((await check({ token: { status } })).result).toMatchObject({ reason: 'registry-unavailable' });
  });

  it('is named when it cannot be reached', async () => {
    const { result } = await check({ challenge: 'Bearer realm="http://127.0.0.1:1/token"' });
    expect(result).toMatchObject({ message: expect.stringMatching(/^The token server of .* cannot be reached/) });
  });
});

describe('the registry', () => {
  it('is asked with the password if it has no token server', async () => {
    const { result, requests } = await check({ challenge: 'Basic realm="x"' });
    expect(result).toBe('signed-in');
    expect(requests.at(-1)).toEqual({ route: 'GET /v2/', authorization: basic });
  });

  it.each([
    [401, '/password'],
    [403, '/password'],
    [404, '/host'],
  ])('is refused if it responds to the credentials with status %d', async (status, pointer) => {
    const { result } = await check({ api: { 'GET /v2/': { status } } });
    expect(result).toMatchObject({ errors: [{ pointer }] });
  });

  const tags = 'GET /v2/acme/connection-check/tags/list';
  const uploads = 'POST /v2/acme/connection-check/blobs/uploads/';

  it('gets the end of the upload that it has begun', async () => {
    const begun = { status: 202, headers: { location: '/v2/acme/connection-check/blobs/uploads/7' } };
    const { result, requests } = await check({ api: { [tags]: { status: 404 }, [uploads]: begun } }, 'acme');
    expect(result).toBe('pull-and-push');
    expect(requests.at(-1)).toEqual({
      route: 'DELETE /v2/acme/connection-check/blobs/uploads/7',
      authorization: 'Bearer t',
    });
  });

  it('accepts a push although it does not say how to end the upload', async () => {
    const { result, requests } = await check({ api: { [uploads]: { status: 202 } } }, 'acme');
    expect(result).toBe('pull-and-push');
    expect(requests.at(-1)?.route).toBe(uploads);
  });

  it('is refused with the prefix that is closed to the account', async () => {
    const { result } = await check({ api: { [tags]: { status: 403 } } }, 'acme');
    expect(result).toMatchObject({ errors: [{ pointer: '/repositoryPrefix' }] });
  });
});
