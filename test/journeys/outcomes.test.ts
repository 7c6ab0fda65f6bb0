import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import {
  approveRunStep,
  approveZone,
  requestZone,
  createAcmeOrg,
  createProduct,
  waitForReleasePhase,
  waitForRunPhase,
  startChange,
  waitForStepPhase,
  waitForZonePhase,
  getRun,
} from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { defaultAgentWorkflows } from '../../src/rules/agents/default-workflows.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

let platform: TestPlatform;
let api: ApiClient;
let codehost: CodehostReader;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  codehost = new CodehostReader(platform);
  await createAcmeOrg(api);
  await api.post('/v1/orgs/acme/agentworkflows', {
    name: 'quick',
    spec: { enabled: true, triggers: [], steps: defaultAgentWorkflows['quick-change'].steps },
  });
});
afterAll(async () => await platform?.remove());

/** Starts a Change in a new Product, without reviews unless the test is about them, and waits until it needs approval. */
async function startWaitingChange(product: string, title: string, agentWorkflow = 'quick'): Promise<string> {
  await createProduct(platform, api, { name: product });
  const run = await startChange(api, product, title, agentWorkflow);
  await waitForRunPhase(api, run, 'WaitingForPerson');
  return run;
}

/** Waits for the Release that the merge of a Change starts. */
async function waitForRelease(run: string): Promise<string> {
  const view = await waitUntil(
    async () => await getRun(api, run),
    ({ release }) => release !== undefined,
  );
  return view.release ?? '';
}

describe('a Change', () => {
  it('repeats the implementation when a review requests changes, and then passes the review', async () => {
    const run = await startWaitingChange('faulty', 'Show the time on the page', 'change');
    const { status } = await getRun(api, run);
    const steps = new Map(status.steps.map((step) => [step.name, step]));
    expect(steps.get('implement')).toMatchObject({ phase: 'Succeeded', reviewRounds: 1 });
    expect(steps.get('review-code')).toMatchObject({ phase: 'Succeeded', verdict: { outcome: 'approved' } });
  });

  it('closes its pull request and deletes its branch when a person rejects it, with the reason', async () => {
    const run = await startWaitingChange('rejected', 'Greet visitors by name');
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/approve-change/reject`, { note: 'not now' });
    const { status } = await waitForRunPhase(api, run, 'Failed');
    expect(status.steps.find(({ name }) => name === 'approve-change')).toMatchObject({ phase: 'Rejected' });
    expect(status.failure?.message).toBe('root@example.com rejected it: not now');
    expect(await codehost.pulls('acme/rejected')).toMatchObject([{ state: 'closed', merged_at: null }]);
    await expect(codehost.get(`/repos/acme/rejected/branches/service/${run}`)).rejects.toThrow('404');
  });

  it('closes its pull request when it is cancelled', async () => {
    const run = await startWaitingChange('cancelled', 'Greet visitors by name');
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/cancel`, {});
    const { status } = await waitForRunPhase(api, run, 'Cancelled');
    expect(status.steps.find(({ name }) => name === 'merge')).toMatchObject({ phase: 'Cancelled' });
    expect(await codehost.pulls('acme/cancelled')).toMatchObject([{ state: 'closed', merged_at: null }]);
  });

  it('fails its Release before any tag when the build fails, with the message of the builder', async () => {
    const run = await startWaitingChange('unbuildable', 'Drop the start script');
    await approveRunStep(api, run);
    await waitForRunPhase(api, run, 'Succeeded');
    const { status } = await waitForReleasePhase(api, await waitForRelease(run), 'Failed');
    expect(status.failure?.message).toContain('No start command found');
    expect(status.zones.map(({ phase }) => phase)).toEqual(['Pending', 'Pending']);
    expect(await codehost.tags('acme/unbuildable')).toEqual([]);
  });

  it('does not reach production when the smoke check fails', async () => {
    const run = await startWaitingChange('smoky', 'Answer 500 on the front page');
    await approveRunStep(api, run);
    const release = await waitForRelease(run);
    const { status } = await waitForReleasePhase(api, release, 'Failed');
    expect(status.zones).toMatchObject([
      { name: 'smoky-rc', phase: 'Failed', failure: { message: expect.stringContaining('responded with status 500') } },
      { name: 'smoky-prod', phase: 'Pending' },
    ]);
    expect((await requestZone(platform.zoneUrl('smoky-prod'), '/')).status).toBe(404);
  });

  it('requests guidance for an issue without a scenario', async () => {
    await createProduct(platform, api, { name: 'unknown' });
    const run = await startChange(api, 'unknown', 'Write a novel');
    const { status } = await waitForStepPhase(api, run, { step: 'implement', phase: 'NeedsGuidance' });
    expect(status.phase).toBe('NeedsGuidance');
    expect(status.steps[0]?.waitingFor?.message).toContain('only knows issues with these titles');
  });

  it('403: a viewer reads a Change but cannot approve it', async () => {
    const run = await startWaitingChange('viewed', 'Greet visitors by name');
    const viewer = { email: 'viewer@example.com', password: 'correct horse battery staple' };
    await platform.createUser(viewer);
    await putAccessGroups([{ name: 'viewers', role: 'viewer', members: [viewer.email] }]);
    const asViewer = await platform.signIn(viewer);
    expect((await getRun(asViewer, run)).status.phase).toBe('WaitingForPerson');
    await expect(approveRunStep(asViewer, run)).rejects.toMatchObject({ status: 403 });
    expect((await getRun(api, run)).status.phase).toBe('WaitingForPerson');
  });
});

