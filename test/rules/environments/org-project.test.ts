import { expect, it } from 'vitest';
import { allowsGateway, orgProjectName, orgProjectSpec } from '../../../src/rules/environments/org-project.ts';

it('permits only the kinds of the zone chart and their pods, from the Applications of the org', () => {
  const destinations = [{ server: 'https://kubernetes.default.svc', namespace: 'shop-rc' }];
  const scope = { sourceRepos: ['https://code.test/acme/gitops.git'], destinations };
  const spec = orgProjectSpec('acme', { ...scope, hasGateway: false });
  expect(orgProjectName('acme')).toBe('org-acme');
  expect(spec).toMatchObject({
    sourceRepos: ['https://code.test/acme/gitops.git'],
    sourceNamespaces: ['org-acme'],
    destinations,
    clusterResourceWhitelist: [],
  });
  expect(spec.namespaceResourceWhitelist.map(({ kind }) => kind).toSorted()).toEqual([
    'Deployment',
    'Ingress',
    'PersistentVolumeClaim',
    'Pod',
    'PodDisruptionBudget',
    'PodMonitor',
    'ReplicaSet',
    'Service',
  ]);
  const kinds = orgProjectSpec('acme', { ...scope, hasGateway: true }).namespaceResourceWhitelist;
  expect(kinds.filter((kind) => !spec.namespaceResourceWhitelist.includes(kind))).toEqual([
    { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' },
  ]);
  const allows = (hasGateway: boolean) =>
    allowsGateway({ spec: orgProjectSpec('acme', { ...scope, hasGateway }) } as never);
  expect([allows(true), allows(false), allowsGateway({ spec: {} } as never)]).toEqual([true, false, false]);
});
