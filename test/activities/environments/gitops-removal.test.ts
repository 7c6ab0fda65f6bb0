import { expect, it } from 'vitest';
import { closeRemoval, removeChart, removeZoneValues } from '../../../activities/environments/gitops-removal.ts';
import { mergePromotion } from '../../../activities/environments/gitops.ts';
import { chartPath } from '../../../src/rules/environments/zone-values.ts';
import { chartFile, promotion, repo, startGitops, zone } from './gitops-fixture.ts';

it('removes the values of a zone and the chart of a Product, also when repeated', async () => {
  const { host, inActivity, read, valuesPath } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  for (let time = 0; time < 2; time += 1) await inActivity(() => removeZoneValues(host, zone));
  expect(await read(valuesPath)).toBeUndefined();
  expect(await read(chartFile)).toBeDefined();
  for (let time = 0; time < 2; time += 1) await inActivity(() => removeChart(host, zone));
  expect(await host.listFiles(repo, chartPath('shop'), 'main')).toEqual([]);
  expect(await read('README.md')).toBe('shop\n');
});

it('has no removal to close before the first write to the gitops repo', async () => {
  const { host } = await startGitops();
  const gitops = 'acme/gitops';
  expect(await host.findRepository(gitops)).toBeUndefined();
  await closeRemoval(host, { ...zone, repo: gitops });
  expect(await host.findRepository(gitops)).toBeDefined();
});

it('repeats a removal that the code host refuses, and closes the pull request of a zone that is added again', async () => {
  const { host, inActivity, read, valuesPath } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const message = 'The branch main is protected.';
  const refusing = { ...host, mergePullRequest: async () => ({ outcome: 'refused', message }) as const };
  await expect(inActivity(() => removeZoneValues(refusing, zone))).rejects.toThrow(message);
  const branch = 'service/shop/shop-prod/removal';
  expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'open' });
  for (let time = 0; time < 2; time += 1) await closeRemoval(host, zone);
  expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'closed', merged: false });
  expect(await host.findBranchHead(repo, branch)).toBeUndefined();
  await inActivity(() => removeZoneValues(host, zone));
  expect(await read(valuesPath)).toBeUndefined();
});

it('closes the pull request that would remove the chart of a Product that was created again', async () => {
  const { host, inActivity, read } = await startGitops();
  await inActivity(() => mergePromotion(host, promotion));
  const blocked = { outcome: 'blocked', message: 'A review is required.', needsPerson: true } as const;
  await inActivity(() => removeChart({ ...host, mergePullRequest: async () => blocked }, zone));
  const branch = 'service/shop/removal';
  expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'open' });
  for (let time = 0; time < 2; time += 1) await closeRemoval(host, zone);
  expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'closed', merged: false });
  expect(await host.findBranchHead(repo, branch)).toBeUndefined();
  expect(await read(chartFile)).toBeDefined();
});

it('closes the other pull requests of a removed zone, and none of another zone', async () => {
  const { host, inActivity } = await startGitops();
  const propose = async (headBranch: string): Promise<void> => {
    const base = (await host.findBranchHead(repo, 'main')) ?? '';
    const changes = [{ path: 'proposed', content: headBranch }];
    await host.commitFiles(repo, { branch: headBranch, base, message: 'Propose', changes });
    await host.openPullRequest(repo, { headBranch, baseBranch: 'main', title: 'Propose', body: '', draft: false });
  };
  const stale = ['service/shop/shop-prod/settings-3', 'service/shop/shop-prod/v0.9.0'];
  const others = ['service/shop/shop-prod-eu/settings-3', 'service/shop/chart-2', 'person/branch'];
  for (const branch of [...stale, ...others]) await propose(branch);
  // Nothing was deployed to the zone, so no pull request removes a file.
  for (let time = 0; time < 2; time += 1) await inActivity(() => removeZoneValues(host, zone));
  for (const branch of stale) {
    expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'closed', merged: false });
    expect(await host.findBranchHead(repo, branch)).toBeUndefined();
  }
  for (const branch of others) expect(await host.findPullRequest(repo, branch)).toMatchObject({ state: 'open' });
});
