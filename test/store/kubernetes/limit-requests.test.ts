import { expect, it } from 'vitest';
import { limitRequests } from '../../../src/store/kubernetes/limit-requests.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

it('refuses further requests to a server that does not end a list', async () => {
  const paths: (string | undefined)[] = [];
  const server = await connectTestApiServer((request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  const limited = limitRequests(server, 2);
  const read = async (path: string) => await limited.request({ method: 'GET', path });
  expect([await read('/one'), await read('/two')]).toEqual([{}, {}]);
  await expect(read('/three')).rejects.toMatchObject({ reason: 'cluster-unavailable' });
  expect(paths).toEqual(['/one', '/two']);
});
