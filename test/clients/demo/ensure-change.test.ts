import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { ApiClient } from '../../../src/clients/api-client.ts';
import { openDemoState } from '../../../src/clients/demo/demo-state.ts';
import { ensureChange } from '../../../src/clients/demo/ensure-change.ts';
import { createTerminal } from '../../../src/clients/demo/terminal.ts';
import type { ReleaseView, RunView } from '../../../src/clients/demo/views.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

/** Answers as the API does, with one run for each idempotency key. */
async function openApi() {
  const posts: { path: string; body: unknown; key: string | undefined }[] = [];
  const runs = new Map<string, RunView>();
  const releases = new Map<string, ReleaseView>();
  const api: ApiClient = {
    get: async () => expect.fail('unexpected GET'),
    put: async () => expect.fail('unexpected PUT'),
    delete: async () => expect.fail('unexpected DELETE'),
    find: async <T>(path: string) => {
      const name = path.split('/').at(-1) ?? '';
      return (path.includes('/releases/') ? releases.get(name) : runs.get(name)) as T | undefined;
    },
    post: async <T>(path: string, body?: unknown, headers?: Record<string, string>) => {
      const key = headers?.['idempotency-key'];
      posts.push({ path, body, key });
      if (path.endsWith('/issues')) return { number: posts.length, url: `http://host/issues/${posts.length}` } as T;
      const name = key ?? '';
      if (path.endsWith('/agentworkflowruns')) runs.set(name, createRun(name));
      return { name } as T;
    },
  };
  const state = await openDemoState(join(await createScratchFolder(), 'demo.json'));
  let checks = 0;
  const ensure = async (title: string, { yes = true, startOver = false } = {}): Promise<string> =>
    await ensureChange(api, {
      baseUrl: '',
      codehostToken: '',
      org: 'acme',
      product: 'shop',
      repo: 'acme/shop',
      issue: { title, body: '' },
      state,
      terminal: createTerminal({ yes, output: new PassThrough() }),
      pollIntervalMs: 1,
      startOver,
      assertReady: async () => void (checks += 1),
    });
  const update = (name: string, status: Partial<RunView['status']>, release?: string): void => {
    const run = runs.get(name) ?? createRun(name);
    runs.set(name, { ...run, status: { ...run.status, ...status }, ...(release && { release }) });
  };
  const finishRelease = (name: string, phase: string): void =>
    void releases.set(name, { name, spec: { version: 'v0.1.0' }, status: { phase, zones: [] } });
  return { posts, ensure, update, finishRelease, checks: () => checks };
}

const createRun = (name: string): RunView => ({ name, progress: [], status: { phase: 'Running', steps: [] } });

it('starts one Change for each issue, and resumes it while it runs', async () => {
  const { ensure, posts, checks } = await openApi();
  const first = await ensure('Say hello');
  expect(await ensure('Say hello')).toBe(first);
  expect(await ensure('Say goodbye')).not.toBe(first);
  expect(posts.map(({ path }) => path.split('/').at(-1))).toEqual([
    'issues',
    'agentworkflowruns',
    'issues',
    'agentworkflowruns',
  ]);
  expect(checks()).toBe(2);
});

it('returns the Change that delivered the issue', async () => {
  const { ensure, update, finishRelease, posts } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase: 'Succeeded', mergeCommit: 'c' }, 'shop-v0.1.0');
  finishRelease('shop-v0.1.0', 'Succeeded');
  expect(await ensure('Say hello')).toBe(run);
  expect(posts).toHaveLength(2);
});

it('retries the failed step of a Change', async () => {
  const { ensure, update, posts, checks } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase: 'Failed', steps: [{ name: 'implement', phase: 'Failed' }] });
  expect(await ensure('Say hello')).toBe(run);
  expect(posts.at(-1)?.path).toBe(`/v1/orgs/acme/agentworkflowruns/${run}/steps/implement/retry`);
  expect(checks()).toBe(2);
});

it('lets the agent start over when the demo is asked to, also at a terminal', async () => {
  const { ensure, update, posts } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase: 'NeedsGuidance', steps: [{ name: 'implement', phase: 'NeedsGuidance' }] });
  await ensure('Say hello', { yes: false, startOver: true });
  expect(posts.at(-1)).toMatchObject({ path: expect.stringMatching(/\/retry$/), body: { startOver: true } });
});

it.each(['Cancelled', 'Failed'])('starts a new Change on the same issue after the phase %s', async (phase) => {
  const { ensure, update, posts } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase, steps: [{ name: 'approve-change', phase: phase === 'Failed' ? 'Rejected' : 'Cancelled' }] });
  expect(await ensure('Say hello')).not.toBe(run);
  expect(posts.map(({ path }) => path.split('/').at(-1))).toEqual(['issues', 'agentworkflowruns', 'agentworkflowruns']);
  expect(posts.at(-1)?.body).toMatchObject({ issue: 1 });
});

it('opens a new issue after a merged Change whose Release failed', async () => {
  const { ensure, update, finishRelease, posts } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase: 'Succeeded', mergeCommit: 'c' }, 'shop-v0.1.0');
  finishRelease('shop-v0.1.0', 'Failed');
  expect(await ensure('Say hello')).not.toBe(run);
  expect(posts.filter(({ path }) => path.endsWith('/issues')).map(({ key }) => key)).toHaveLength(2);
});

it('retries a step that needs guidance only when no person can give it', async () => {
  const { ensure, update, posts } = await openApi();
  const run = await ensure('Say hello');
  update(run, { phase: 'NeedsGuidance', steps: [{ name: 'implement', phase: 'NeedsGuidance' }] });
  await ensure('Say hello', { yes: false });
  expect(posts).toHaveLength(2);
  await ensure('Say hello', { yes: true });
  expect(posts.at(-1)?.path).toContain('/steps/implement/retry');
});
