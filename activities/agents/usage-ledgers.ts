import { defined } from '../../src/defined.ts';
import { addTurnUsage, type TurnUsage } from '../../src/rules/agents/add-turn-usage.ts';
import { type TurnLedger, TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import type { ResponsePart, ResultsPart } from '../../src/rules/agents/transcript-parts.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import type { Usage } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { updateOrCreate } from '../update-or-create.ts';
import type { TurnContext } from './turn.ts';

/** Returns the usage of a turn, with the time of its tools once they have run. */
export const toTurnUsage = ({ usage }: ResponsePart, results: Pick<ResultsPart, 'seconds'> = {}): Usage =>
  addUsage(usage, { ...noUsage, ...defined({ seconds: results.seconds }) });

/** Records the usage of a turn in the run's ledger of that day. */
export async function recordUsage(
  { deps: { store }, assignment, ref: { step, turn }, at: now }: TurnContext,
  response: ResponsePart,
  results?: ResultsPart,
): Promise<void> {
  const { run, org } = assignment;
  const { product, agentWorkflow } = run.spec;
  const { at = now, model = 'unknown' } = response;
  const ledger = { org, run: run.metadata.name, product, agentWorkflow, day: at.slice(0, 10) };
  const usage = toTurnUsage(response, results);
  await addToLedger(store, ledger, { step, turn, at, role: assignment.step.role, model, usage });
}

/** Adds a response of a model to the ledger; a repeated call with the same response changes nothing. */
export async function addToLedger(
  store: Store,
  { org, ...spec }: TurnLedger['spec'] & { org: string },
  turn: TurnUsage,
): Promise<void> {
  const metadata = { namespace: orgNamespace(org), name: `${spec.run}-${spec.day}` };
  await updateOrCreate(store, TurnLedgerKind, { metadata, spec }, (status) =>
    addTurnUsage(status ?? { steps: [] }, turn),
  );
}

/** Lists the ledgers of all days of a run. */
export const listRunLedgers = async (store: Store, org: string, run: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.run': run } })).items;

/** Lists the ledgers of all runs of an org on one day. */
export const listDayLedgers = async (store: Store, org: string, day: string): Promise<TurnLedger[]> =>
  (await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.day': day } })).items;
