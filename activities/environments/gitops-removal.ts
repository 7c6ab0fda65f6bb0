import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { mergeEdit } from '../codehost/merge-edit.ts';
import { closeStale, gitopsRepoDescription } from './gitops.ts';

type ZoneFile = { product: string; zone: string; repo: string };

const branchPrefix = ({ product, zone }: ZoneFile): string => `service/${product}/${zone}/`;
const removalName = 'removal';
const chartRemovalBranch = ({ product }: Pick<ZoneFile, 'product'>): string => `service/${product}/${removalName}`;
const removalBranch = (zone: ZoneFile): string => `${branchPrefix(zone)}${removalName}`;

/**
 * Closes the pull requests that would remove the file of a zone which is added again under the same name, or the chart of
 * a Product which is created again.
 */
export async function closeRemoval(host: OrgCodehost, zone: ZoneFile): Promise<void> {
  await host.ensureRepository(zone.repo, gitopsRepoDescription);
  for (const branch of [removalBranch(zone), chartRemovalBranch(zone)]) {
    const pull = await host.findPullRequest(zone.repo, branch);
    if (pull?.state !== 'open') continue;
    await host.closePullRequest(zone.repo, pull.number);
    await host.deleteBranch(zone.repo, branch);
  }
}

/** Removes the file of a zone, and closes its other pull requests, whose later merge would add the file again. */
export async function removeZoneValues(host: OrgCodehost, zone: ZoneFile): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(zone.repo, '');
  const isStale = (name: string): boolean => name !== removalName;
  await closeStale(host, { repo: zone.repo, prefix: branchPrefix(zone), isStale });
  const path = zoneValuesPath(zone.product, zone.zone);
  if ((await host.readFile(zone.repo, path, defaultBranch)) === undefined) return;
  const edit = await mergeEdit(host, {
    repo: zone.repo,
    defaultBranch,
    branch: removalBranch(zone),
    title: `${zone.zone}: remove`,
    body: `Removes the zone ${zone.zone} of ${zone.product}.`,
    changesAt: async () => [{ path, content: null }],
  });
  // The pull request of a removal stays open for people; running checks are waited for, and a refused merge is retried.
  if (edit.outcome === 'refused' || (edit.outcome === 'blocked' && !edit.needsPerson)) throw new Error(edit.message);
}

/** Removes the chart that all zones of a Product share. */
export async function removeChart(
  host: OrgCodehost,
  { product, repo }: { product: string; repo: string },
): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(repo, '');
  await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: chartRemovalBranch({ product }),
    title: `${product}: remove`,
    body: `Removes the chart of ${product}.`,
    changesAt: async (ref) =>
      (await host.listFiles(repo, chartPath(product), ref)).map((path) => ({ path, content: null })),
  });
}
