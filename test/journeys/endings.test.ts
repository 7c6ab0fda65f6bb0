import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import {
  CodehostFacts,
  approve,
  approveZone,
  ask,
  createAcme,
  createProduct,
  releaseIs,
  runIs,
  startChange,
  stepIs,
  until,
  zoneIs,
  getRun,
} from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let api: Api;
let codehost: CodehostFacts;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  codehost = new CodehostFacts(platform);
  await createAcme(api);
});
afterAll(async () => await platform?.remove());

/** A Change of that title, brought to its approval. */
async function aWaitingChange(product: string, title: string): Promise<string> {
  await createProduct(platform, api, { name: product });
  const run = await startChange(api, product, title);
  await runIs(api, run, 'WaitingForPerson');
  return run;
}

/** The Release that a Change's merge has started. */
async function releaseOf(run: string): Promise<string> {
  const view = await until(
    async () => await getRun(api, run),
    ({ release }) => release !== undefined,
  );
  return view.release ?? '';
}

describe('how a Change ends', () => {
  it('a review that finds a fault sends the work back, and the mended work is approved', async () => {
    const run = await aWaitingChange('faulty', 'Show the time on the page');
    const { status } = await getRun(api, run);
    const steps = new Map(status.steps.map((step) => [step.name, step]));
    expect(steps.get('implement')).toMatchObject({ phase: 'Succeeded', rounds: 1 });
    expect(steps.get('review-code')).toMatchObject({ phase: 'Succeeded', verdict: { outcome: 'approved' } });
  });

  it('one that a person rejects is Rejected with the reason, and its pull request and branch are gone', async () => {
    const run = await aWaitingChange('rejected', 'Greet visitors by name');
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/approve-change/reject`, { note: 'not now' });
    const { status } = await runIs(api, run, 'Failed');
    expect(status.steps.find(({ name }) => name === 'approve-change')).toMatchObject({ phase: 'Rejected' });
    expect(status.failure?.reason).toBe('root@example.com rejected it: not now');
    expect(await codehost.pulls('acme/rejected')).toMatchObject([{ state: 'closed', merged_at: null }]);
    await expect(codehost.get(`/repos/acme/rejected/branches/service/${run}`)).rejects.toThrow('404');
  });

  it('one that is cancelled leaves nothing behind and says so', async () => {
    const run = await aWaitingChange('cancelled', 'Greet visitors by name');
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/cancel`, {});
    const { status } = await runIs(api, run, 'Cancelled');
    expect(status.steps.find(({ name }) => name === 'merge')).toMatchObject({ phase: 'Cancelled' });
    expect(await codehost.pulls('acme/cancelled')).toMatchObject([{ state: 'closed', merged_at: null }]);
  });

  it('a build that fails fails the Release with the builder’s words, before any tag', async () => {
    const run = await aWaitingChange('unbuildable', 'Drop the start script');
    await approve(api, run);
    await runIs(api, run, 'Succeeded');
    const { status } = await releaseIs(api, await releaseOf(run), 'Failed');
    expect(status.failure?.reason).toContain('Nothing says how to start this app');
    expect(status.zones.map(({ phase }) => phase)).toEqual(['Pending', 'Pending']);
    expect(await codehost.tags('acme/unbuildable')).toEqual([]);
  });

  it('a smoke check that fails stops before production and shows the answer', async () => {
    const run = await aWaitingChange('smoky', 'Answer 500 on the front page');
    await approve(api, run);
    const release = await releaseOf(run);
    const { status } = await releaseIs(api, release, 'Failed');
    expect(status.zones).toMatchObject([
      { name: 'smoky-rc', phase: 'Failed', failure: { reason: expect.stringContaining('answered 500') } },
      { name: 'smoky-prod', phase: 'Pending' },
    ]);
    expect((await ask(platform.address('smoky-prod'), '/')).status).toBe(404);
  });

  it('an issue that no rehearsal knows asks a person', async () => {
    await createProduct(platform, api, { name: 'unknown' });
    const run = await startChange(api, 'unknown', 'Write a novel');
    const { status } = await stepIs(api, run, { step: 'implement', phase: 'NeedsGuidance' });
    expect(status.phase).toBe('NeedsGuidance');
    expect(status.steps[0]?.waitingFor?.what).toContain('replays worked examples only');
  });

  it('403: a viewer may look at a Change but not approve it', async () => {
    const run = await aWaitingChange('viewed', 'Greet visitors by name');
    const viewer = { email: 'viewer@example.com', password: 'correct horse battery staple' };
    await api.post('/v1/access/users', viewer);
    await putAccessGroups([{ name: 'lookers', role: 'viewer', members: [viewer.email] }]);
    const asViewer = await platform.signedIn(viewer);
    expect((await getRun(asViewer, run)).status.phase).toBe('WaitingForPerson');
    await expect(approve(asViewer, run)).rejects.toMatchObject({ status: 403 });
    expect((await getRun(api, run)).status.phase).toBe('WaitingForPerson');
  });
});

async function putAccessGroups(accessGroups: unknown[]): Promise<void> {
  await api.put('/v1/orgs/acme/access-groups', { accessGroups });
}

describe('how a Release goes on', () => {
  it('a newer Release that arrives while an older one waits for approval supersedes it', async () => {
    const run = await aWaitingChange('twice', 'Greet visitors by name');
    await approve(api, run);
    const older = await releaseOf(run);
    await zoneIs(api, older, { zone: 'twice-prod', phase: 'WaitingForApproval' });

    const second = await startChange(api, 'twice', 'Show the time on the page');
    await runIs(api, second, 'WaitingForPerson');
    await approve(api, second);
    const newer = await releaseOf(second);
    const { status } = await releaseIs(api, older, 'Superseded');
    expect(status.zones).toMatchObject([{ phase: 'Verified' }, { phase: 'Superseded' }]);
    await zoneIs(api, newer, { zone: 'twice-prod', phase: 'WaitingForApproval' });
    await expect(approveZone(api, older, 'twice-prod')).rejects.toMatchObject({ status: 409 });
    await approveZone(api, newer, 'twice-prod');
    await releaseIs(api, newer, 'Succeeded');
    expect((await ask(platform.address('twice-prod'), '/version')).body).toContain('v0.2.0');
  });

  it('409: a commit that a Release holds already is not released again under a higher version', async () => {
    await createProduct(platform, api, { name: 'older' });
    const [first] = await codehost.commits('acme/older');
    const run = await startChange(api, 'older', 'Greet visitors by name');
    await runIs(api, run, 'WaitingForPerson');
    await approve(api, run);
    const release = await releaseOf(run);
    await expect(api.post('/v1/orgs/acme/releases', { product: 'older', commit: first?.sha })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(release),
    });
  });

  it('deleting a Product takes its environments down and leaves its repo', async () => {
    const run = await aWaitingChange('leaving', 'Greet visitors by name');
    await approve(api, run);
    await zoneIs(api, await releaseOf(run), { zone: 'leaving-rc', phase: 'Verified' });
    expect((await ask(platform.address('leaving-rc'), '/')).status).toBe(200);
    await api.delete('/v1/orgs/acme/products/leaving');
    await until(
      async () => await api.find('/v1/orgs/acme/products/leaving'),
      (product) => product === undefined,
    );
    expect((await ask(platform.address('leaving-rc'), '/')).status).toBe(404);
    expect(await codehost.commits('acme/leaving')).not.toHaveLength(0);
  });
});
