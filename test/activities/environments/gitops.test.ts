import { expect, it } from 'vitest';
import {
  closePromotion,
  mergePromotion,
  mergeZoneSettings,
  proposeChart,
} from '../../../activities/environments/gitops.ts';
import { chartPath } from '../../../src/rules/environments/zone-values.ts';
import { buildChart, chartFile, promotion, repo, settings, startGitops, zone } from './gitops-fixture.ts';

it('writes the Release and the first chart, keeps the chart later, and the Release when settings change', async () => {
  const { host, inActivity, read, valuesPath } = await startGitops();
  const change = {
    ...zone,
    generation: 1,
    settings: { ...settings, replicas: 3 },
    chart: promotion.chart,
    isDeployed: true,
  };
  const firstChange = { ...change, isDeployed: false };
  expect(await inActivity(() => mergeZoneSettings(host, firstChange))).toEqual({ outcome: 'no-release' });
  expect(await inActivity(() => mergePromotion(host, promotion))).toMatchObject({ outcome: 'promoted' });
  expect(await read(chartFile)).toContain('1.0.0+a');
  const next = { ...promotion, release: 'shop-v2', version: 'v2', digest: 'sha256:2', chart: buildChart('2.0.0+b') };
  await inActivity(() => mergePromotion(host, next));
  expect(await read(chartFile)).toContain('1.0.0+a');
  const values = await read(valuesPath);
  expect(values).toContain('digest: "sha256:2"');
  expect(values).toContain('name: "shop-v2"');

  expect(await inActivity(() => mergeZoneSettings(host, change))).toMatchObject({
    outcome: 'promoted',
    digest: 'sha256:2',
  });
  const changed = await read(valuesPath);
  expect(changed).toContain('replicas: 3');
  expect(changed).toContain('digest: "sha256:2"');
});

it('refuses settings for a values file that a person has broken, which the next promotion writes again', async () => {
  const { host, inActivity, read, valuesPath } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const base = await host.findBranchHead(repo, 'main');
  const broken = { path: valuesPath, content: '<<<<<<< main\nreplicas: 1\n' };
  await host.commitFiles(repo, { branch: 'main', base: base ?? '', message: 'Edit by hand', changes: [broken] });
  const change = { ...zone, generation: 2, settings, chart: promotion.chart, isDeployed: true };
  await expect(inActivity(() => mergeZoneSettings(host, change))).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(
      new RegExp(`^The file ${valuesPath} of the gitops repo is not a YAML map: .+ at line `),
    ),
  });
  await inActivity(() => mergePromotion(host, promotion));
  expect(await read(valuesPath)).toContain('digest: "sha256:1"');
  expect(await inActivity(() => mergeZoneSettings(host, change))).toMatchObject({ digest: 'sha256:1' });
});

it('proposes another chart once, removes its obsolete files, and merges nothing by itself', async () => {
  const { host, inActivity, read } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const branch = 'service/shop/chart-2.0.0-b';
  await proposeChart(host, promotion);
  expect(await host.findPullRequest(repo, 'service/shop/chart-1.0.0-a')).toBeUndefined();
  const [file] = buildChart('2.0.0+b');
  const proposal = { product: 'shop', repo, chart: file ? [file] : [] };
  await proposeChart(host, proposal);
  const pull = await host.findPullRequest(repo, branch);
  expect(pull).toMatchObject({ state: 'open', draft: false, baseBranch: 'main' });
  expect(await host.listFiles(repo, chartPath('shop'), branch)).toEqual([chartFile]);
  expect(await read(chartFile)).toContain('1.0.0+a');
  // A person declined it.
  await host.closePullRequest(repo, pull?.number ?? 0);
  await proposeChart(host, proposal);
  expect((await host.findPullRequest(repo, branch))?.number).toBe(pull?.number);
});

it('proposes nothing for a chart of the same version, without a chart, and in a repo without a commit', async () => {
  const { host, inActivity } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const template = { path: `${chartPath('shop')}/templates/more.yaml`, content: 'kind: ConfigMap\n' };
  const pulls: string[] = [];
  const watched = {
    ...host,
    openPullRequest: async (...input: Parameters<typeof host.openPullRequest>) => {
      pulls.push(input[1].title);
      return await host.openPullRequest(...input);
    },
  };
  await proposeChart(watched, { ...promotion, chart: [...promotion.chart, template] });
  await proposeChart(watched, { ...promotion, chart: [template] });
  const empty = { ...watched, findBranchHead: async () => undefined };
  await proposeChart(empty, { ...promotion, chart: buildChart('3.0.0+c') });
  expect(pulls).toEqual([]);
  await proposeChart(watched, { ...promotion, chart: buildChart('3.0.0+c') });
  expect(pulls).toEqual(['shop: chart 3.0.0+c']);
});

