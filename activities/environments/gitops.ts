import { stringify } from 'yaml';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type ZoneValues, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { mergeEdit, type EditOutcome } from '../merge-edit.ts';

export type Promotion = {
  org: string;
  product: string;
  zone: string;
  release: string;
  version: string;
  commit: string;
  digest: string;
  repo: string;
  replicas: number;
  /** The host name people open. */
  host: string;
  image: string;
};

export type PromotionOutcome =
  | { outcome: 'promoted'; gitopsCommit: string; mergedAt: string; pullRequest?: { number: number; url: string } }
  | Extract<EditOutcome, { outcome: 'refused' }>;

/** Brings a Release into a zone's values file; each Release of a zone has one branch and so one pull request. */
export async function promote(host: OrgCodehost, promotion: Promotion): Promise<PromotionOutcome> {
  const { product, zone, version, repo } = promotion;
  const values: ZoneValues = {
    image: { repository: promotion.image, digest: promotion.digest },
    replicas: promotion.replicas,
    ingress: { hosts: [promotion.host] },
    release: { name: promotion.release, version, commit: promotion.commit },
  };
  const { defaultBranch } = await host.ensureRepository(repo, 'What runs in each zone.');
  const edited = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `service/${product}/${zone}/${version}`,
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changes: [{ path: zoneValuesPath(product, zone), content: stringify(values) }],
  });
  if (edited.outcome === 'refused') return edited;
  const { commit, ...rest } = edited;
  return { ...rest, outcome: 'promoted', gitopsCommit: commit };
}

export async function removeValues(
  host: OrgCodehost,
  zone: { product: string; zone: string; repo: string },
): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(zone.repo, '');
  const path = zoneValuesPath(zone.product, zone.zone);
  if ((await host.readFile(zone.repo, path, defaultBranch)) === undefined) return;
  await mergeEdit(host, {
    repo: zone.repo,
    defaultBranch,
    branch: `service/${zone.product}/${zone.zone}/removal`,
    title: `${zone.zone}: removed`,
    body: `Takes the zone ${zone.zone} of ${zone.product} down.`,
    changes: [{ path, content: null }],
  });
}
