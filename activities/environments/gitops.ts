import { parse } from 'yaml';
import { defined } from '../../src/defined.ts';
import type { FileChange, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import {
  chartFileName,
  formatUpdatedValues,
  formatZoneValues,
  parseZoneValues,
} from '../../src/rules/environments/zone-chart.ts';
import type { ZoneSettings } from '../../src/rules/environments/settings.ts';
import { type ZoneValues, chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { type EditOutcome, mergeEdit } from '../codehost/merge-edit.ts';

type Chart = { path: string; content: string }[];

/** The description of the gitops repo on the code host. */
export const gitopsRepoDescription = 'The state of each zone. The delivery service writes it through pull requests.';

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
  /** The number of the pull request whose merge an earlier attempt found blocked. */
  proposal?: number;
};

export type SettingsChange = {
  product: string;
  zone: string;
  repo: string;
  generation: number;
  settings: ZoneSettings;
  chart: Chart;
  /** False until the first promotion: a Release in the file is then one of a removed zone with the same name. */
  isDeployed: boolean;
  /** The number of the pull request whose merge an earlier attempt found blocked. */
  proposal?: number;
};

export type PromotionOutcome =
  | { outcome: 'promoted'; gitopsCommit: string; mergedAt: string; pullRequest?: { number: number; url: string } }
  | Exclude<EditOutcome, { outcome: 'merged' }>;

type PromotedOutcome = Extract<PromotionOutcome, { outcome: 'promoted' }>;
export type SettingsOutcome =
  | (PromotedOutcome & { digest: string })
  | Exclude<PromotionOutcome, PromotedOutcome>
  | { outcome: 'no-release' };

const promotionBranch = ({ product, zone, version }: Pick<Promotion, 'product' | 'zone' | 'version'>): string =>
  `service/${product}/${zone}/${version}`;

/** Writes a Release into a zone's values file; each Release of a zone has one branch and so one pull request. */
export async function mergePromotion(host: OrgCodehost, promotion: Promotion): Promise<PromotionOutcome> {
  const { product, zone, version, repo, proposal } = promotion;
  const values: ZoneValues = {
    image: { repository: promotion.image, digest: promotion.digest },
    release: { name: promotion.release, version, commit: promotion.commit },
    ...promotion.settings,
  };
  const change = { path: zoneValuesPath(product, zone), content: formatZoneValues(values) };
  const { defaultBranch } = await host.ensureRepository(repo, gitopsRepoDescription);
  const edit = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: promotionBranch(promotion),
    ...defined({ proposal }),
    title: `${zone}: ${version}`,
    body: `Promotes ${promotion.release} (${promotion.commit}) to the zone ${zone}.\n\nService-Release: ${promotion.release}`,
    changesAt: async (ref) => [change, ...(await listMissingChartFiles(host, promotion, ref))],
  });
  // One change at a time reaches a zone, so the others were given up, for example while the code host did not respond.
  if (edit.outcome !== 'refused')
    await closeStale(host, { repo, prefix: `service/${product}/${zone}/v`, isStale: (name) => `v${name}` !== version });
  return toPromotionOutcome(edit);
}

/** Closes the pull request of a Release that was given up, and deletes its branch; repeating it has no effect. */
export async function closePromotion(
  host: OrgCodehost,
  promotion: Pick<Promotion, 'product' | 'zone' | 'version' | 'repo'>,
): Promise<void> {
  const { repo } = promotion;
  const branch = promotionBranch(promotion);
  const pull = await host.findPullRequest(repo, branch);
  if (pull?.state === 'open') await host.closePullRequest(repo, pull.number);
  await host.deleteBranch(repo, branch);
}

/** Closes the open pull requests whose later merge would undo a newer one; repeating it has no effect. */
export async function closeStale(
  host: OrgCodehost,
  { repo, prefix, isStale }: { repo: string; prefix: string; isStale: (name: string) => boolean },
): Promise<void> {
  for (const { number, headBranch } of await host.listOpenPullRequests(repo, prefix)) {
    if (!isStale(headBranch.slice(prefix.length))) continue;
    await host.closePullRequest(repo, number);
    await host.deleteBranch(repo, headBranch);
  }
}

