import { expect, it } from 'vitest';
import { zoneNameViolation } from '../../../src/rules/environments/zone-name-violation.ts';

const violation = (name: string): string | undefined =>
  zoneNameViolation(name, { host: `${name}.example.com`, ownHosts: ['delivery.example.com'] });

it.each(
  (
    'argocd cert-manager ingress-nginx monitoring temporal external-dns istio-system kube-system default org-acme ' +
    'service-system tigera-operator openshift-monitoring'
  ).split(' '),
)('refuses %s, which may be a namespace of the cluster', (name) => {
  expect(violation(name)).toContain('reserved');
});

it.each(['www', 'api', 'login', 'status', 'mail'])(
  'refuses %s, which visitors would take for the installation',
  (name) => {
    expect(violation(name)).toContain('visitors');
  },
);

it('refuses the host of the installation itself, and allows other names', () => {
  expect(violation('delivery')).toContain('the installation itself');
  expect(['hello-rc', 'hello-prod', 'shop', 'rc', 'prod', 'delivery-rc'].map(violation)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});

it('refuses a name that derives from a Product with a long name and is too long for a zone', () => {
  expect(violation(`${'a'.repeat(36)}-prod`)).toContain('shorter name');
  expect(violation(`${'a'.repeat(35)}-prod`)).toBeUndefined();
});
