import type { Kind, StoredObject } from '../rules/resource.ts';

/** The DNSEndpoint of ExternalDNS (externaldns.k8s.io/v1alpha1), with only the fields that the service uses. */
export type DnsEndpoint = StoredObject & {
  spec: { endpoints: { dnsName: string; recordType: string; targets: string[]; recordTTL?: number }[] };
  status?: { observedGeneration?: number };
};
export const DnsEndpointKind: Kind<DnsEndpoint> = {
  apiVersion: 'externaldns.k8s.io/v1alpha1',
  kind: 'DNSEndpoint',
  plural: 'dnsendpoints',
};

/** ExternalDNS sets this reason on the event of a record that it could not write, and the event is not a warning. */
export const recordErrorReason = 'RecordError';
