import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

export const DomainSpec = z.strictObject({
  name: z.string().describe('Host name in lower case and ASCII form.'),
  kind: z
    .enum(['platform', 'managed', 'external'])
    .describe(
      '`external` domains belong to the org; the service maintains the DNS records of `managed` ones; `platform` is the domain of the installation.',
    ),
  shared: z.boolean().describe('Whether every org may use the domain for addresses.'),
  token: z
    .string()
    .describe('Token of the TXT record. Each claim has its own, so that an old record does not verify a new owner.'),
});

const checkSchema = <T extends [string, ...string[]]>(verdicts: T) =>
  z.object({
    verdict: z.enum(verdicts).describe('Result of the check.'),
    observed: z.array(z.string()).describe('Records that the check found.'),
    server: z.string().describe('Server that answered.'),
    at: Timestamp.describe('Time of the answer.'),
    message: z.string().describe('Result in words.'),
  });

export const DomainChecks = z.object({
  ownership: checkSchema(['verified', 'missing', 'wrong-value', 'unknown'])
    .extend({
      authoritative: z.boolean().describe('Whether a server of the DNS zone answered; `missing` only counts then.'),
    })
    .describe('Whether the TXT record proves that the org owns the domain.'),
  traffic: checkSchema(['connected', 'elsewhere', 'proxied', 'unresolved', 'unknown']).describe(
    'Whether the domain points to the ingress of the installation.',
  ),
  certificates: checkSchema(['allowed', 'blocked', 'unknown']).describe(
    'Whether CAA records allow the certificate authority to issue certificates.',
  ),
});
export type DomainChecks = z.infer<typeof DomainChecks>;

export const DomainStatus = z.object({
  state: z
    .enum(['WaitingForDns', 'Verified', 'Failed'])
    .describe('State of the claim. Addresses can be used under a `Verified` domain.'),
  message: z.string().optional().describe('Action that the owner must take, if any.'),
  claimedAt: Timestamp.describe('Time at which the org claimed the domain.'),
  verifiedAt: Timestamp.optional().describe('Time at which the ownership was verified.'),
  absentSince: Timestamp.optional().describe('Time since when the record of a verified domain is missing.'),
  lastCheckedAt: Timestamp.optional().describe('Time of the last check.'),
  checks: DomainChecks.optional().describe('Results of the last check.'),
  removalMessage: z
    .string()
    .optional()
    .describe('Set while the domain is being removed; no zone can start to use it then.'),
  conditions: Conditions,
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