async function putAccessGroups(accessGroups: unknown[]): Promise<void> {
  await api.put('/v1/orgs/acme/access-groups', { accessGroups }, { 'if-match': '*' });
}

describe('a Release', () => {
  it('supersedes an older one that waits for approval', async () => {
    const run = await startWaitingChange('twice', 'Greet visitors by name');
    await approveRunStep(api, run);
    const older = await waitForRelease(run);
    await waitForZonePhase(api, older, { zone: 'twice-prod', phase: 'WaitingForApproval' });

    const second = await startChange(api, 'twice', 'Show the time on the page', 'quick');
    await waitForRunPhase(api, second, 'WaitingForPerson');
    await approveRunStep(api, second);
    const newer = await waitForRelease(second);
    const { status } = await waitForReleasePhase(api, older, 'Superseded');
    expect(status.zones).toMatchObject([{ phase: 'Verified' }, { phase: 'Superseded' }]);
    await waitForZonePhase(api, newer, { zone: 'twice-prod', phase: 'WaitingForApproval' });
    await expect(approveZone(api, older, 'twice-prod')).rejects.toMatchObject({ status: 409 });
    await approveZone(api, newer, 'twice-prod');
    await waitForReleasePhase(api, newer, 'Succeeded');
    expect((await requestZone(platform.zoneUrl('twice-prod'), '/version')).body).toContain('v0.2.0');
  });

  it('409: a commit that an existing Release already contains', async () => {
    await createProduct(platform, api, { name: 'older' });
    const [first] = await codehost.commits('acme/older');
    const run = await startChange(api, 'older', 'Greet visitors by name', 'quick');
    await waitForRunPhase(api, run, 'WaitingForPerson');
    await approveRunStep(api, run);
    const release = await waitForRelease(run);
    await expect(api.post('/v1/orgs/acme/releases', { product: 'older', commit: first?.sha })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(release),
    });
  });

  it('is removed from its zones when its Product is deleted, while the repo stays', async () => {
    const run = await startWaitingChange('leaving', 'Greet visitors by name');
    await approveRunStep(api, run);
    await waitForZonePhase(api, await waitForRelease(run), { zone: 'leaving-rc', phase: 'Verified' });
    expect((await requestZone(platform.zoneUrl('leaving-rc'), '/')).status).toBe(200);
    await api.delete('/v1/orgs/acme/products/leaving');
    await waitUntil(
      async () => await api.find('/v1/orgs/acme/products/leaving'),
      (product) => product === undefined,
    );
    expect((await requestZone(platform.zoneUrl('leaving-rc'), '/')).status).toBe(404);
    expect(await codehost.commits('acme/leaving')).not.toHaveLength(0);
  });
});