/** The first promotion adds the chart; an existing chart stays as it is, even if this version would write another one. */
async function listMissingChartFiles(
  host: OrgCodehost,
  { product, repo, chart }: Pick<Promotion, 'product' | 'repo' | 'chart'>,
  ref: string,
): Promise<FileChange[]> {
  const existing = await host.readFile(repo, `${chartPath(product)}/${chartFileName}`, ref);
  return existing === undefined ? chart : [];
}

/**
 * Opens a pull request when the chart differs from the one in the repo. People merge it, because a new chart changes all
 * zones of the Product at once.
 */
export async function proposeChart(
  host: OrgCodehost,
  { product, repo, chart }: Pick<Promotion, 'product' | 'repo' | 'chart'>,
): Promise<void> {
  const { defaultBranch } = await host.ensureRepository(repo, '');
  const base = await host.findBranchHead(repo, defaultBranch);
  const chartFile = chart.find(({ path }) => path === `${chartPath(product)}/${chartFileName}`);
  if (base === undefined || !chartFile || (await host.readFile(repo, chartFile.path, base)) === chartFile.content)
    return;
  const { version } = parse(chartFile.content) as { version: string };
  const branch = `service/${product}/chart-${version.replace('+', '-')}`;
  // A closed pull request counts too: a person has declined this chart.
  if (await host.findPullRequest(repo, branch)) return;
  const existing = await host.listFiles(repo, chartPath(product), base);
  const obsolete = existing.filter((path) => !chart.some((file) => file.path === path));
  const changes = [...chart, ...obsolete.map((path) => ({ path, content: null }))];
  const title = `${product}: chart ${version}`;
  if ((await host.commitFiles(repo, { branch, base, message: title, changes })) === undefined) return;
  await host.openPullRequest(repo, {
    headBranch: branch,
    baseBranch: defaultBranch,
    title,
    body: `This version of the service renders zones with a new chart. Merging this pull request applies it to every zone of ${product} at once, including production. Until then the zones keep the current chart.`,
    draft: false,
  });
}

function toPromotionOutcome(edit: EditOutcome): PromotionOutcome {
  if (edit.outcome !== 'merged') return edit;
  const { commit, ...rest } = edit;
  return { ...rest, outcome: 'promoted', gitopsCommit: commit };
}

const settingsBranchPrefix = ({ product, zone }: Pick<SettingsChange, 'product' | 'zone'>): string =>
  `service/${product}/${zone}/settings-`;

/** Writes settings into a zone's values file and keeps its Release; before the first one, the file has settings only. */
export async function mergeZoneSettings(
  host: OrgCodehost,
  { product, zone, repo, generation, settings, chart, isDeployed, proposal }: SettingsChange,
): Promise<SettingsOutcome> {
  const { defaultBranch } = await host.ensureRepository(repo, gitopsRepoDescription);
  const path = zoneValuesPath(product, zone);
  const readValues = async (ref: string): Promise<Partial<ZoneValues> | undefined> => {
    if (!isDeployed) return undefined;
    const text = await host.readFile(repo, path, ref);
    return text === undefined ? undefined : parseZoneValues(path, text);
  };
  const before = await readValues(defaultBranch);
  const edit = await mergeEdit(host, {
    repo,
    defaultBranch,
    branch: `${settingsBranchPrefix({ product, zone })}${generation}`,
    ...defined({ proposal }),
    title: `${zone}: settings`,
    body: `Applies the settings of ${product} (generation ${generation}) to the zone ${zone}.`,
    changesAt: async (ref) => {
      const content = formatUpdatedValues((await readValues(ref)) ?? before, settings);
      return [{ path, content }, ...(await listMissingChartFiles(host, { product, repo, chart }, ref))];
    },
  });
  const isStale = (name: string): boolean => Number(name) < generation;
  if (edit.outcome !== 'refused')
    await closeStale(host, { repo, prefix: settingsBranchPrefix({ product, zone }), isStale });
  const outcome = toPromotionOutcome(edit);
  if (outcome.outcome !== 'promoted') return outcome;
  return before?.image ? { ...outcome, digest: before.image.digest } : { outcome: 'no-release' };
}
