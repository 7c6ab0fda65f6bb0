import { setImmediate } from 'node:timers/promises';
import { Agent, Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { kubernetesClusters } from '../../../src/integrations/clusters/kubernetes-clusters.ts';
import { startClusterServer } from '../../support/servers/cluster-server.ts';

/** Creates clusters whose dispatchers take a moment to close. */
function createClusters() {
  const open = new Set<Dispatcher>();
  class SlowDispatcher extends Dispatcher {
    readonly #agent: Agent;

    constructor(options: Agent.Options) {
      super();
      this.#agent = new Agent(options);
      open.add(this);
    }

    override dispatch(...args: Parameters<Dispatcher['dispatch']>): boolean {
      return this.#agent.dispatch(...args);
    }

    override async destroy(): Promise<void> {
      await this.#agent.destroy();
      await setImmediate();
      open.delete(this);
    }
  }
  const clusters = kubernetesClusters({
    createDispatcher: (tls) => new SlowDispatcher({ connect: tls }),
    ingress: { ingressClass: undefined, hasGateway: false },
  });
  return { clusters, open };
}

it('returns the findings of the API server and of Prometheus, and closes all connections', async () => {
  const server = await startClusterServer();
  const { clusters, open } = createClusters();
  const { version, findings } = await clusters.check({
    server: server.url,
    caData: server.caData,
    token: 'token-of-the-cluster',
  });
  expect(version).toBe('v1.34.2');
  expect(findings.map(({ subject, result }) => [subject, result])).toEqual([
    ['connection', 'ok'],
    ['version', 'ok'],
    ['permissions', 'ok'],
    ['least-privilege', 'ok'],
    ['ingress', 'ok'],
    ['storage', 'ok'],
    ['user-namespaces', 'ok'],
    ['metrics', 'warning'],
  ]);
  expect(open.size).toBe(0);
});

it('closes all connections after an error', async () => {
  const server = await startClusterServer();
  const { clusters, open } = createClusters();
  await expect(clusters.check({ server: server.url, caData: server.caData, token: 'other' })).rejects.toMatchObject({
    message: expect.stringContaining('does not accept the credentials (401)'),
  });
  expect(open.size).toBe(0);
});
