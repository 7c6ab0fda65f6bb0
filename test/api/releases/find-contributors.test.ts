import { expect, it } from 'vitest';
import { findReleaseContributors, findRunContributors } from '../../../api/releases/find-contributors.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import { codehostStarter } from '../../../src/rules/changes/run-names.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';

async function createChain(starters = { change: 'ada@example.com', announcement: 'carol@example.com' }) {
  const store = openTestStore();
  const createRun = async (name: string, spec: Partial<RunSpec>) =>
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name },
      spec: {
        agentWorkflow: 'change',
        product: 'shop',
        startedBy: 'someone@example.com',
        steps: [],
        roles: {},
        ...spec,
      },
    });
  const change = await createRun('change', { startedBy: starters.change });
  const release = await store.create(ReleaseKind, {
    metadata: { namespace, name: 'shop-v1.0.0' },
    spec: {
      product: 'shop',
      repo: 'acme/shop',
      commit: 'c',
      version: 'v1.0.0',
      run: 'change',
      startedBy: 'bob@example.com',
    },
  });
  const announcement = await createRun('announce', {
    startedBy: starters.announcement,
    release: { name: 'shop-v1.0.0', version: 'v1.0.0' },
  } as Partial<RunSpec>);
  return { store, change, release, announcement };
}

it('counts a Release as the work of its starter and of the people behind its Change', async () => {
  const { store, release } = await createChain();
  const { emails } = await findReleaseContributors(store, 'acme', release);
  expect(emails).toEqual(expect.arrayContaining(['ada@example.com', 'bob@example.com']));
  const alone = { ...release, spec: { ...release.spec, run: undefined } } as unknown as typeof release;
  expect((await findReleaseContributors(store, 'acme', alone)).emails).toEqual(['bob@example.com']);
});

it('counts a run that a Release started as the work of the people behind that Release too', async () => {
  const { store, change, announcement } = await createChain();
  expect((await findRunContributors(store, 'acme', change)).emails).toEqual(['ada@example.com']);
  const { emails } = await findRunContributors(store, 'acme', announcement);
  expect(emails.toSorted()).toEqual(['ada@example.com', 'bob@example.com', 'carol@example.com']);
});

it.each([
  ['of the Release', { change: codehostStarter, announcement: 'carol@example.com' }],
  ['of the run', { change: 'ada@example.com', announcement: codehostStarter }],
])('says that the people behind the event %s are unknown', async (_, starters) => {
  const { store, announcement } = await createChain(starters);
  expect((await findRunContributors(store, 'acme', announcement)).hasUnknownStarter).toBe(true);
});
