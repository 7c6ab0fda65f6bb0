import type { ApiClient } from '../api-client.ts';
import { describeAgentStep } from './describe-agent-step.ts';
import { ignoreConflict } from './ignore-conflict.ts';
import type { DemoOptions, DemoResult } from './demo-options.ts';
import { isChangeFinished, type ReleaseView, type RunView } from './views.ts';

const lostConnectionsMax = 10;

/** Shows the progress of a Change and asks for the decisions that it waits for. */
export async function followChange(api: ApiClient, options: DemoOptions, name: string): Promise<DemoResult> {
  let lostConnections = 0;
  for (;;) {
    try {
      const result = await advance(api, options, name);
      if (result) return result;
      lostConnections = 0;
    } catch (error) {
      // A busy machine loses a connection now and then; the next read shows whether a decision arrived.
      if (!(error instanceof TypeError) || (lostConnections += 1) > lostConnectionsMax) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, options.pollIntervalMs));
  }
}

/** Shows the current stages and asks for one decision. Returns the result when there is nothing more to follow. */
async function advance(api: ApiClient, options: DemoOptions, name: string): Promise<DemoResult | undefined> {
  const { org, terminal } = options;
  const run = await api.get<RunView>(`/v1/orgs/${org}/agentworkflowruns/${name}`);
  const release = await findRelease(api, options, run);
  terminal.showStages(run.progress);
  if (isChangeFinished(run, release)) return { run, release };
  const guidance = findGuidance(run);
  if (guidance && !terminal.canAnswer) return { run, release, guidance };
  if (guidance) await giveGuidance(api, options, { run, guidance });
  else if (!(await answerApproval(api, options, run))) await answerPromotion(api, options, release);
  return undefined;
}

export const findRelease = async (
  api: ApiClient,
  { org }: DemoOptions,
  { release }: RunView,
): Promise<ReleaseView | undefined> =>
  release === undefined ? undefined : await api.find<ReleaseView>(`/v1/orgs/${org}/releases/${release}`);

type Guidance = NonNullable<DemoResult['guidance']>;

function findGuidance({ status }: RunView): Guidance | undefined {
  const step = status.steps.find(({ phase }) => phase === 'NeedsGuidance');
  return step && { step: step.name, question: step.waitingFor?.message ?? step.verdict?.summary ?? '' };
}

async function giveGuidance(
  api: ApiClient,
  { org, terminal }: DemoOptions,
  { run, guidance: { step, question } }: { run: RunView; guidance: Guidance },
): Promise<void> {
  const text = await terminal.ask(`${step} needs guidance: ${question}\nYour answer (Enter retries without one)`);
  const path = `/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step}`;
  await ignoreConflict(text ? api.post(`${path}/guide`, { text }) : api.post(`${path}/retry`));
}

async function answerApproval(api: ApiClient, { org, terminal }: DemoOptions, run: RunView): Promise<boolean> {
  const step = run.status.steps.find(({ phase }) => phase === 'Waiting');
  if (!step) return false;
  const { pullRequest } = run.status;
  for (const line of run.status.steps.flatMap(describeAgentStep)) terminal.printLine(line);
  const yes = await terminal.confirm(`Merge ${pullRequest?.url ?? 'the Change'}?`, {
    no: 'closes the pull request and ends the Change',
  });
  const path = `/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step.name}/${yes ? 'approve' : 'reject'}`;
  await ignoreConflict(api.post(path, pullRequest ? { headSha: pullRequest.headSha } : {}));
  return true;
}

async function answerPromotion(
  api: ApiClient,
  { org, terminal }: DemoOptions,
  release: ReleaseView | undefined,
): Promise<void> {
  const zone = release?.status.zones.find(({ phase }) => phase === 'WaitingForApproval');
  if (!release || !zone) return;
  const yes = await terminal.confirm(`Promote ${release.spec.version} to ${zone.name}?`, {
    no: 'keeps the Release out of the zone',
  });
  const path = `/v1/orgs/${org}/releases/${release.name}/zones/${zone.name}/${yes ? 'approve' : 'reject'}`;
  await ignoreConflict(api.post(path, {}));
}
