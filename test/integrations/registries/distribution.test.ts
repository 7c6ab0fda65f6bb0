import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { distributionRegistries } from '../../../src/integrations/registries/distribution.ts';
import { startBomb } from '../../support/servers/start-bomb.ts';
import { itWithRegistry, startRegistry } from '../../support/servers/registry.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startRegistryTokens } from '../../support/servers/registry-tokens.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const account = { username: 'ada', password: 'correct-horse' };

const createCheck = (...allowedInside: string[]) => {
  const judged = createTestDispatcher(...allowedInside);
  onTestFinished(async () => await judged.destroy());
  return distributionRegistries({ judged }).check;
};

/** Starts a server that is not a registry, and records what it is asked. */
async function startServer(respond: RequestListener) {
  const asked: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, authorization: request.headers.authorization });
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

itWithRegistry('signs in with a password, and pushes nothing that stays', async () => {
  const { host } = await startRegistry();
  const check = createCheck('127.0.0.1');
  expect(await check({ host, ...account })).toBe('signed-in');
  expect(await check({ host, repositoryPrefix: 'acme/team', ...account })).toBe('pull-and-push');
  const authorization = `Basic ${Buffer.from('ada:correct-horse').toString('base64')}`;
  const catalog = await fetch(`http://${host}/v2/_catalog`, { headers: { authorization } });
  expect(await catalog.json()).toEqual({ repositories: [] });
  for (const wrong of [
    { username: 'ada', password: 'battery-staple' },
    { username: 'eve', password: 'correct-horse' },
  ]) {
    const refused = check({ host, ...wrong });
    await expect(refused).rejects.toMatchObject({
      reason: 'registry-setting-invalid',
      message: expect.not.stringContaining(wrong.password),
      errors: [{ pointer: '/password', detail: 'was rejected by the registry (401)' }],
    });
  }
});

itWithRegistry('learns from the token server what the account may do below the prefix', async () => {
  const check = createCheck('127.0.0.1');
  for (const [allowed, access] of [
    [['pull', 'push'], 'pull-and-push'],
    [['pull'], 'pull'],
  ] as const) {
    const tokens = await startRegistryTokens(allowed);
    const { host } = await startRegistry(tokens);
    expect(await check({ host, repositoryPrefix: 'acme', ...account })).toBe(access);
    expect(tokens.scopes).toEqual(['repository:acme/connection-check:pull,push']);
    await expect(check({ host, username: 'ada', password: 'battery-staple' })).rejects.toMatchObject({
      message: expect.not.stringContaining('battery-staple'),
      errors: [{ pointer: '/password' }],
    });
  }
  const { host } = await startRegistry(await startRegistryTokens([]));
  expect(await check({ host, ...account })).toBe('signed-in');
  await expect(check({ host, repositoryPrefix: 'acme', ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/repositoryPrefix', detail: 'is not open to the account "ada" (401)' }],
  });
});

it.each<[string, RequestListener, string]>([
  ['a web site', (_, response) => void response.end('<html>'), 'asks for no credentials'],
  ['a site without the path', (_, response) => void response.writeHead(404).end(), 'is not a registry'],
  ['a site that does not understand', (_, response) => void response.writeHead(400).end(), 'is not a registry'],
  ['a site with another sign-in', (_, response) => void response.writeHead(401).end(), 'is not a registry'],
  ['a choice of addresses', (_, response) => void response.writeHead(300).end(), 'redirects to another address'],
  [
    'a redirect to an inner address',
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/v2/' }).end(),
    'redirects to another address',
  ],
])('points at the host for %s, which gets no credentials', async (_, respond, detail) => {
  const { host, asked } = await startServer(respond);
  await expect(createCheck('127.0.0.1')({ host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/host', detail }],
  });
  expect(asked).toEqual([{ url: '/v2/', authorization: undefined }]);
});

it('reaches no address inside, by the host, by the token server, or by a redirect of either', async () => {
  const inside = await startServer((_, response) => void response.end('{"token":"t"}'));
  await expect(createCheck()({ host: inside.host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/host', detail: expect.stringContaining('ALLOWED_INSIDE_ADDRESSES') }],
  });

  const challenge = (realm: string) => ({ 'www-authenticate': `Bearer realm="${realm}",service="x"` });
  const hostile = await startServer(
    (_, response) =>
      void response.writeHead(401, challenge(`http://localhost:${inside.host.split(':')[1]}/token`)).end(),
  );
  await expect(createCheck(hostile.host)({ host: hostile.host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/host', detail: expect.stringContaining('ALLOWED_INSIDE_ADDRESSES') }],
  });

  const redirecting = await startServer((request, response) => {
    if (request.url === '/v2/') response.writeHead(401, challenge(`http://${request.headers.host}/token`)).end();
    else response.writeHead(302, { location: `http://${inside.host}/token` }).end();
  });
  await expect(createCheck('127.0.0.1')({ host: redirecting.host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/host', detail: 'returned no token' }],
  });
  expect(inside.asked).toEqual([]);
});

it('reads no more than the limit of a token server whose response is a bomb', async () => {
  const bomb = await startBomb();
  const { host } = await startServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${bomb.url}"` }).end();
  });
  const before = process.memoryUsage().rss;
  await expect(createCheck('127.0.0.1')({ host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/host', detail: 'returned no token' }],
  });
  await bomb.cut;
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
});

it('says that a registry is unavailable, or cannot be reached', async () => {
  const { host } = await startServer((_, response) => void response.writeHead(503).end());
  const check = createCheck('127.0.0.1');
  await expect(check({ host, ...account })).rejects.toMatchObject({ reason: 'registry-unavailable' });
  await expect(check({ host: `127.0.0.1:${await reservePort()}`, ...account })).rejects.toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
    errors: [{ pointer: '/host', detail: 'cannot be reached' }],
  });
});

it('points at the password that the registry forbids', async () => {
  const { host } = await startServer((request, response) => {
    const challenge = { 'www-authenticate': 'Basic realm="x"' };
    if (request.headers.authorization === undefined) response.writeHead(401, challenge).end();
    else response.writeHead(403).end();
  });
  await expect(createCheck('127.0.0.1')({ host, ...account })).rejects.toMatchObject({
    errors: [{ pointer: '/password', detail: 'was rejected by the registry (403)' }],
  });
});

it('sends the credentials to no other host that the registry leads to', async () => {
  const other = await startServer((_, response) => void response.end());
  const registry = await startServer((request, response) => {
    if (request.headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else if (request.method === 'POST') response.writeHead(202, { location: `http://${other.host}/upload` }).end();
    else response.end('{}');
  });
  const check = createCheck('127.0.0.1');
  expect(await check({ host: registry.host, repositoryPrefix: 'acme', ...account })).toBe('pull-and-push');
  expect(other.asked).toEqual([]);
});
