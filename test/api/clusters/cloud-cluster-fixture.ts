import { onTestFinished } from 'vitest';
import { createClouds } from '../../../src/integrations/clouds/create-clouds.ts';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { createCloudIdentity } from '../../../src/main/wiring/cloud-identity.ts';
import { renewClusterTokens } from '../../../src/reconcile/renew-cluster-tokens.ts';
import { CloudAccountKind, type CloudAccountSpec } from '../../../src/rules/cloud-accounts/kinds.ts';
import { clustersSecretRef } from '../../../src/rules/clusters/clusters-secret.ts';
import { parseInsideDestination } from '../../../src/rules/network/allowed-inside.ts';
import { destinationViolation } from '../../../src/rules/network/destination-violation.ts';
import { startClusterServer } from '../../support/servers/cluster-server.ts';
import { addClusters, eksCluster, gkeCluster } from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { startWithCloud } from '../cloud-accounts/cloud-fixture.ts';

type Finding = { subject: string; result: string; message: string; fix?: string };
type Body = {
  state: string;
  findings: Finding[];
  server?: string;
  fingerprint?: string;
  cloud?: object;
  detail: string;
  errors: { pointer: string; detail: string }[];
};
type Access = { server?: string; token?: string; expiresAt?: string };

const clusterNames = { aws: eksCluster, google: gkeCluster };

/** Starts a cluster at a cloud, and the API, with the account "cloud" of the org "acme". Their clock is moved by hand. */
export async function startCloudCluster(spec: CloudAccountSpec) {
  const cluster = clusterNames[spec.provider];
  let at = new Date();
  const now = (): Date => at;
  const inside = ['localhost', '127.0.0.1'].flatMap((text) => parseInsideDestination(text) ?? []);
  const judge = (destination: Parameters<typeof destinationViolation>[1]) => destinationViolation(inside, destination);
  const api = await startWithCloud({ apiNow: now, cloudNow: now, api: { judge, role: 'platform-admin' } });
  const { cloud: clouds, issuer, store } = api;
  const accepted: string[] = [];
  const server = await startClusterServer({
    isAccepted: async (token) => {
      const { authenticated } = await clouds.review(token, cluster);
      if (authenticated) accepted.push(token);
      return authenticated;
    },
  });
  addClusters(clouds.state, server);
  await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'cloud' }, spec });
  const cloud = { org: 'acme', account: 'cloud', cluster };
  const call = async (method: string, path: string, body?: object) => {
    const response = await api.request(`/v1${path}`, { method, via: 'session', ...(body && { body }) });
    const text = await response.text();
    for (const secret of ['k8s-aws-v1', 'ya29', ...accepted])
      if (text.includes(secret)) throw new Error(`The response of ${method} ${path} contains a token.`);
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Body };
  };
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => await judged.destroy());
  const warnings: string[] = [];
  const renewal = {
    store,
    clouds: createClouds({ endpoints: clouds.endpoints, judged, now }),
    cloudIdentity: createCloudIdentity(store, { issuer, now }),
    now,
    log: { warn: (fields: object) => void warnings.push(JSON.stringify(fields)) },
  };
  return {
    ...api,
    state: clouds.state,
    review: async (token: string, name = cluster) => (await clouds.review(token, name)).authenticated,
    server,
    accepted,
    cloud,
    now,
    call,
    warnings,
    add: async (changed: object = {}) =>
      await call('POST', '/clusters', { name: 'eu-west', cloud: { ...cloud, ...changed } }),
    readAccess: async (): Promise<Access> => {
      const secret = await store.find(SecretKind, clustersSecretRef);
      return JSON.parse(readSecretText(secret, 'eu-west') ?? '{}') as Access;
    },
    pass: (minutes: number): void => void (at = new Date(at.getTime() + minutes * 60_000)),
    renew: async (): Promise<void> => await renewClusterTokens(renewal),
  };
}
