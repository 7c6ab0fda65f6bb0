import { expect, it } from 'vitest';
import { updateOrCreate } from '../../activities/update-or-create.ts';
import { TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const metadata = { namespace: 'org-acme', name: 'ledger' };
const spec = { run: 'r1', product: 'shop', agentWorkflow: 'change', day: '2026-01-01' };
const step = (name: string) => ({
  step: name,
  role: 'dev',
  latestTurn: { turn: 1, model: 'm', usage },
  earlierTurns: [],
});
const usage = { inputTokens: 1, outputTokens: 1 };
const record = async (store: Store, name: string) =>
  await updateOrCreate(store, TurnLedgerKind, { metadata, spec }, (status) => ({
    steps: [...(status?.steps ?? []), step(name)],
  }));

it('creates the resource at the first update, and updates it at the next', async () => {
  const store = openTestStore();
  for (const name of ['one', 'two']) await record(store, name);
  expect(await store.get(TurnLedgerKind, metadata)).toMatchObject({
    spec,
    status: { steps: [step('one'), step('two')] },
  });
});

it('loses no update of two that both find no resource', async () => {
  const store = openTestStore();
  await Promise.all([record(store, 'one'), record(store, 'two')]);
  const { status } = await store.get(TurnLedgerKind, metadata);
  expect(status?.steps.map((one) => one.step).toSorted()).toEqual(['one', 'two']);
});

it('throws every other error', async () => {
  const store = openTestStore();
  const broken = { ...store, updateStatus: async () => await Promise.reject(new Error('disk full')) } as Store;
  await expect(record(broken, 'one')).rejects.toThrow('disk full');
  expect(await store.find(TurnLedgerKind, metadata)).toBeUndefined();
});
