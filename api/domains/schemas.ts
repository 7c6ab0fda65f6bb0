import { z } from '@hono/zod-openapi';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import {
  type Domain,
  DomainKind,
  DomainSpec,
  DomainStatus,
  type DomainSettings,
} from '../../src/rules/domains/kinds.ts';
import { listRequiredRecords } from '../../src/rules/domains/dns-records.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import { toView, viewSchema } from '../http/views.ts';

export const DnsRecordView = z
  .object({
    type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']).describe('Type of the record.'),
    name: z.string().describe('Host name of the record.'),
    value: z.string().describe('Value of the record.'),
    purpose: z.string().describe('What the record is for.'),
  })
  .openapi('DnsRecord');

const AddressView = z
  .object({
    host: z.string().describe('Host name.'),
    product: z.string().describe('Product of the zone.'),
    zone: z.string().describe('Zone that uses the host name.'),
  })
  .openapi('Address');

export const DomainView = viewSchema(DomainKind)
  .extend({
    spec: DomainSpec.omit({ token: true }).describe('Definition of the domain.'),
    status: DomainStatus.partial({ claimedAt: true }).describe('Observed state of the domain.'),
    records: z
      .array(DnsRecordView)
      .openapi({ description: 'Records to add at the DNS provider. The service creates them for a managed domain.' }),
    addresses: z.array(AddressView).openapi({ description: 'Addresses of the org under the domain.' }),
  })
  // The domain of the installation is configured, not stored, and has no version.
  .partial({ resourceVersion: true, generation: true, createdAt: true })
  .openapi('Domain');
export type DomainView = z.infer<typeof DomainView>;

export const DomainParams = z.object({
  org: z
    .string()
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
    .max(200)
    .describe('Name of the org.'),
  domain: z.string().min(1).max(253).describe('Host name of the domain.'),
});

type DomainViewOptions = {
  role: OrgRole | undefined;
  settings: DomainSettings;
  addresses: DomainView['addresses'];
  lastCheckedAt?: string | undefined;
  isOwnedByViewer: boolean;
};

export function toDomainView(
  domain: Domain,
  { role, settings, addresses, lastCheckedAt, isOwnedByViewer }: DomainViewOptions,
): DomainView {
  const org = toOrgName(domain.metadata.namespace);
  const blockedBy = addresses[0] && `The zone "${addresses[0].zone}" uses the address ${addresses[0].host}.`;
  const actions = actionsFor(role, [
    { name: 'checkDomain', requiredRole: 'member' },
    { name: 'deleteDomain', requiredRole: 'org-admin', blockedBy },
  ]);
  const { token: _, ...spec } = domain.spec;
  const waiting = { state: 'WaitingForDns' as const };
  return {
    ...toView(domain, org, isOwnedByViewer ? actions : []),
    apiVersion: 'service.delivery/v1',
    kind: 'Domain',
    spec,
    status: { ...waiting, ...domain.status, ...(lastCheckedAt !== undefined && { lastCheckedAt }) },
    records: isOwnedByViewer ? listRequiredRecords(domain, settings) : [],
    addresses,
  };
}

export const toPlatformDomainView = (name: string, org: string, addresses: DomainView['addresses']): DomainView => ({
  apiVersion: 'service.delivery/v1',
  kind: 'Domain',
  name,
  org,
  spec: { name, kind: 'platform', shared: true },
  status: { state: 'Verified' },
  records: [],
  addresses,
  actions: [],
});
