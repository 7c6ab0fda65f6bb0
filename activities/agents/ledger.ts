import { isServiceError } from '../../src/errors.ts';
import { type TurnLedger, TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import { noteTurn } from '../../src/rules/agents/note-turn.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrGet } from '../create-or-get.ts';
import type { AnswerPart } from './transcript.ts';
import type { Turn } from './turn.ts';

/** Notes an answered turn where its run's costs of that day are; from the same answer the same comes again. */
export async function noteInLedger({ deps: { store }, assignment, ref, at }: Turn, answer: AnswerPart): Promise<void> {
  const { step, turn } = ref;
  const { run, org } = assignment;
  const day = (answer.at ?? at).slice(0, 10);
  const metadata = { namespace: orgNamespace(org), name: `${run.metadata.name}-${day}` };
  const { model = 'unknown', usage } = answer;
  const note = async (): Promise<TurnLedger> =>
    await store.updateStatus(TurnLedgerKind, metadata, ({ status }) =>
      noteTurn(status ?? { steps: [] }, { step, turn, role: assignment.step.role, model, usage }),
    );
  try {
    await note();
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    const { product, agentWorkflow } = run.spec;
    await createOrGet(store, TurnLedgerKind, {
      metadata,
      spec: { run: run.metadata.name, product, agentWorkflow, day },
    });
    await note();
  }
}

/** What a run has spent so far, on all its days. */
export const ledgersOfRun = async (store: Store, org: string, run: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.run': run } })).items;

/** What an org has spent on a day. */
export const ledgersOfDay = async (store: Store, org: string, day: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.day': day } })).items;
