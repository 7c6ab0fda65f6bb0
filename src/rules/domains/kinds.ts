import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

export const DomainSpec = z.strictObject({
  /** The host name in lower case and ASCII form. */
  name: z.string(),
  /** `platform` is the domain of the installation, which has no Domain resource. */
  kind: z.enum(['platform', 'managed', 'external']),
  /** Every org may use the domain for addresses. */
  shared: z.boolean(),
  /** The token of the TXT record. Each claim has its own, so that an old record does not verify a new owner. */
  token: z.string(),
});

const checkSchema = <T extends [string, ...string[]]>(verdicts: T) =>
  z.object({
    verdict: z.enum(verdicts),
    /** The records that the check found. */
    observed: z.array(z.string()),
    /** The server that answered, and the time of the answer. */
    server: z.string(),
    at: Timestamp,
    message: z.string(),
  });

export const DomainChecks = z.object({
  /** `authoritative` means that a server of the DNS zone answered; "missing" only counts then. */
  ownership: checkSchema(['verified', 'missing', 'wrong-value', 'unknown']).extend({ authoritative: z.boolean() }),
  traffic: checkSchema(['connected', 'elsewhere', 'proxied', 'unresolved', 'unknown']),
  certificates: checkSchema(['allowed', 'blocked', 'unknown']),
});
export type DomainChecks = z.infer<typeof DomainChecks>;

export const DomainStatus = z.object({
  state: z.enum(['WaitingForDns', 'Verified', 'Failed']),
  /** The action that the owner must take, if any. */
  message: z.string().optional(),
  claimedAt: Timestamp,
  verifiedAt: Timestamp.optional(),
  /** The time since when the record of a verified domain is missing. */
  absentSince: Timestamp.optional(),
  lastCheckedAt: Timestamp.optional(),
  checks: DomainChecks.optional(),
  /** Set while the domain is being removed; no zone can start to use it then. */
  removalMessage: z.string().optional(),
});
export type DomainStatus = z.infer<typeof DomainStatus>;

export const DomainKind = defineResource({
  kind: 'Domain',
  plural: 'domains',
  spec: DomainSpec,
  status: DomainStatus,
  crd: {
    printerColumns: [
      { name: 'Domain', path: '.spec.name' },
      { name: 'Kind', path: '.spec.kind' },
      { name: 'State', path: '.status.state' },
      { name: 'Last checked', path: '.status.lastCheckedAt', wide: true },
      { name: 'Message', path: '.status.message', wide: true },
    ],
    validations: [
      {
        rule: 'self.name == oldSelf.name && self.token == oldSelf.token',
        message: 'name and token are immutable; claim another domain',
      },
    ],
  },
});
export type Domain = ResourceOf<typeof DomainKind>;

/** A label that names the sweep shard of a domain. */
export const sweepShardLabel = 'service.delivery/dns-shard';

/** The domain settings of the installation. */
export type DomainSettings = {
  /** The parent domain of the zones' own addresses; undefined when those follow another pattern. */
  platformDomain: string | undefined;
  /** The hosts of the installation itself, which no zone, address or domain may have. */
  ownHosts: readonly string[];
  /** The domains whose subdomains orgs can claim as managed domains. */
  managedBaseDomains: readonly string[];
  /** The ingress that the DNS records must point to. */
  ingress: { host: string | undefined; addresses: readonly string[] };
  /** The names of the certificate authority in CAA records. */
  certificateAuthorities: readonly string[];
  /** The org that may share its domains with every org. */
  platformOrg: string | undefined;
};
