import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { assertPortFree, getFreePort } from '../../../src/main/process/ports.ts';

it('accepts a free port and rejects one in use with the setting that changes it', async () => {
  await assertPortFree({ port: await getFreePort(), purpose: 'the API', configuredBy: '--port' });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(assertPortFree({ port, purpose: 'the API', configuredBy: '--port' })).rejects.toThrow(
    `Port ${port}, meant for the API, is in use by another program. Free it, or set another with --port.`,
  );
});
