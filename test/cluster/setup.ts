import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type ToolSearch, toolCacheDir } from '../../src/main/tools/tool.ts';
import { ownKinds } from '../../src/rules/own-kinds.ts';
import { startArgoCd } from './argo-cd/start-argo-cd.ts';
import { givenCluster } from './control-plane/given-cluster.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';
import { startNodes } from './control-plane/start-nodes.ts';
import { installKinds } from './install-kinds.ts';
import { helm } from './tools/argo-cd.ts';
import { kwok } from './tools/kwok.ts';
import { pathOf } from './tools/path-of.ts';

type Cluster = Pick<ControlPlane, 'kubeconfig' | 'server' | 'caData' | 'adminToken' | 'kubectl'>;

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of TEST_KUBECONFIG, or one of our own; tests keep apart by namespaces of their own. */
    cluster: Cluster;
    helm: string;
  }
}

/** One cluster for the whole run, with nodes, our kinds and Argo CD. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startedAt = Date.now();
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  const search: ToolSearch = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one();
  };
  try {
    project.provide('helm', pathOf(await helm(search)));
    const file = process.env['TEST_KUBECONFIG'];
    const cluster = file ? await givenCluster(file) : await startControlPlane(search);
    stops.push(cluster.stop);
    const parts = [installKinds(cluster, [...ownKinds]), startArgoCd(cluster, search), playNodes(cluster, search)];
    const settled = await Promise.allSettled(parts);
    for (const part of settled) if (part.status === 'fulfilled' && part.value) stops.push(part.value.stop);
    for (const part of settled) if (part.status === 'rejected') throw part.reason;
    const { kubeconfig, server, caData, adminToken } = cluster;
    project.provide('cluster', { kubeconfig, server, caData, adminToken, kubectl: cluster.kubectl });
    onProgress(`A cluster with Argo CD after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function playNodes(cluster: Cluster, search: ToolSearch): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nodes-'));
  const nodes = await startNodes(cluster, { bin: pathOf(await kwok(search)), folder });
  return {
    async stop() {
      await nodes.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
