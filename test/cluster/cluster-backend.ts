import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runBuilder } from '../../src/emulators/cluster/run-builder.ts';
import { openImageStore } from '../../src/emulators/cluster/image-store.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import type { StartBackend } from '../support/platform/installation.ts';
import { openTestRegistry } from '../support/open-test-registry.ts';
import { createTestSandbox } from '../support/test-sandbox.ts';
import { applyObjects, type KubectlAccess } from './control-plane/kubectl.ts';
import { openClusterStore } from './open-cluster-store.ts';
import { accountEnvironment, createChartAccounts } from './create-chart-account.ts';
import { getToolPath } from './tools/get-tool-path.ts';
import { ensureShipwrightCrds } from './tools/ensure-shipwright-crds.ts';

export const gateImage = 'registry.example.com/gate:1';

type ClusterAccess = KubectlAccess & { server: string; caData: string };

/**
 * Prepares a cluster as an installation finds it, with Argo CD and a builder. The service uses the accounts of its chart
 * and has no other permissions.
 */
export const createClusterBackend =
  (cluster: ClusterAccess, helm: string): StartBackend =>
  async ({ folder, closeOnStop }) => {
    await installShipwrightCrds(cluster);
    const store = closeOnStop(await openClusterStore(cluster));
    const stopping = new AbortController();
    const building = runBuilder(
      {
        store,
        sandbox: createTestSandbox(),
        openRegistry: openTestRegistry(),
        images: await openImageStore(join(folder, 'images')),
        npmCacheDir: join(folder, 'npm-cache'),
        managersDir: join(folder, 'package-managers'),
        goCacheDir: join(folder, 'go-cache'),
        prune: async () => {},
        log: () => {},
      },
      stopping.signal,
    );
    closeOnStop({
      async close() {
        stopping.abort();
        await building;
      },
    });
    const sites = closeOnStop(await startZoneSites());
    await createChartAccounts(cluster, { helm, folder });
    return {
      STORE: 'kubernetes',
      GATE_IMAGE: gateImage,
      ...accountEnvironment(folder, 'api'),
      ZONE_ADDRESS: `http://{zone}.localhost:${sites.port}`,
      ZONE_SERVICE: `http://{product}.{zone}.svc.localhost:${sites.port}`,
    };
  };

export const installShipwrightCrds = async (cluster: KubectlAccess): Promise<void> =>
  await applyObjects(cluster, await loadShipwrightCrds());

/** Serves a page at every zone's address, because pods of this cluster do not run. */
export async function startZoneSites(): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((_request, response) => void response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Crd = { spec: { conversion?: unknown; versions: { name: string }[] } };

/** Removes the older version of the CRDs, which needs Shipwright's conversion webhook. */
async function loadShipwrightCrds(): Promise<object[]> {
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  const { env } = process;
  const folder = join(
    getToolPath(await ensureShipwrightCrds({ cacheDir: toolCacheDir(env), env, onProgress })),
    'deploy',
    'crds',
  );
  const read = (await readdir(folder)).map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as Crd);
  return (await Promise.all(read)).map(({ spec, ...crd }) => {
    const { conversion: _, versions, ...rest } = spec;
    return { ...crd, spec: { ...rest, versions: versions.filter(({ name }) => name === 'v1beta1') } };
  });
}
