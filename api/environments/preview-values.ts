import { z } from '@hono/zod-openapi';
import { createPatch } from 'diff';
import { ignoreNotFound } from '../../src/errors.ts';
import { formatUpdatedValues, parseZoneValues } from '../../src/rules/environments/zone-chart.ts';
import { zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import type { Product, ZoneSpec } from '../../src/rules/products/kinds.ts';
import { readDomainSettings, readZoneAddress } from '../../src/store/installation.ts';
import { getDesiredSettings } from '../../src/store/zone-settings.ts';
import type { ApiDeps } from '../deps.ts';
import { getOrganization } from '../orgs/org.ts';

export const DryRunQuery = z.strictObject({
  dryRun: z.enum(['true', 'false']).default('false').openapi({
    description: 'Validates the request and returns the changes of the values files, but writes nothing.',
    default: 'false',
  }),
});

export const ValuesPreviewView = z
  .object({
    dryRun: z.literal(true).describe('Nothing was written.'),
    files: z
      .array(
        z.object({
          zone: z.string().describe('Zone that the file configures.'),
          repo: z.string().describe('The gitops repo of the org.'),
          path: z.string().describe('Path of the values file in the gitops repo.'),
          patch: z.string().describe('Change of the file in the unified format.'),
        }),
      )
      .describe(
        'Values files that the request would change. Zones without a values file get theirs with the next Release.',
      ),
    alertRules: z
      .object({
        name: z.string().describe('Name of the PrometheusRule of the Product.'),
        patch: z.string().describe('Change of the PrometheusRule in the unified format.'),
      })
      .optional()
      .describe('Alert rules of the SLOs that the request would change; absent if it changes none.'),
  })
  .openapi('ValuesPreview');
type ValuesPreviewView = z.infer<typeof ValuesPreviewView>;

type Deps = Pick<ApiDeps, 'store' | 'codehost' | 'config'>;

/** Renders the values files of these zones as their workflows would, and compares them with those in the gitops repo. */
export async function previewValues(
  { store, codehost, config }: Deps,
  { org, product }: { org: string; product: string },
  zones: readonly ZoneSpec[],
): Promise<ValuesPreviewView> {
  if (zones.length === 0) return { dryRun: true, files: [] };
  const { gitopsRepo: repo } = (await getOrganization(store, org)).spec;
  const host = await codehost.forOrg(org);
  // The first promotion creates the repo.
  const gitops = await host.getRepository(repo).catch(ignoreNotFound);
  const domains = await readDomainSettings(store, config.domains);
  const zoneAddress = await readZoneAddress(store, config.zoneAddress);
  const files = zones.map(async (zone) => {
    const address = zoneAddress(zone.name);
    const settings = await getDesiredSettings(store, { org, zone, address, domains });
    const path = zoneValuesPath(product, zone.name);
    const before = gitops && (await host.readFile(repo, path, gitops.defaultBranch));
    const current = before === undefined ? undefined : parseZoneValues(path, before);
    const after = formatUpdatedValues(current, settings);
    if (after === before) return [];
    return [{ zone: zone.name, repo, path, patch: createPatch(path, before ?? '', after) }];
  });
  return { dryRun: true, files: (await Promise.all(files)).flat() };
}

/** Lists the zones whose values file a new spec changes at once, and not only with the next Release. */
export const listZonesWithValues = ({ status }: Product, zones: readonly ZoneSpec[]): ZoneSpec[] =>
  zones.filter(({ name }) => status?.zones?.some((zone) => zone.name === name && zone.appliedSettings !== undefined));