it('closes the pull request of a promotion also when the rules of the repo keep its branch', async () => {
  const { host } = await startGitops();
  const branch = 'service/shop/shop-prod/v1';
  const base = (await host.findBranchHead(repo, 'main')) ?? '';
  await host.commitFiles(repo, { branch, base, message: 'v1', changes: buildChart('1.0.0+a') });
  await host.openPullRequest(repo, { headBranch: branch, baseBranch: 'main', title: 'v1', body: '', draft: false });
  const deleteBranch = async () => await Promise.reject(new Error('The branch is protected.'));
  const closed: number[] = [];
  const closePullRequest: typeof host.closePullRequest = async (name, number) => {
    closed.push(number);
    await host.closePullRequest(name, number);
  };
  for (let time = 0; time < 2; time += 1)
    await expect(closePromotion({ ...host, deleteBranch, closePullRequest }, promotion)).rejects.toThrow('protected');
  const pull = await host.findPullRequest(repo, branch);
  expect(pull).toMatchObject({ state: 'closed', merged: false });
  expect(closed).toEqual([pull?.number]);
});

it('closes the pull requests of older settings of the zone, once, and no other one', async () => {
  const { host, inActivity } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const base = (await host.findBranchHead(repo, 'main')) ?? '';
  const names = [
    'shop-prod/settings-1',
    'shop-prod/settings-2',
    'shop-prod/settings-4',
    'shop-prod/v2',
    'shop-rc/settings-1',
  ];
  const branches = names.map((name) => `service/shop/${name}`);
  for (const branch of branches) {
    await host.commitFiles(repo, { branch, base, message: 'old', changes: [{ path: branch, content: 'old\n' }] });
    await host.openPullRequest(repo, { headBranch: branch, baseBranch: 'main', title: 'old', body: '', draft: false });
  }
  const closed: number[] = [];
  const closePullRequest: typeof host.closePullRequest = async (name, number) => {
    closed.push(number);
    await host.closePullRequest(name, number);
  };
  const change = { ...zone, generation: 3, settings: { ...settings, replicas: 3 }, chart: [], isDeployed: true };
  for (let time = 0; time < 2; time += 1)
    expect(await inActivity(() => mergeZoneSettings({ ...host, closePullRequest }, change))).toMatchObject({
      outcome: 'promoted',
    });
  const states = branches.map(async (branch) => (await host.findPullRequest(repo, branch))?.state);
  expect(await Promise.all(states)).toEqual(['closed', 'closed', 'open', 'open', 'open']);
  expect(closed).toHaveLength(2);
  expect(await host.findBranchHead(repo, 'service/shop/shop-prod/settings-1')).toBeUndefined();
});

it('closes the pull request of a promotion that was given up while the code host was away', async () => {
  const { host, inActivity } = await startGitops();
  const mergePullRequest = async () => ({ outcome: 'blocked' as const, message: 'A check runs.', needsPerson: false });
  const findState = async (version: string) =>
    (await host.findPullRequest(repo, `service/shop/shop-prod/${version}`))?.state;
  await inActivity(() => mergePromotion({ ...host, mergePullRequest }, promotion));
  expect(await findState('v1')).toBe('open');
  const next = { ...promotion, release: 'shop-v2', version: 'v2', digest: 'sha256:2' };
  await inActivity(() => mergePromotion({ ...host, mergePullRequest }, next));
  expect([await findState('v1'), await findState('v2')]).toEqual(['closed', 'open']);
  // The older version is rolled back to in another pull request.
  expect(await inActivity(() => mergePromotion(host, promotion))).toMatchObject({ outcome: 'promoted' });
  expect(await findState('v2')).toBe('closed');
});

it('keeps the pull request of older settings until newer ones are proposed', async () => {
  const { host, inActivity } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const blocked = async () => ({ outcome: 'blocked' as const, message: 'It needs a review.', needsPerson: true });
  const refused = async () => ({ outcome: 'refused' as const, message: 'No.' });
  const write = async (generation: number, mergePullRequest: typeof host.mergePullRequest) => {
    const change = {
      ...zone,
      generation,
      settings: { ...settings, replicas: generation },
      chart: [],
      isDeployed: true,
    };
    await inActivity(() => mergeZoneSettings({ ...host, mergePullRequest }, change));
    return (await host.findPullRequest(repo, 'service/shop/shop-prod/settings-2'))?.state;
  };
  expect(await write(2, blocked)).toBe('open');
  expect(await write(3, refused)).toBe('open');
  expect(await write(3, blocked)).toBe('closed');
});

it('drops the Release of a removed zone from the file of a new zone with the same name and settings', async () => {
  const { host, inActivity, read, valuesPath } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const change = { ...zone, generation: 1, settings, chart: promotion.chart, isDeployed: false };
  expect(await inActivity(() => mergeZoneSettings(host, change))).toEqual({ outcome: 'no-release' });
  const values = await read(valuesPath);
  expect(values).toContain('replicas: 1');
  expect(values).not.toMatch(/image|release/);
});
