import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createReportActivities } from '../../activities/reports.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { catalogAgentWorkflows } from '../../src/rules/agents/catalog.ts';
import type { AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type Post, type RunSpec } from '../../src/rules/changes/kinds.ts';
import { artifactPointer } from '../../src/rules/changes/evidence.ts';
import { newRunStatus } from '../../src/rules/changes/run-status.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { aShop, pushBranch } from '../local/codehost/a-codehost.ts';

const namespace = 'org-acme';
const { steps }: AgentWorkflowSpec = catalogAgentWorkflows['issue-hydration'];
const ofRun = { org: 'acme', run: 'issue-hydration-shop-1', step: 'hydrate' };

type Comment = { body: string; user: { login: string } };

/** A run whose step `hydrate` has written its draft, on an issue of the real code-host protocol. */
async function aHydration(draft: string) {
  const shop = await aShop();
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const credentials = { appId: String(shop.app.id), privateKey: shop.app.pem, account: 'acme', version: '1' };
  const codehost = octokitCodehost({
    apiUrl: shop.codehost.apiUrl,
    credentialsOf: async () => credentials,
    throttle: false,
  });
  const asPerson = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${shop.codehost.apiUrl}/repos/acme/shop${path}`, {
      method,
      headers: { authorization: `token ${shop.codehost.userToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const { number } = await asPerson<{ number: number }>('POST', '/issues', {
    title: 'Broken',
    labels: ['bug', 'needs-hydration'],
  });
  const spec = { agentWorkflow: 'issue-hydration', product: 'shop', startedBy: 'jo', steps, roles: {} };
  const run = async (): Promise<unknown> =>
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: ofRun.run },
      spec: { ...spec, target: { repo: 'acme/shop', number } },
    });
  const about = async (more: Partial<RunSpec>): Promise<void> => {
    const before = await store.get(AgentWorkflowRunKind, { namespace, name: ofRun.run });
    await store.replace(AgentWorkflowRunKind, { ...before, spec: { ...before.spec, ...more } });
  };
  const aPull = async (): Promise<number> => {
    await pushBranch(shop.codehost, { token: shop.token, branch: 'more', files: { 'more.txt': 'more\n' } });
    const pull = { title: 'More', head: 'more', base: 'main' };
    return (await asPerson<{ number: number }>('POST', '/pulls', pull)).number;
  };
  const written = async (): Promise<void> => {
    const data = Buffer.from(draft).toString('base64');
    await store.create(ConfigMapKind, { metadata: { namespace, name: 'artifact-1' }, binaryData: { file: data } });
    const [step] = newRunStatus(steps, '2026-01-01T00:00:00Z').steps;
    const evidence = [{ artifact: artifactPointer('artifact-1'), name: 'draft.md', type: 'text/plain', sizeBytes: 1 }];
    if (!step) throw new Error('There is no step.');
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name: ofRun.run }, () => ({
      phase: 'Running' as const,
      steps: [{ ...step, evidence }],
    }));
  };
  const activities = atBoundary(createReportActivities({ store, codehost }));
  return {
    number,
    run,
    about,
    aPull,
    written,
    asPerson,
    deliver: async () => await new MockActivityEnvironment().run(activities.deliverDraft, ofRun),
    comments: async () => await asPerson<Comment[]>('GET', `/issues/${number}/comments`),
    labels: async () =>
      (await asPerson<{ labels: { name: string }[] }>('GET', `/issues/${number}`)).labels.map(({ name }) => name),
  };
}

it('comments on the issue once, however often it is tried, and takes only the label that the step names', async () => {
  const hydration = await aHydration('What is wanted: ask @ada.');
  await hydration.run();
  await hydration.written();
  const [post] = (await hydration.deliver()) as Post[];
  expect(await hydration.deliver()).toEqual([post]);
  expect(post).toMatchObject({ to: 'acme/shop#1', url: expect.stringContaining('/acme/shop/issues/1#issuecomment-') });
  const comments = await hydration.comments();
  expect(comments).toHaveLength(1);
  expect(comments[0]).toMatchObject({ user: { login: 'delivery[bot]' } });
  expect(comments[0]?.body).toContain('<!-- service:run=issue-hydration-shop-1 step=hydrate -->');
  expect(comments[0]?.body).toContain('ask @\u200bada.');
  expect(await hydration.labels()).toEqual(['bug']);
});

it('mends its own comment where somebody changed it, and leaves one that only looks like it', async () => {
  const hydration = await aHydration('The draft.');
  const path = `/issues/${hydration.number}/comments`;
  await hydration.asPerson('POST', path, { body: '<!-- service:run=issue-hydration-shop-1 step=hydrate --> mine' });
  await hydration.run();
  await hydration.written();
  await hydration.deliver();
  const [, ours] = await hydration.asPerson<{ id: number }[]>('GET', path);
  await hydration.asPerson('PATCH', `/issues/comments/${ours?.id}`, {
    body: '<!-- service:run=issue-hydration-shop-1 step=hydrate --> gone',
  });
  await hydration.deliver();
  const bodies = (await hydration.comments()).map(({ body }) => body);
  expect(bodies).toEqual([expect.stringMatching(/mine$/), expect.stringContaining('The draft.')]);
});

it('refuses a pull request, an issue that is gone, and a draft that is not there', async () => {
  const hydration = await aHydration('The draft.');
  await hydration.run();
  await expect(hydration.deliver()).rejects.toThrow('No draft named "draft.md" in step "hydrate"');
  const pull = await hydration.aPull();
  await hydration.about({ target: { repo: 'acme/shop', number: pull } });
  await expect(hydration.deliver()).rejects.toThrow(`acme/shop#${pull} is a pull request, not an issue.`);
  await hydration.about({ target: { repo: 'acme/shop', number: 99 } });
  await expect(hydration.deliver()).rejects.toMatchObject({ type: 'not-found', nonRetryable: true });
});

it('says of a draft for chat that nobody can read it there yet', async () => {
  const hydration = await aHydration('The draft.');
  await hydration.run();
  await hydration.about({ steps: steps.map((step) => ({ ...step, deliver: 'chat' as const })) });
  await hydration.written();
  expect(await hydration.deliver()).toEqual([
    { to: 'chat', problem: expect.stringContaining('No chat destination is connected') },
  ]);
  expect(await hydration.comments()).toEqual([]);
});
