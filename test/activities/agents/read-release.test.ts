import { expect, it } from 'vitest';
import { readRelease } from '../../../activities/agents/read-release.ts';
import type { RunContext } from '../../../activities/changes/run-context.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { ServiceError } from '../../../src/errors.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const release = { name: 'hello-v0.10.0', version: 'v0.10.0', repo: 'acme/hello' };

async function createHarness({
  tags = ['v0.9.0', 'v0.10.0', 'v0.11.0', 'v0.2.0'],
  isTagged = true,
  isRewritten = false,
} = {}) {
  const store = openTestStore();
  await store.create(ReleaseKind, {
    metadata: { namespace, name: release.name },
    spec: { product: 'hello', repo: 'acme/hello', commit: 'c3', version: 'v0.10.0', startedBy: 'ada' },
  });
  const host = {
    listVersionTags: async () => tags.map((name) => ({ name, commit: name })),
    findRelease: async () => (isTagged ? { url: 'https://code.test/v0.10.0', body: 'Notes' } : undefined),
    getCommit: async (_: string, sha: string) => ({ sha, message: 'First', parents: [] }),
    listCommitsBetween: async (_: string, base: string) => {
      if (isRewritten) throw new ServiceError('not-found', 'The code host does not have the comparison.');
      return [
        { sha: 'c2', message: `After ${base}` },
        { sha: 'c3', message: 'Greet' },
      ];
    },
  } as unknown as OrgCodehost;
  const addRun = async (name: string, status: Partial<RunStatus>, product = 'hello') => {
    const spec = { agentWorkflow: 'change', product, startedBy: 'ada', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
      phase: 'Succeeded' as const,
      steps: [],
      ...status,
    }));
  };
  const read = async (spec: object = { product: 'hello', release }) =>
    await readRelease(store, {
      org: 'acme',
      host,
      repo: 'acme/hello',
      run: { metadata: { namespace, name: 'notes-1' }, spec },
    } as unknown as RunContext);
  return { addRun, read };
}

it('reads only its own commit when the repo was rewritten after the next lower version', async () => {
  const { read } = await createHarness({ isRewritten: true });
  expect(await read()).toMatchObject({ previous: 'v0.9.0', commits: [{ sha: 'c3', message: 'First' }] });
});

it('reads the commits since the next lower version, newest first', async () => {
  const { read } = await createHarness();
  expect(await read()).toEqual({
    product: 'hello',
    version: 'v0.10.0',
    previous: 'v0.9.0',
    url: 'https://code.test/v0.10.0',
    notes: 'Notes',
    commits: [
      { sha: 'c3', message: 'Greet' },
      { sha: 'c2', message: 'After v0.9.0' },
    ],
    changes: [],
  });
});

it('has only its own commit when it is the first version, and no notes before the tag', async () => {
  const { read } = await createHarness({ tags: ['v0.11.0'], isTagged: false });
  expect(await read()).toMatchObject({ previous: undefined, url: undefined, notes: '', commits: [{ sha: 'c3' }] });
});

it('names the Changes that were merged since then, with what their agents have done', async () => {
  const { read, addRun } = await createHarness();
  const verdict = (outcome: 'done' | 'approved', summary: string) => ({ verdict: { outcome, summary } });
  const steps: RunStatus['steps'] = [
    { name: 'implement', phase: 'Succeeded', ...verdict('done', 'Greets by name.') },
    { name: 'review-code', phase: 'Succeeded', ...verdict('approved', 'Fine.') },
    { name: 'merge', phase: 'Succeeded' },
  ];
  await addRun('change-hello-7', {
    mergeCommit: 'c2',
    steps,
    issue: { title: 'Greet', url: 'https://code.test/7' },
    pullRequest: { number: 8, url: 'https://code.test/8', headSha: 'c1' },
  });
  await addRun('change-hello-9', { mergeCommit: 'c3' });
  await addRun('earlier', { mergeCommit: 'c1' });
  await addRun('unmerged', {});
  await addRun('of-another-product', { mergeCommit: 'c2' }, 'other');
  expect((await read())?.changes).toEqual([
    {
      run: 'change-hello-7',
      issue: 'Greet',
      url: 'https://code.test/7',
      pullRequest: 'https://code.test/8',
      summaries: ['Greets by name.'],
    },
    { run: 'change-hello-9', summaries: [] },
  ]);
});

it('has nothing to say about a run that no Release started, and fails for one that is gone', async () => {
  const { read } = await createHarness();
  expect(await read({ product: 'hello' })).toBeUndefined();
  const gone = { product: 'hello', release: { ...release, name: 'gone' } };
  await expect(read(gone)).rejects.toMatchObject({ code: 'not-found' });
});
