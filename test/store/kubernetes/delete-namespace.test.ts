import { expect, it } from 'vitest';
import { deleteNamespace } from '../../../src/store/kubernetes/delete-namespace.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

const connect = async (status: number, body: object) =>
  await connectTestApiServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

it('names the namespace that the service account may not read', async () => {
  const server = await connect(403, { reason: 'Forbidden', message: 'namespaces is forbidden' });
  await expect(deleteNamespace(server, 'shop-prod')).rejects.toMatchObject({
    reason: 'cluster-access-denied',
    message: expect.stringContaining('Namespace "shop-prod" was rejected by the API server: namespaces is forbidden.'),
  });
});

it('has nothing left of a namespace that does not exist', async () => {
  const server = await connect(404, { reason: 'NotFound' });
  expect(await deleteNamespace(server, 'shop-prod')).toEqual([]);
});
