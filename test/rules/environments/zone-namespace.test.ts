import { expect, it } from 'vitest';
import { isNamespaceOfZone, zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';

const owner = { org: 'acme', product: 'shop', zone: 'shop-rc', uid: 'u1' };
const buildNamespace = (labels: Record<string, string>, name = 'shop-rc') =>
  ({ metadata: { name, labels } }) as unknown as Parameters<typeof isNamespaceOfZone>[0];

it('labels a namespace with its org, Product, zone and uid, and restricts its pods', () => {
  expect(zoneNamespaceLabels(owner)).toEqual({
    'app.kubernetes.io/managed-by': 'service.delivery',
    'service.delivery/org': 'acme',
    'service.delivery/product': 'shop',
    'service.delivery/zone': 'shop-rc',
    'service.delivery/uid': 'u1',
    'pod-security.kubernetes.io/enforce': 'restricted',
  });
});

it.each([
  ['the zone itself', {}, true],
  ['another org', { 'service.delivery/org': 'evil' }, false],
  ['another Product', { 'service.delivery/product': 'other' }, false],
  ['another zone', { 'service.delivery/zone': 'shop-prod' }, false],
  ['an earlier Product of the same name', { 'service.delivery/uid': 'u0' }, false],
  ['another system', { 'app.kubernetes.io/managed-by': 'Helm' }, false],
  ['the zone, with labels of other systems', { team: 'a' }, true],
])('recognizes a namespace by all of its labels: %s', (_, labels, expected) => {
  expect(isNamespaceOfZone(buildNamespace({ ...zoneNamespaceLabels(owner), ...labels }), owner)).toBe(expected);
});

it('does not recognize a namespace without labels or with another name', () => {
  expect(isNamespaceOfZone(buildNamespace({}), owner)).toBe(false);
  expect(isNamespaceOfZone(buildNamespace(zoneNamespaceLabels(owner), 'argocd'), owner)).toBe(false);
});
