import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { defineResource, type Kind, type ResourceOf, type StoredObject } from '../resource.ts';

export const DomainSpec = z.strictObject({
  /** In lower case and ASCII, as DNS has it. */
  name: z.string(),
  /** `platform` is the installation's own; it is no resource of anybody's. */
  kind: z.enum(['platform', 'managed', 'external']),
  /** Every org may use it for addresses. */
  shared: z.boolean(),
  /** What the TXT record must hold: another one for each claim, so that an old record proves nothing to a new owner. */
  token: z.string(),
});

const check = <T extends [string, ...string[]]>(verdicts: T) =>
  z.object({
    verdict: z.enum(verdicts),
    /** What was seen there; empty where nothing was. */
    seen: z.array(z.string()),
    /** Who said so, and when. */
    server: z.string(),
    at: Timestamp,
    message: z.string(),
  });

export const DomainChecks = z.object({
  /** `authoritative` where a server of the zone itself said so; only then does "missing" count. */
  ownership: check(['proven', 'missing', 'wrong-value', 'unknown']).extend({ authoritative: z.boolean() }),
  traffic: check(['reaches', 'elsewhere', 'proxied', 'unresolved', 'unknown']),
  certificates: check(['allowed', 'blocked', 'unknown']),
});
export type DomainChecks = z.infer<typeof DomainChecks>;

export const DomainStatus = z.object({
  state: z.enum(['WaitingForDns', 'Verified', 'Failed']),
  /** What to do, where there is something to be done. */
  message: z.string().optional(),
  claimedAt: Timestamp,
  verifiedAt: Timestamp.optional(),
  /** Since when a verified domain's record has been gone. */
  absentSince: Timestamp.optional(),
  lastCheckedAt: Timestamp.optional(),
  checks: DomainChecks.optional(),
  /** It is being removed: nothing may begin to use it. */
  removal: z.string().optional(),
});
export type DomainStatus = z.infer<typeof DomainStatus>;

export const DomainKind = defineResource({
  kind: 'Domain',
  plural: 'domains',
  spec: DomainSpec,
  status: DomainStatus,
  kubectl: {
    columns: [
      { name: 'Domain', path: '.spec.name' },
      { name: 'Kind', path: '.spec.kind' },
      { name: 'State', path: '.status.state' },
      { name: 'Last checked', path: '.status.lastCheckedAt', wide: true },
      { name: 'Message', path: '.status.message', wide: true },
    ],
    rules: [
      { rule: 'self.name == oldSelf.name && self.token == oldSelf.token', message: 'claim another domain instead' },
    ],
  },
});
export type Domain = ResourceOf<typeof DomainKind>;

/** Which sweep asks for it. */
export const shardLabel = 'service.delivery/dns-shard';

/** ExternalDNS' DNSEndpoint (externaldns.k8s.io/v1alpha1); only the fields the service uses. */
export type DnsEndpoint = StoredObject & {
  spec: { endpoints: { dnsName: string; recordType: string; targets: string[]; recordTTL?: number }[] };
  status?: { observedGeneration?: number };
};
export const DnsEndpointKind: Kind<DnsEndpoint> = {
  apiVersion: 'externaldns.k8s.io/v1alpha1',
  kind: 'DNSEndpoint',
  plural: 'dnsendpoints',
};

/** What a controller says about an object (events.k8s.io/v1); only the fields the service uses. */
export type ObjectEvent = StoredObject & {
  type?: string;
  reason?: string;
  note?: string;
  regarding?: { kind?: string; namespace?: string; name?: string };
};
/** ExternalDNS' word for a record that it could not write; its events about that are no warnings. */
export const recordErrorReason = 'RecordError';
export const EventKind: Kind<ObjectEvent> = { apiVersion: 'events.k8s.io/v1', kind: 'Event', plural: 'events' };

/** What the operators of an installation have set up for domains. */
export type DomainSettings = {
  /** Under which every zone has its own address; undefined where those follow no such pattern. */
  platformDomain: string | undefined;
  /** Whose subdomains the service hands out. */
  managedRoots: readonly string[];
  /** Where traffic has to arrive. */
  ingress: { host: string | undefined; addresses: readonly string[] };
  /** How the certificate authority is named in CAA records. */
  certificateAuthorities: readonly string[];
  /** Whose domains may be shared with every org. */
  platformOrg: string | undefined;
};
