import type { DnsEndpoint } from '../../rules/domains/kinds.ts';
import type { Kind } from '../../rules/resource.ts';

export const DnsEndpointKind: Kind<DnsEndpoint> = {
  apiVersion: 'externaldns.k8s.io/v1alpha1',
  kind: 'DNSEndpoint',
  plural: 'dnsendpoints',
};
