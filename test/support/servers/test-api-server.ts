import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import { connectApiServer, type ApiServer } from '../../../src/store/kubernetes/api-server.ts';

/** Starts an API server whose responses are those of the listener, until the test ends. */
export async function startTestApiServer(listener: RequestListener): Promise<KubeConfig> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const kubeConfig = new KubeConfig();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  kubeConfig.loadFromClusterAndUser({ name: 'here', server: address, skipTLSVerify: true }, { name: 'anonymous' });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return kubeConfig;
}

/** Connects to such an API server. */
export async function connectTestApiServer(listener: RequestListener): Promise<ApiServer> {
  const api = connectApiServer(await startTestApiServer(listener));
  onTestFinished(() => api.close());
  return api;
}
