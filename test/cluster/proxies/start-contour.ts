import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { applyObjects, type KubectlAccess } from '../control-plane/kubectl.ts';
import { startProgram } from '../control-plane/start-program.ts';
import type { ProxyOptions, ZoneProxy } from './zone-proxy.ts';

/** Contour lets Envoy listen on the port of the Gateway plus this number. */
const envoyPortOffset = 8000;

/** Runs Contour and Envoy as a Gateway of Gateway API. */
export async function startContour(
  cluster: KubectlAccess,
  { contour, envoy, folder, suffix }: ProxyOptions & { contour: string; envoy: string },
): Promise<ZoneProxy> {
  const namespace = `edge-${suffix}`;
  const port = await reservePort();
  for (const file of ['examples/contour/01-crds.yaml', 'examples/gateway/00-crds.yaml'])
    await applyObjects(cluster, await readManifests(join(contour, file)));
  await applyObjects(cluster, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: namespace },
      spec: { controllerName: 'projectcontour.io/gateway-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'public', namespace },
      spec: {
        gatewayClassName: namespace,
        listeners: [
          {
            name: 'http',
            protocol: 'HTTP',
            port: port - envoyPortOffset,
            allowedRoutes: { namespaces: { from: 'Selector', selector: { matchExpressions: [isZone] } } },
          },
        ],
      },
    },
  ]);
  const xds = { 'xds-address': '127.0.0.1', 'xds-port': String(await reservePort()) };
  const configFile = join(folder, 'contour.yaml');
  await writeFile(configFile, JSON.stringify({ gateway: { gatewayRef: { name: 'public', namespace } } }));
  const executable = join(contour, 'contour');
  const flags = {
    ...xds,
    kubeconfig: cluster.kubeconfig,
    'config-path': configFile,
    'http-address': '127.0.0.1',
    'http-port': String(await reservePort()),
    'health-address': '127.0.0.1',
    'health-port': String(await reservePort()),
    'debug-http-port': String(await reservePort()),
    'stats-address': '127.0.0.1',
    'stats-port': String(await reservePort()),
  };
  const args = ['serve', '--insecure', '--disable-leader-election'];
  const controller = await startProgram('contour', { executable, flags, args }, join(folder, 'contour.log'));
  const bootstrap = join(folder, 'envoy.json');
  const xdsFlags = Object.entries(xds).map(([name, value]) => `--${name}=${value}`);
  const adminSocket = join(folder, 'envoy.sock');
  await promisify(execFile)(executable, ['bootstrap', bootstrap, `--admin-address=${adminSocket}`, ...xdsFlags]);
  const names = ['--service-cluster', namespace, '--service-node', namespace];
  const envoyArgs = ['--config-path', bootstrap, '--use-dynamic-base-id', '--concurrency', '1', ...names];
  const proxy = await startProgram(
    'envoy',
    { executable: envoy, flags: {}, args: envoyArgs },
    join(folder, 'envoy.log'),
  );
  await proxy.waitUntilReady(async () => existsSync(adminSocket));
  return {
    port,
    settings: { INGRESS_GATEWAY: `${namespace}/public` },
    async stop() {
      await Promise.all([proxy.stop(), controller.stop()]);
    },
  };
}

const isZone = { key: 'service.delivery/zone', operator: 'Exists' };

const readManifests = async (file: string): Promise<object[]> =>
  parseAllDocuments(await readFile(file, 'utf8')).flatMap((document) => (document.toJS() as object | null) ?? []);
