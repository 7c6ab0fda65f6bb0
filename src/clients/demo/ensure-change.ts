import { randomBytes } from 'node:crypto';
import type { ApiClient } from '../api-client.ts';
import { type StartedChange, toChangeKey } from './demo-state.ts';
import { findRelease } from './follow-change.ts';
import { ignoreConflict } from './ignore-conflict.ts';
import type { DemoOptions } from './demo-options.ts';
import { isChangeFinished, type RunView } from './views.ts';

/** Resumes the Change of this Product and issue, or starts one. A Change that failed is retried. */
export async function ensureChange(api: ApiClient, options: DemoOptions): Promise<string> {
  const { product, issue, state } = options;
  const change = state.values.changes[toChangeKey(product, issue)];
  const run = change?.run === undefined ? undefined : await findRun(api, options, change.run);
  if (change === undefined || run === undefined) return await startChange(api, options, change ?? createChange());
  const release = await findRelease(api, options, run);
  if (!isChangeFinished(run, release)) return await resume(api, options, run);
  if (release?.status.phase === 'Succeeded' || release?.status.phase === 'Superseded') return delivered(options, run);
  // The merge closed the issue.
  if (run.status.mergeCommit !== undefined) return await startChange(api, options, createChange());
  const failed = run.status.steps.find(({ phase }) => phase === 'Failed');
  if (failed) return await retry(api, options, { run, step: failed.name });
  const { run: _previous, ...sameIssue } = change;
  return await startChange(api, options, { ...sameIssue, runKey: createKey() });
}

const createKey = (): string => randomBytes(8).toString('hex');
const createChange = (): StartedChange => ({ issueKey: createKey(), runKey: createKey() });

const findRun = async (api: ApiClient, { org }: DemoOptions, name: string): Promise<RunView | undefined> =>
  await api.find<RunView>(`/v1/orgs/${org}/agentworkflowruns/${name}`);

function delivered({ terminal }: DemoOptions, run: RunView): string {
  terminal.printLine(`The Change ${run.name} has delivered this issue. Pass another --issue for another Change.`);
  return run.name;
}

/** Without a person at the terminal, a step that needs guidance continues once: its cause may have been fixed. */
async function resume(api: ApiClient, options: DemoOptions, run: RunView): Promise<string> {
  const waiting = run.status.steps.find(({ phase }) => phase === 'NeedsGuidance');
  if (waiting && (options.startOver || !options.terminal.canAnswer))
    return await retry(api, options, { run, step: waiting.name });
  options.terminal.printLine(`Resuming the Change ${run.name}.`);
  return run.name;
}

async function retry(
  api: ApiClient,
  { org, terminal, startOver, assertReady }: DemoOptions,
  { run, step }: { run: RunView; step: string },
): Promise<string> {
  await assertReady();
  terminal.printLine(`Retrying the step ${step} of the Change ${run.name}.`);
  await ignoreConflict(
    api.post(`/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step}/retry`, startOver ? { startOver } : {}),
  );
  return run.name;
}

async function startChange(api: ApiClient, options: DemoOptions, started: StartedChange): Promise<string> {
  const { org, product, issue, state, terminal, assertReady } = options;
  let change = started;
  const save = async (changed: Partial<StartedChange>): Promise<void> => {
    change = { ...change, ...changed };
    await state.save({ changes: { ...state.values.changes, [toChangeKey(product, issue)]: change } });
  };
  await assertReady();
  await save({});
  const path = `/v1/orgs/${org}/products/${product}/issues`;
  if (change.issue === undefined) {
    const headers = { 'idempotency-key': change.issueKey };
    const opened = await api.post<{ number: number; url: string }>(path, issue, headers);
    terminal.printLine(`Opened the issue ${opened.url} "${issue.title}".`);
    await save({ issue: opened.number });
  } else terminal.printLine(`Starting a new Change on the issue #${change.issue} "${issue.title}".`);
  const run = await api.post<RunView>(
    `/v1/orgs/${org}/agentworkflowruns`,
    { agentWorkflow: 'change', product, issue: change.issue },
    { 'idempotency-key': `run-${change.runKey}` },
  );
  await save({ run: run.name });
  return run.name;
}
