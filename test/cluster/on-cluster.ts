import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runBuilder } from '../../src/local/cluster/builder.ts';
import { openImageStore } from '../../src/local/cluster/image-store.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import type { Beside } from '../support/installation.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { repositoryCredentials } from './argo-cd/settings.ts';
import { apply, type KubectlAccess } from './control-plane/kubectl.ts';
import { openClusterStore } from './open-cluster-store.ts';
import { chartAccount } from './service-account.ts';
import { pathOf } from './tools/path-of.ts';
import { shipwright } from './tools/shipwright.ts';

type Cluster = KubectlAccess & { server: string; caData: string };

/**
 * What a service finds that is installed in a cluster: Argo CD is there, and builds are taken up. It has the account of
 * its chart, and no right besides.
 */
export const onCluster =
  (cluster: Cluster, helm: string): Beside =>
  async ({ folder, codehost, keep }) => {
    await apply(cluster, await shipwrightKinds());
    await apply(cluster, [repositoryCredentials('repos', { url: codehost.url, token: codehost.userToken })]);
    const store = keep(await openClusterStore(cluster));
    const owner = `Basic ${Buffer.from(`owner:${codehost.userToken}`).toString('base64')}`;
    const stopping = new AbortController();
    const building = runBuilder(
      {
        store,
        sandbox: testSandbox(),
        images: await openImageStore(join(folder, 'images')),
        npmCacheDir: join(folder, 'npm-cache'),
        credentialsFor: async () => owner,
        log: () => {},
      },
      stopping.signal,
    );
    keep({
      async close() {
        stopping.abort();
        await building;
      },
    });
    const sites = keep(await startSites());
    return {
      STORE: 'kubernetes',
      ...(await chartAccount(cluster, { helm, folder })),
      ZONE_ADDRESS: `http://{zone}.localhost:${sites.port}`,
      ZONE_SERVICE: `http://{product}.{zone}.svc.localhost:${sites.port}`,
    };
  };

/** What stands at every zone's address: pods of this cluster do not run. */
export async function startSites(): Promise<{ port: number; close(): Promise<void> }> {
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

/** Without their older version, which takes a server of theirs to convert. */
async function shipwrightKinds(): Promise<object[]> {
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  const { env } = process;
  const folder = join(pathOf(await shipwright({ cacheDir: toolCacheDir(env), env, onProgress })), 'deploy', 'crds');
  const read = (await readdir(folder)).map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as Crd);
  return (await Promise.all(read)).map(({ spec, ...crd }) => {
    const { conversion: _, versions, ...rest } = spec;
    return { ...crd, spec: { ...rest, versions: versions.filter(({ name }) => name === 'v1beta1') } };
  });
}
