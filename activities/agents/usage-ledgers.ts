import { isServiceError } from '../../src/errors.ts';
import { addTurnUsage } from '../../src/rules/agents/add-turn-usage.ts';
import { type TurnLedger, TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import type { ResponsePart } from '../../src/rules/agents/transcript-parts.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { TurnContext } from './turn.ts';

/** Records the usage of a turn in the run's ledger of that day; a repeated call with the same response changes nothing. */
export async function recordUsage(
  { deps: { store }, assignment, ref, at }: TurnContext,
  response: ResponsePart,
): Promise<void> {
  const { step, turn } = ref;
  const { run, org } = assignment;
  const day = (response.at ?? at).slice(0, 10);
  const metadata = { namespace: orgNamespace(org), name: `${run.metadata.name}-${day}` };
  const { model = 'unknown', usage } = response;
  const updateLedger = async (): Promise<TurnLedger> =>
    await store.updateStatus(TurnLedgerKind, metadata, ({ status }) =>
      addTurnUsage(status ?? { steps: [] }, { step, turn, role: assignment.step.role, model, usage }),
    );
  try {
    await updateLedger();
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    const { product, agentWorkflow } = run.spec;
    await getOrCreate(store, TurnLedgerKind, {
      metadata,
      spec: { run: run.metadata.name, product, agentWorkflow, day },
    });
    await updateLedger();
  }
}

/** Lists the ledgers of all days of a run. */
export const listRunLedgers = async (store: Store, org: string, run: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.run': run } })).items;

/** Lists the ledgers of all runs of an org on one day. */
export const listDayLedgers = async (store: Store, org: string, day: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.day': day } })).items;
