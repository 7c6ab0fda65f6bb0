import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import { connectApiServer, type ApiServer } from '../../../src/store/kubernetes/api-server.ts';

/** Connects to an API server whose responses are those of the listener, until the test ends. */
export async function connectTestApiServer(listener: RequestListener): Promise<ApiServer> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const kubeConfig = new KubeConfig();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  kubeConfig.loadFromClusterAndUser({ name: 'here', server: address, skipTLSVerify: true }, { name: 'anonymous' });
  const api = connectApiServer(kubeConfig);
  onTestFinished(async () => {
    await api.close();
    server.closeAllConnections();
    server.close();
  });
  return api;
}
