import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type ToolSearch, toolCacheDir } from '../../src/main/tools/tool.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { startArgoCd } from './argo-cd/start-argo-cd.ts';
import { connectExistingCluster } from './control-plane/existing-cluster.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';
import { startFakeNode } from './control-plane/start-fake-node.ts';
import { installCrds, installPrometheusOperatorCrds } from './install-crds.ts';
import { ensureHelm } from './tools/ensure-argo-cd.ts';
import { ensureCyclonus } from './tools/ensure-cyclonus.ts';
import { ensureKwok } from './tools/ensure-kwok.ts';
import { getToolPath } from './tools/get-tool-path.ts';

type ProvidedCluster = Pick<ControlPlane, 'kubeconfig' | 'server' | 'caData' | 'adminToken' | 'kubectl'>;

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of TEST_KUBECONFIG, or a new one. Tests use separate namespaces. */
    cluster: ProvidedCluster;
    helm: string;
    cyclonus: string;
  }
}

/** Provides one cluster with a fake node, our kinds, the kinds of the Prometheus operator and Argo CD for all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startedAt = Date.now();
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  const search: ToolSearch = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one();
  };
  try {
    project.provide('helm', getToolPath(await ensureHelm(search)));
    project.provide('cyclonus', join(getToolPath(await ensureCyclonus(search)), 'cyclonus'));
    const file = process.env['TEST_KUBECONFIG'];
    const cluster = file ? await connectExistingCluster(file) : await startControlPlane(search);
    stops.push(cluster.stop);
    const parts = [
      installCrds(cluster, [...customResourceKinds]),
      installPrometheusOperatorCrds(cluster, search),
      startArgoCd(cluster, search),
      startTestNode(cluster, search),
    ];
    const settled = await Promise.allSettled(parts);
    for (const part of settled) if (part.status === 'fulfilled' && part.value) stops.push(part.value.stop);
    for (const part of settled) if (part.status === 'rejected') throw part.reason;
    const { kubeconfig, server, caData, adminToken } = cluster;
    project.provide('cluster', { kubeconfig, server, caData, adminToken, kubectl: cluster.kubectl });
    onProgress(`Started a cluster with Argo CD in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startTestNode(cluster: ProvidedCluster, search: ToolSearch): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nodes-'));
  const nodes = await startFakeNode(cluster, { bin: getToolPath(await ensureKwok(search)), folder });
  return {
    async stop() {
      await nodes.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
