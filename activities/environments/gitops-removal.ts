import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { mergeEdit } from '../codehost/merge-edit.ts';
import { closeStale, gitopsRepoDescription } from './gitops.ts';

type ZoneFile = { product: string; zone: string; repo: string };

const branchPrefix = ({ product, zone }: ZoneFile): string => `service/${product}/${zone}/`;
const removalName = 'removal';
const removalBranch = (zone: ZoneFile): string => `${branchPrefix(zone)}${removalName}`;

/** Closes the pull request that would remove the file of a zone which is added again under the same name. */
export async function closeRemoval(host: OrgCodehost, zone: ZoneFile): Promise<void> {
  await host.ensureRepository(zone.repo, gitopsRepoDescription);
  const pull = await host.findPullRequest(zone.repo, removalBranch(zone));
  if (pull?.state !== 'open') return;
  await host.closePullRequest(zone.repo, pull.number);
  await host.deleteBranch(zone.repo, removalBranch(zone));
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
    branch: `service/${product}/removal`,
    title: `${product}: remove`,
    body: `Removes the chart of ${product}.`,
    changesAt: async (ref) =>
      (await host.listFiles(repo, chartPath(product), ref)).map((path) => ({ path, content: null })),
  });
}
