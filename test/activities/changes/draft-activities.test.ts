import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { createDraftActivities } from '../../../activities/changes/draft-activities.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import type { AgentWorkflowSpec } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type DraftPost, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import { toArtifactPointer } from '../../../src/rules/changes/evidence.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startShopFixture, pushBranch } from '../../emulators/codehost/codehost-fixture.ts';

const namespace = 'org-acme';
const { steps }: AgentWorkflowSpec = defaultAgentWorkflows['issue-hydration'];
const ref = { org: 'acme', run: 'issue-hydration-shop-1', step: 'hydrate' };

type Comment = { body: string; user: { login: string } };

/** Creates an issue on the emulated code host, and a run whose step `hydrate` can have a draft. */
async function createHydration(draft: string) {
  const shop = await startShopFixture();
  const store = openTestStore();
  const credentials = { appId: String(shop.app.id), privateKey: shop.app.pem, account: 'acme', version: '1' };
  const codehost = octokitCodehost({
    apiUrl: shop.codehost.apiUrl,
    findCredentials: async () => credentials,
    throttle: false,
  });
  const requestAsUser = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${shop.codehost.apiUrl}/repos/acme/shop${path}`, {
      method,
      headers: { authorization: `token ${shop.codehost.userToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const { number } = await requestAsUser<{ number: number }>('POST', '/issues', {
    title: 'Broken',
    labels: ['bug', 'needs-hydration'],
  });
  const spec = { agentWorkflow: 'issue-hydration', product: 'shop', startedBy: 'jo', steps, roles: {} };
  const createRun = async (): Promise<unknown> =>
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: ref.run },
      spec: { ...spec, target: { repo: 'acme/shop', number } },
    });
  const updateSpec = async (more: Partial<RunSpec>): Promise<void> => {
    const before = await store.get(AgentWorkflowRunKind, { namespace, name: ref.run });
    await store.replace(AgentWorkflowRunKind, { ...before, spec: { ...before.spec, ...more } });
  };
  const createPullRequest = async (): Promise<number> => {
    await pushBranch(shop.codehost, { token: shop.token, branch: 'more', files: { 'more.txt': 'more\n' } });
    const pull = { title: 'More', head: 'more', base: 'main' };
    return (await requestAsUser<{ number: number }>('POST', '/pulls', pull)).number;
  };
  const saveDraft = async (): Promise<void> => {
    const data = Buffer.from(draft).toString('base64');
    await store.create(ConfigMapKind, { metadata: { namespace, name: 'artifact-1' }, binaryData: { file: data } });
    const [step] = createRunStatus(steps, '2026-01-01T00:00:00Z').steps;
    const evidence = [
      { artifact: toArtifactPointer('artifact-1'), name: 'draft.md', type: 'text/plain', sizeBytes: 1 },
    ];
    if (!step) throw new Error('The run has no step.');
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name: ref.run }, () => ({
      phase: 'Running' as const,
      steps: [{ ...step, evidence }],
    }));
  };
  const activities = wrapActivities(createDraftActivities({ store, codehost }));
  return {
    number,
    createRun,
    updateSpec,
    createPullRequest,
    saveDraft,
    requestAsUser,
    deliver: async () => await new MockActivityEnvironment().run(activities.deliverDraft, ref),
    comments: async () => await requestAsUser<Comment[]>('GET', `/issues/${number}/comments`),
    labels: async () =>
      (await requestAsUser<{ labels: { name: string }[] }>('GET', `/issues/${number}`)).labels.map(({ name }) => name),
  };
}

it('posts one comment when repeated, and removes only the labels that the step names', async () => {
  const hydration = await createHydration('What is wanted: ask @ada.');
  await hydration.createRun();
  await hydration.saveDraft();
  const [post] = (await hydration.deliver()) as DraftPost[];
  expect(await hydration.deliver()).toEqual([post]);
  expect(post).toMatchObject({ to: 'acme/shop#1', url: expect.stringContaining('/acme/shop/issues/1#issuecomment-') });
  const comments = await hydration.comments();
  expect(comments).toHaveLength(1);
  expect(comments[0]).toMatchObject({ user: { login: 'delivery[bot]' } });
  expect(comments[0]?.body).toContain('<!-- service:run=issue-hydration-shop-1 step=hydrate -->');
  expect(comments[0]?.body).toContain('ask @\u200bada.');
  expect(await hydration.labels()).toEqual(['bug']);
});

it('restores its own comment after an edit, and leaves a similar comment of a person', async () => {
  const hydration = await createHydration('The draft.');
  const path = `/issues/${hydration.number}/comments`;
  await hydration.requestAsUser('POST', path, {
    body: '<!-- service:run=issue-hydration-shop-1 step=hydrate --> mine',
  });
  await hydration.createRun();
  await hydration.saveDraft();
  await hydration.deliver();
  const [, ours] = await hydration.requestAsUser<{ id: number }[]>('GET', path);
  await hydration.requestAsUser('PATCH', `/issues/comments/${ours?.id}`, {
    body: '<!-- service:run=issue-hydration-shop-1 step=hydrate --> gone',
  });
  await hydration.deliver();
  const bodies = (await hydration.comments()).map(({ body }) => body);
  expect(bodies).toEqual([expect.stringMatching(/mine$/), expect.stringContaining('The draft.')]);
});

it('rejects a pull request, a missing issue and a missing draft', async () => {
  const hydration = await createHydration('The draft.');
  await hydration.createRun();
  await expect(hydration.deliver()).rejects.toThrow('No draft named "draft.md" in step "hydrate"');
  const pull = await hydration.createPullRequest();
  await hydration.updateSpec({ target: { repo: 'acme/shop', number: pull } });
  await expect(hydration.deliver()).rejects.toThrow(`acme/shop#${pull} is a pull request, not an issue.`);
  await hydration.updateSpec({ target: { repo: 'acme/shop', number: 99 } });
  await expect(hydration.deliver()).rejects.toMatchObject({ type: 'not-found', nonRetryable: true });
});

it('reports that no chat destination is connected', async () => {
  const hydration = await createHydration('The draft.');
  await hydration.createRun();
  await hydration.updateSpec({ steps: steps.map((step) => ({ ...step, deliver: 'chat' as const })) });
  await hydration.saveDraft();
  expect(await hydration.deliver()).toEqual([
    { to: 'chat', error: expect.stringContaining('No chat destination is connected') },
  ]);
  expect(await hydration.comments()).toEqual([]);
});
