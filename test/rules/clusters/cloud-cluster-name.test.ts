import { expect, it } from 'vitest';
import { cloudClusterNameViolation } from '../../../src/rules/clusters/cloud-cluster-name.ts';
import { ClusterCloud } from '../../../src/rules/clusters/kinds.ts';

const gke = 'projects/my-project/locations/europe-west3/clusters/zones';

it.each([
  ['aws', 'zones'],
  ['aws', 'Zones_of-2027'],
  ['google', gke],
  ['google', 'projects/example.com:shop/locations/europe-west3-a/clusters/zones'],
] as const)('accepts the name of %s: %s', (provider, name) => {
  expect(cloudClusterNameViolation(provider, name)).toBeUndefined();
});

it.each([
  ['aws', gke, 'EKS'],
  ['aws', '-zones', 'EKS'],
  ['google', 'zones', 'projects/<project>/locations/<location>/clusters/<name>'],
  ['google', `${gke}/nodePools/a`, 'clusters/<name>'],
  ['google', gke.replace('my-project', '..'), 'clusters/<name>'],
] as const)('says what a name of %s must be instead of %s', (provider, name, expected) => {
  expect(cloudClusterNameViolation(provider, name)).toContain(expected);
});

it.each(['a/b', '../zones', `${gke}?alt=media`, `${gke}#`, 'a b', '', `zones\n`, `x${'a'.repeat(100)}`])(
  'refuses %j, which would change the path of the request',
  (cluster) => {
    expect(ClusterCloud.safeParse({ org: 'acme', account: 'cloud', cluster }).success).toBe(false);
  },
);
