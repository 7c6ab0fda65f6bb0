import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { FileChange, OrgCodehost, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import { type ZoneSettings, type ZoneValues, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';

export type Promotion = {
  org: string;
  product: string;
  zone: string;
  release: string;
  version: string;
  commit: string;
  digest: string;
  repo: string;
  image: string;
  settings: ZoneSettings;
};

export type SettingsChange = {
  product: string;
  zone: string;
  repo: string;
  generation: number;
  settings: ZoneSettings;
};

export type PromotionOutcome =
  | { outcome: 'promoted'; gitopsCommit: string; mergedAt: string; pullRequest?: { number: number; url: string } }
  | { outcome: 'refused'; message: string };

type Promoted = Extract<PromotionOutcome, { outcome: 'promoted' }>;
export type SettingsOutcome =
  | (Promoted & { digest: string })
  | Exclude<PromotionOutcome, Promoted>
  | { outcome: 'nothing-runs' };

type Edit = {
  repo: string;
  branch: string;
  title: string;
  body: string;
  /** What is to be changed in the files as they are at a commit. */
  changesOn: (ref: string) => Promise<FileChange[]>;
};

/** How often a change is applied anew to a base that others keep moving. */
const triesMax = 50;

/** Brings a Release into a zone's values file; each Release of a zone has one branch and so one pull request. */
export async function promote(host: OrgCodehost, promotion: Promotion): Promise<PromotionOutcome> {
  const { product, zone, version, repo } = promotion;
  const values: ZoneValues = {
    image: { repository: promotion.image, digest: promotion.digest },
    release: { name: promotion.release, version, commit: promotion.commit },
    ...promotion.settings,
  };
  const changes = [{ path: zoneValuesPath(product, zone), content: stringify(values) }];
  return await mergeEdit(host, {
    repo,
    branch: `service/${product}/${zone}/${version}`,
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changesOn: async () => changes,
  });
}

/** Brings settings into a zone's values file, and leaves what runs as it is; nothing where no Release has come yet. */
export async function changeSettings(
  host: OrgCodehost,
  { product, zone, repo, generation, settings }: SettingsChange,
): Promise<SettingsOutcome> {
  const { defaultBranch } = await host.ensureRepository(repo, '');
  const path = zoneValuesPath(product, zone);
  const valuesAt = async (ref: string): Promise<ZoneValues | undefined> => {
    const text = await host.readFile(repo, path, ref);
    return text === undefined ? undefined : (parse(text) as ZoneValues);
  };
  const before = await valuesAt(defaultBranch);
  if (!before) return { outcome: 'nothing-runs' };
  const outcome = await mergeEdit(host, {
    repo,
    branch: `service/${product}/${zone}/settings-${generation}`,
    title: `${zone}: settings`,
    body: `Brings the settings of ${product} (generation ${generation}) to the zone ${zone}.`,
    changesOn: async (ref) => {
      const { image, release } = (await valuesAt(ref)) ?? before;
      return [{ path, content: stringify({ image, release, ...settings } satisfies ZoneValues) }];
    },
  });
  return outcome.outcome === 'promoted' ? { ...outcome, digest: before.image.digest } : outcome;
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
    changesOn: async () => [{ path, content: null }],
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
  const { cancellationSignal } = Context.current();
  for (let tries = 0; tries < triesMax; tries += 1) {
    // Taken for dead, or called off: what was written since must not be overwritten.
    cancellationSignal.throwIfAborted();
    const base = await host.branchHead(repo, defaultBranch);
    if (base === undefined)
      return { outcome: 'refused', message: `The gitops repo ${repo} has no branch ${defaultBranch}.` };
    // Whoever wrote it, what was to be written is there. A merge of long ago says nothing: the zone may have moved on.
    if (await isThere(host, edit, base)) {
      const isOurs = pull?.merged && pull.mergeCommit && (await isThere(host, edit, pull.mergeCommit));
      return isOurs && pull?.mergeCommit ? promoted(pull, pull.mergeCommit) : promoted(undefined, base);
    }
    const onTop = pull?.state === 'open' && pull.baseSha === base && (await isThere(host, edit, pull.headSha));
    const head = onTop
      ? pull?.headSha
      : await host.commitFiles(repo, { branch, base, message: edit.title, changes: await edit.changesOn(base) });
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

async function isThere(host: OrgCodehost, { repo, changesOn }: Edit, ref: string): Promise<boolean> {
  const changes = await changesOn(ref);
  const files = await Promise.all(changes.map(async ({ path }) => (await host.readFile(repo, path, ref)) ?? null));
  return changes.every(({ content }, index) => files[index] === content);
}

function promoted(pull: PullRequest | undefined, gitopsCommit: string): PromotionOutcome {
  const pullRequest = pull && { pullRequest: { number: pull.number, url: pull.url } };
  return { outcome: 'promoted', gitopsCommit, mergedAt: new Date().toISOString(), ...pullRequest };
}
