import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../src/clients/api-client.ts';

async function startServer(status: number, body: object | undefined) {
  const requests: { method: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method, authorization: request.headers.authorization });
    response.writeHead(status).end(body && JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('sends the token and returns the body', async () => {
  const { url, requests } = await startServer(200, { name: 'acme' });
  expect(await createApiClient(url, () => 'secret').get('/v1/orgs/acme')).toEqual({ name: 'acme' });
  expect(requests).toEqual([{ method: 'GET', authorization: 'Bearer secret' }]);
});

it('returns undefined from find on 404, and nothing from an empty response', async () => {
  const missing = await startServer(404, { detail: 'No org named "acme".' });
  expect(await createApiClient(missing.url, () => undefined).find('/v1/orgs/acme')).toBeUndefined();
  const empty = await startServer(204, undefined);
  await expect(createApiClient(empty.url, () => undefined).delete('/v1/orgs/acme')).resolves.toBeUndefined();
});

it('throws the detail and the field errors of a problem document', async () => {
  const problem = { detail: 'The Product is invalid.', errors: [{ pointer: '/name', detail: 'is a duplicate' }] };
  const { url } = await startServer(422, problem);
  await expect(createApiClient(url, () => undefined).post('/v1/orgs/acme/products', {})).rejects.toMatchObject({
    status: 422,
    message: 'The Product is invalid. /name: is a duplicate',
  });
});
