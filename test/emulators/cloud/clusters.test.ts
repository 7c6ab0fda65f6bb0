import { expect, it } from 'vitest';
import { awsSpec, eksCluster } from '../../support/servers/test-cloud.ts';
import { startCloudCluster } from '../../api/clusters/cloud-cluster-fixture.ts';

/** Returns a token that the service has made for the cluster "zones", and the request to STS in it. */
async function createToken() {
  const started = await startCloudCluster(awsSpec);
  expect((await started.add()).status).toBe(201);
  const { token = '' } = await started.readAccess();
  const url = new URL(Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString());
  const encode = (changed: URL | string) => `k8s-aws-v1.${Buffer.from(String(changed)).toString('base64url')}`;
  return { ...started, token, url, encode };
}

it('refuses a token at another cluster, because its name is signed', async () => {
  const { token, review, state } = await createToken();
  const [account] = state.aws;
  if (account?.clusters[eksCluster]) account.clusters['other'] = account.clusters[eksCluster];
  expect(await review(token)).toBe(true);
  expect(await review(token, 'other')).toBe(false);
});

it.each([
  ['another action', (url: URL) => url.searchParams.set('Action', 'GetSessionToken')],
  ['another host', (url: URL) => (url.hostname = 'localhost')],
  ['a changed signature', (url: URL) => url.searchParams.set('X-Amz-Signature', '0'.repeat(64))],
  ['a longer lifetime', (url: URL) => url.searchParams.set('X-Amz-Expires', '3600')],
  ['no signed name', (url: URL) => url.searchParams.set('X-Amz-SignedHeaders', 'host')],
  ['credentials of another session', (url: URL) => url.searchParams.set('X-Amz-Security-Token', 'other')],
])('refuses a token with %s', async (_, change) => {
  const { url, review, encode } = await createToken();
  expect(await review(encode(url))).toBe(true);
  change(url);
  expect(await review(encode(url))).toBe(false);
});

it('refuses a token whose access entry is gone, and one that has ended', async () => {
  const { token, review, state, pass } = await createToken();
  const entries = state.aws[0]?.clusters[eksCluster];
  Object.assign(entries ?? {}, { accessEntries: {} });
  expect(await review(token)).toBe(false);
  Object.assign(entries ?? {}, { accessEntries: { [awsSpec.roleArn]: ['service-zones'] } });
  expect(await review(token)).toBe(true);
  pass(16);
  expect(await review(token)).toBe(false);
  expect(await review('k8s-aws-v1.bm9uZQ')).toBe(false);
  expect(await review('none')).toBe(false);
});
