import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { FileChange, OrgCodehost, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import { type ZoneValues, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';

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
  | { outcome: 'refused'; message: string };

type Edit = { repo: string; branch: string; title: string; body: string; changes: FileChange[] };

/** How often a change is applied anew to a base that others keep moving. */
const triesMax = 50;

/** Brings a Release into a zone's values file; each Release of a zone has one branch and so one pull request. */
export async function promote(host: OrgCodehost, promotion: Promotion): Promise<PromotionOutcome> {
  const { product, zone, version, repo } = promotion;
  const values: ZoneValues = {
    image: { repository: promotion.image, digest: promotion.digest },
    replicas: promotion.replicas,
    ingress: { hosts: [promotion.host] },
    release: { name: promotion.release, version, commit: promotion.commit },
  };
  return await mergeEdit(host, {
    repo,
    branch: `service/${product}/${zone}/${version}`,
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changes: [{ path: zoneValuesPath(product, zone), content: stringify(values) }],
  });
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
    branch: `service/${zone.product}/${zone.zone}/removal`,
    title: `${zone.zone}: removed`,
    body: `Takes the zone ${zone.zone} of ${zone.product} down.`,
    changes: [{ path, content: null }],
  });
}

/**
 * Makes an edit to the default branch through a pull request. When others were faster the edit is applied anew to what
 * is there now, never line-merged: both wrote whole files.
 */
async function mergeEdit(host: OrgCodehost, edit: Edit): Promise<PromotionOutcome> {
  const { repo, branch } = edit;
  const { defaultBranch } = await host.ensureRepository(repo, 'What runs in each zone.');
  let pull = await host.findPullRequest(repo, branch);
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (pull?.merged && pull.mergeCommit && (await isThere(host, edit, pull.mergeCommit)))
      return promoted(pull, pull.mergeCommit);
    const base = await host.branchHead(repo, defaultBranch);
    if (base === undefined)
      return { outcome: 'refused', message: `The gitops repo ${repo} has no branch ${defaultBranch}.` };
    // Whoever wrote it, what was to be written is there.
    if (await isThere(host, edit, base)) return promoted(undefined, base);
    const onTop = pull?.state === 'open' && pull.baseSha === base && (await isThere(host, edit, pull.headSha));
    const head = onTop
      ? pull?.headSha
      : await host.commitFiles(repo, { branch, base, message: edit.title, changes: edit.changes });
    if (head === undefined) return promoted(undefined, base);
    pull = await host.openPullRequest(repo, {
      headBranch: branch,
      baseBranch: defaultBranch,
      title: edit.title,
      body: edit.body,
      draft: false,
    });
    const merge = await host.merge(repo, {
      number: pull.number,
      headSha: head,
      title: `${edit.title} (#${pull.number})`,
      message: edit.body,
    });
    if (merge.outcome === 'merged') {
      await host.deleteBranch(repo, branch);
      return promoted(pull, merge.commit);
    }
    if (merge.outcome === 'closed' || merge.outcome === 'refused')
      return { outcome: 'refused', message: merge.message };
    await sleep(Math.min(1_000, 50 * 2 ** Math.min(tries, 4)) * (0.5 + Math.random()));
    pull = await host.findPullRequest(repo, branch);
  }
  return { outcome: 'refused', message: `The gitops repo ${repo} kept changing while ${edit.title} was merged.` };
}

async function isThere(host: OrgCodehost, { repo, changes }: Edit, ref: string): Promise<boolean> {
  const files = await Promise.all(changes.map(async ({ path }) => (await host.readFile(repo, path, ref)) ?? null));
  return changes.every(({ content }, index) => files[index] === content);
}

function promoted(pull: PullRequest | undefined, gitopsCommit: string): PromotionOutcome {
  const pullRequest = pull && { pullRequest: { number: pull.number, url: pull.url } };
  return { outcome: 'promoted', gitopsCommit, mergedAt: new Date().toISOString(), ...pullRequest };
}
