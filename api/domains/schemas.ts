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
import { recordsOf } from '../../src/rules/domains/records.ts';
import { viewOf, viewSchema } from '../views.ts';

export const DnsRecordView = z
  .object({ type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']), name: z.string(), value: z.string(), purpose: z.string() })
  .openapi('DnsRecord');

const AddressView = z.object({ host: z.string(), product: z.string(), zone: z.string() }).openapi('Address');

export const DomainView = viewSchema(DomainKind)
  .extend({
    spec: DomainSpec.omit({ token: true }),
    status: DomainStatus.partial({ claimedAt: true }),
    records: z
      .array(DnsRecordView)
      .openapi({ description: 'To be added at the DNS provider; made by the service for a managed domain.' }),
    addresses: z.array(AddressView).openapi({ description: 'The org’s addresses under it.' }),
  })
  // The installation's own domain is no object that anybody could have changed.
  .partial({ resourceVersion: true, generation: true, createdAt: true })
  .openapi('Domain');
export type DomainView = z.infer<typeof DomainView>;

export const DomainParams = z.object({
  org: z
    .string()
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
    .max(200),
  domain: z.string().min(1).max(253),
});

type Showing = {
  role: OrgRole | undefined;
  settings: DomainSettings;
  addresses: DomainView['addresses'];
  lastCheckedAt?: string | undefined;
  /** Whether the org that looks is the one that has it. */
  isOwn: boolean;
};

export function domainView(domain: Domain, { role, settings, addresses, lastCheckedAt, isOwn }: Showing): DomainView {
  const org = domain.metadata.namespace.replace(/^org-/, '');
  const hindrance = addresses[0] && `The zone "${addresses[0].zone}" has the address ${addresses[0].host}.`;
  const actions = actionsFor(role, [
    { name: 'checkDomain', needs: 'member' },
    { name: 'deleteDomain', needs: 'org-admin', hindrance },
  ]);
  const { token: _, ...spec } = domain.spec;
  const waiting = { state: 'WaitingForDns' as const };
  return {
    ...viewOf(domain, org, isOwn ? actions : []),
    apiVersion: 'service.delivery/v1',
    kind: 'Domain',
    spec,
    status: { ...waiting, ...domain.status, ...(lastCheckedAt !== undefined && { lastCheckedAt }) },
    records: isOwn ? recordsOf(domain, settings) : [],
    addresses,
  };
}

export const platformDomainView = (name: string, org: string, addresses: DomainView['addresses']): DomainView => ({
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
