import { z } from 'zod';
import type { Organization } from '../orgs/kinds.ts';
import type { Product } from '../products/kinds.ts';
import { orgNamespace } from '../resource.ts';
import { findGitopsViolation } from './gitops-access.ts';

export const GitopsWave = z.object({
  wave: z.int().positive().describe('Place of the zones in the order in which a Release reaches them, from 1.'),
  zones: z.int().describe('Number of zones at that place.'),
  running: z.int().describe('Number of zones that run a Release.'),
  promoting: z.int().describe('Number of zones to which a Release is on its way.'),
  frozen: z.int().describe('Number of frozen zones.'),
});
export type GitopsWave = z.infer<typeof GitopsWave>;

export const GitopsSummary = z.object({
  org: z.string().describe('Name of the org.'),
  repo: z.string().describe('Repo with the desired state of the zones of the org.'),
  readable: z
    .boolean()
    .describe('Whether the deployment controller could read the repo for every Product when it last tried.'),
  message: z.string().optional().describe('Why it cannot be read; absent if it can.'),
  products: z.int().describe('Number of Products with files in the repo.'),
  waves: z
    .array(GitopsWave)
    .describe('Zones by their place in the order of delivery. A Release reaches a wave after the waves before it.'),
});
export type GitopsSummary = z.infer<typeof GitopsSummary>;

/** Summarizes the gitops repos of orgs. Each zone is an Application of its own, so zones take the place of sync waves. */
export function summarizeGitops(orgs: Organization[], products: Product[]): GitopsSummary[] {
  const byNamespace = Map.groupBy(products, ({ metadata }) => metadata.namespace);
  return orgs.map(({ metadata, spec }) => {
    const own = byNamespace.get(orgNamespace(metadata.name)) ?? [];
    const message = own
      .map(({ status }) => findGitopsViolation(status?.conditions))
      .find((found) => found !== undefined);
    return {
      org: metadata.name,
      repo: spec.gitopsRepo,
      readable: message === undefined,
      ...(message !== undefined && { message }),
      products: own.length,
      waves: countWaves(own),
    };
  });
}

function countWaves(products: Product[]): GitopsWave[] {
  const waves: GitopsWave[] = [];
  for (const { spec, status } of products)
    for (const [index, { name }] of spec.delivery.zones.entries()) {
      const wave = (waves[index] ??= { wave: index + 1, zones: 0, running: 0, promoting: 0, frozen: 0 });
      const zone = status?.zones?.find((one) => one.name === name);
      wave.zones += 1;
      if (zone?.release !== undefined) wave.running += 1;
      if (zone?.currentPromotion !== undefined) wave.promoting += 1;
      if (zone?.freeze !== undefined) wave.frozen += 1;
    }
  return waves;
}
