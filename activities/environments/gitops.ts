import { parse, stringify } from 'yaml';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type ZoneSettings, type ZoneValues, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { type EditOutcome, mergeEdit } from '../merge-edit.ts';

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
  | Extract<EditOutcome, { outcome: 'refused' }>;

type Promoted = Extract<PromotionOutcome, { outcome: 'promoted' }>;
export type SettingsOutcome =
  | (Promoted & { digest: string })
  | Exclude<PromotionOutcome, Promoted>
  | { outcome: 'nothing-runs' };

/** Brings a Release into a zone's values file; each Release of a zone has one branch and so one pull request. */
export async function promote(host: OrgCodehost, promotion: Promotion): Promise<PromotionOutcome> {
  const { product, zone, version, repo } = promotion;
  const values: ZoneValues = {
    image: { repository: promotion.image, digest: promotion.digest },
    release: { name: promotion.release, version, commit: promotion.commit },
    ...promotion.settings,
  };
  const changes = [{ path: zoneValuesPath(product, zone), content: stringify(values) }];
  const { defaultBranch } = await host.ensureRepository(repo, 'What runs in each zone.');
  const edited = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `service/${product}/${zone}/${version}`,
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changesOn: async () => changes,
  });
  return promoted(edited);
}

function promoted(edited: EditOutcome): PromotionOutcome {
  if (edited.outcome === 'refused') return edited;
  const { commit, ...rest } = edited;
  return { ...rest, outcome: 'promoted', gitopsCommit: commit };
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
  const edited = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `service/${product}/${zone}/settings-${generation}`,
    title: `${zone}: settings`,
    body: `Brings the settings of ${product} (generation ${generation}) to the zone ${zone}.`,
    changesOn: async (ref) => {
      const { image, release } = (await valuesAt(ref)) ?? before;
      return [{ path, content: stringify({ image, release, ...settings } satisfies ZoneValues) }];
    },
  });
  const outcome = promoted(edited);
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
    defaultBranch,
    branch: `service/${zone.product}/${zone.zone}/removal`,
    title: `${zone.zone}: removed`,
    body: `Takes the zone ${zone.zone} of ${zone.product} down.`,
    changesOn: async () => [{ path, content: null }],
  });
}
