import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { invalid, ServiceError } from '../../src/errors.ts';
import { SecretKind, readSecretText } from '../../src/kinds/kubernetes.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { toHostName } from '../../src/rules/domains/addresses.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { listEnvironmentDifferences, toFirstSpec } from '../../src/rules/installation/first-values.ts';
import {
  type HeldDomain,
  type InstallationFacts,
  installationViolations,
  listOrphanedDomains,
} from '../../src/rules/installation/installation-violations.ts';
import {
  type Installation,
  InstallationKind,
  installationRef,
  type InstallationSpec,
} from '../../src/rules/installation/kinds.ts';
import { toZoneAddress } from '../../src/rules/installation/zone-address.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { systemNamespace, toOrgName } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { passwordSessionViolation } from '../auth/assert-credential.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { InstallationSettingsView } from './schemas.ts';

type Deps = Pick<ApiDeps, 'store' | 'config'>;
type View = z.infer<typeof InstallationSettingsView>;

export const findInstallation = async ({ store }: Pick<Deps, 'store'>): Promise<Installation | undefined> =>
  await store.find(InstallationKind, installationRef);

/** Sets the version of the response, and returns the view of the settings. */
export function respondInstallation(
  c: Context<ApiEnv>,
  { config }: Pick<Deps, 'config'>,
  installation: Installation | undefined,
): View {
  const first = toFirstSpec(config);
  const spec = installation?.spec ?? first;
  const { findings = [], checkedAt } = installation?.status ?? {};
  const resourceVersion = installation?.metadata.resourceVersion;
  if (resourceVersion !== undefined) setETag(c, resourceVersion);
  return {
    ...spec,
    zoneAddress: toZoneAddress(config.zoneAddress, spec.platformDomain)('{zone}'),
    findings,
    ...(checkedAt !== undefined && { checkedAt }),
    environment: listEnvironmentDifferences(spec, first),
    ...(resourceVersion !== undefined && { resourceVersion }),
    actions: listActions(c),
  };
}

/** Only a platform admin reads the settings, so the session alone decides. */
function listActions(c: Context<ApiEnv>): View['actions'] {
  const message = passwordSessionViolation(c.get('credential'));
  return [
    { name: 'checkInstallation', allowed: true },
    {
      name: 'putInstallation',
      allowed: message === undefined,
      ...(message !== undefined && { reason: 'role-insufficient' as const, message }),
    },
  ];
}

/** Throws when the installation cannot have these settings: 422 for a value, 409 for what still uses the current one. */
export async function assertApplicable(deps: Deps, next: InstallationSpec, current: InstallationSpec): Promise<void> {
  const zones = await listZones(deps.store);
  const facts = await readFacts(deps, current, zones);
  const errors = installationViolations(next, facts);
  if (errors.length > 0)
    throw invalid(
      `The settings are invalid: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
      errors,
    );
  if (next.platformDomain !== current.platformDomain && zones.length > 0)
    throw new ServiceError(
      'installation-in-use',
      `The platform domain cannot change while zones have addresses under it: ${shorten(zones.map(({ label }) => label))}. Remove these zones first.`,
      { errors: [{ pointer: '/platformDomain', detail: 'is in use by zones' }] },
    );
  const orphaned = listOrphanedDomains(next, facts);
  if (orphaned.length > 0)
    throw new ServiceError(
      'installation-in-use',
      `Orgs hold domains under a root that would be removed: ${shorten(orphaned.map(({ host, org }) => `${host} of ${org}`))}. Remove these domains first.`,
      { errors: [{ pointer: '/managedDomainRoots', detail: 'leaves domains without a root' }] },
    );
}

type Zone = { label: string; name: string; hosts: string[] };

/** Platform admins have a role in every org, so they may see the zones. */
async function listZones(store: Deps['store']): Promise<Zone[]> {
  const { items } = await store.list(ProductKind);
  return items.flatMap(({ metadata, spec, status }) => {
    const org = toOrgName(metadata.namespace);
    // A zone that is being removed is still served.
    const removing = (status?.zones ?? []).filter(
      ({ name }) => !spec.delivery.zones.some((zone) => zone.name === name),
    );
    return [...spec.delivery.zones, ...removing.map(({ name }) => ({ name, addresses: [] }))].map((zone) => ({
      label: `${zone.name} of ${org}/${metadata.name}`,
      name: zone.name,
      hosts: (zone.addresses ?? []).map(toHostName),
    }));
  });
}

async function readFacts(
  { store, config }: Deps,
  current: InstallationSpec,
  zones: readonly Zone[],
): Promise<InstallationFacts> {
  const { ownHosts, managedBaseDomains, ingress } = config.domains;
  const zoneAddress = toZoneAddress(config.zoneAddress, current.platformDomain);
  const { items } = await store.list(DomainKind);
  return {
    current,
    serviceHosts: ownHosts.filter((host) => host === ingress.host || !managedBaseDomains.includes(host)),
    domains: items.flatMap(({ metadata, spec: { name: host, kind } }): HeldDomain[] =>
      kind === 'platform' ? [] : [{ host, kind, org: toOrgName(metadata.namespace) }],
    ),
    zoneHosts: zones.flatMap(({ name, hosts }) => [new URL(zoneAddress(name)).hostname, ...hosts]),
    hasAdminWithPassword: await hasAdminWithPassword(store),
  };
}

async function hasAdminWithPassword(store: Deps['store']): Promise<boolean> {
  const { items } = await cachedReads(store).list(UserKind, { namespace: systemNamespace });
  for (const { metadata, spec } of items)
    if (spec.platformAdmin && readSecretText(await store.find(SecretKind, metadata), 'password-hash') !== undefined)
      return true;
  return false;
}

const shownMax = 20;

function shorten(all: readonly string[]): string {
  const rest = all.length > shownMax ? ` and ${all.length - shownMax} more` : '';
  return `${all.slice(0, shownMax).join(', ')}${rest}`;
}
