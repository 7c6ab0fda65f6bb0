import { parse, stringify } from 'yaml';
import type { FileChange, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { chartFile } from '../../src/rules/environments/zone-chart.ts';
import {
  type ZoneSettings,
  type ZoneValues,
  chartPath,
  zoneValuesPath,
} from '../../src/rules/environments/zone-values.ts';
import { type EditOutcome, mergeEdit } from '../merge-edit.ts';

type Chart = { path: string; content: string }[];

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
  chart: Chart;
};

export type SettingsChange = {
  product: string;
  zone: string;
  repo: string;
  generation: number;
  settings: ZoneSettings;
  chart: Chart;
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
  const change = { path: zoneValuesPath(product, zone), content: stringify(values) };
  const { defaultBranch } = await host.ensureRepository(repo, 'What runs in each zone.');
  const edited = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `service/${product}/${zone}/${version}`,
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changesOn: async (ref) => [change, ...(await missingChart(host, promotion, ref))],
  });
  return promoted(edited);
}

/** The chart comes with the first that needs it; one that is there stays as it is, whatever this version would write. */
async function missingChart(
  host: OrgCodehost,
  { product, repo, chart }: Pick<Promotion, 'product' | 'repo' | 'chart'>,
  ref: string,
): Promise<FileChange[]> {
  const there = await host.readFile(repo, `${chartPath(product)}/${chartFile}`, ref);
  return there === undefined ? chart : [];
}

/**
 * Proposes another chart than that in the repo, and leaves it to people to merge: it changes what runs in every zone of
 * the Product, at a time that nobody chose.
 */
export async function proposeChart(
  host: OrgCodehost,
  { product, repo, chart }: Pick<Promotion, 'product' | 'repo' | 'chart'>,
): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(repo, '');
  const base = await host.branchHead(repo, defaultBranch);
  const about = chart.find(({ path }) => path === `${chartPath(product)}/${chartFile}`);
  if (base === undefined || !about || (await host.readFile(repo, about.path, base)) === about.content) return;
  const { version } = parse(about.content) as { version: string };
  const branch = `service/${product}/chart-${version.replace('+', '-')}`;
  // Also one that somebody has closed.
  if (await host.findPullRequest(repo, branch)) return;
  const there = await host.filesBelow(repo, chartPath(product), base);
  const gone = there.filter((path) => !chart.some((file) => file.path === path));
  const changes = [...chart, ...gone.map((path) => ({ path, content: null }))];
  const title = `${product}: chart ${version}`;
  if ((await host.commitFiles(repo, { branch, base, message: title, changes })) === undefined) return;
  await host.openPullRequest(repo, {
    headBranch: branch,
    baseBranch: defaultBranch,
    title,
    body: `The service renders zones with another chart now. Merging this applies it to every zone of ${product} at once, production included; until then they stay as they are.`,
    draft: false,
  });
}

function promoted(edited: EditOutcome): PromotionOutcome {
  if (edited.outcome === 'refused') return edited;
  const { commit, ...rest } = edited;
  return { ...rest, outcome: 'promoted', gitopsCommit: commit };
}

/** Brings settings into a zone's values file, and leaves what runs as it is; nothing where no Release has come yet. */
export async function changeSettings(
  host: OrgCodehost,
  { product, zone, repo, generation, settings, chart }: SettingsChange,
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
      const content = stringify({ image, release, ...settings } satisfies ZoneValues);
      return [{ path, content }, ...(await missingChart(host, { product, repo, chart }, ref))];
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

/** Takes what all zones of a Product had in common out of the repo. */
export async function removeChart(
  host: OrgCodehost,
  { product, repo }: { product: string; repo: string },
): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(repo, '');
  await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `service/${product}/removal`,
    title: `${product}: removed`,
    body: `Takes the chart of ${product} away.`,
    changesOn: async (ref) =>
      (await host.filesBelow(repo, chartPath(product), ref)).map((path) => ({ path, content: null })),
  });
}
