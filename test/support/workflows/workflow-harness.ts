import { randomUUID } from 'node:crypto';
import { Script, type RunningScriptOptions } from 'node:vm';
import { Context } from '@temporalio/activity';
import { Client, type WorkflowHandle, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import {
  DefaultLogger,
  NativeConnection,
  type ReplayWorkerOptions,
  Runtime,
  Worker,
  makeTelemetryFilterString,
} from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { type Activities, type ActivityDeps, createActivities } from '../../../activities/index.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import {
  agentActivityNames,
  backupActivityNames,
  browserActivityNames,
  createTaskWorkers,
} from '../../../src/main/worker/create-task-workers.ts';
import { type QueueName, queueNames } from '../../../src/main/worker/queue-names.ts';
import { createWorkerIdentity } from '../../../src/main/worker/worker-identity.ts';
import { buildWorkflowBundle } from '../../../src/main/worker/build-workflow-bundle.ts';
import type { WorkflowStart } from '../../../workflows/workflow-start.ts';

// Many tests provoke failures: the library's warnings about them would hide the test report.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

// In the thread of a test, the library's hook runs for every promise of the process, for stack traces that no test reads.
Object.assign(globalHandlers, { setPromiseHook: () => {} });

// The library limits each call into a workflow in time, for which Node starts a thread; in debug mode it is 49 days.
const { runInContext } = Script.prototype;
Script.prototype.runInContext = function (this: Script, context, options) {
  return runInContext.call(this, context, { ...options, timeout: undefined } as RunningScriptOptions);
};

const queueActivities: Partial<Record<QueueName, readonly (keyof Activities)[]>> = {
  agents: agentActivityNames,
  browser: browserActivityNames,
  backups: backupActivityNames,
};

// The library parses the bundle and its source map for each worker and each replay, which all tests of a process can share.
type BundleOptions = { workflowBundle?: { codePath?: string } };
const library = Worker as unknown as { getOrCreateBundle(options: BundleOptions, logger: unknown): Promise<unknown> };
const parseBundle = library.getOrCreateBundle.bind(Worker);
const parsedBundles = new Map<string, Promise<unknown>>();
library.getOrCreateBundle = async (options, logger) => {
  const { codePath } = options.workflowBundle ?? {};
  if (codePath === undefined) return await parseBundle(options, logger);
  const parsed = parsedBundles.get(codePath) ?? parseBundle(options, logger);
  parsedBundles.set(codePath, parsed);
  return await parsed;
};

/** An activity learns of its cancellation by the response to a heartbeat, so tests that cancel wait for one. */
const heartbeatMs = 100;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type RecordedHistory = { type: string; workflowId: string; runId: string; history: History };

/** Runs the real workflows with fake activities. */
export type WorkflowHarness = {
  client: Client;
  /** Unique per harness; tests use it as an org name too. */
  taskQueue: string;
  /** Starts a workflow on the task queue of this harness. */
  start<F extends Workflow>(start: WorkflowStart<F>): Promise<WorkflowHandleWithFirstExecutionRunId<F>>;
  /** Adds an execution that the test started by other means. */
  track(started: { workflowId: string; firstExecutionRunId: string }): void;
  /** Returns the inputs of all calls of an activity. */
  callInputs<Name extends keyof Activities>(name: Name): Parameters<Activities[Name]>[0][];
  /** Returns the names of the called activities in order. */
  calledActivities(): string[];
  /** Returns the histories of all started executions, of their children, and of the executions they continued as. */
  fetchHistories(): Promise<RecordedHistory[]>;
  /** Runs a function while no worker is running. */
  whileWorkerStopped(happens: () => Promise<void> | void): Promise<void>;
  close(): Promise<void>;
};

export type WorkflowHarnessOptions = {
  address: string;
  activities: Partial<Activities>;
  /** The identity of clients and workers in histories; defaults to the process. */
  identity?: string;
};

// The bundle is built once, so that the replay runs the same code while a developer edits the workflows.
let builtBundle: Promise<{ codePath: string }> | undefined;
const getBundle = async (): Promise<{ codePath: string }> => await (builtBundle ??= buildWorkflowBundle(() => {}));

export async function startWorkflowHarness({
  address,
  activities,
  identity,
}: WorkflowHarnessOptions): Promise<WorkflowHarness> {
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection, ...(identity ? { identity } : {}) });
  const taskQueue = `test-${randomUUID()}`;
  const calls: { name: string; input: unknown }[] = [];
  const made = { verifyDecision: async () => ({}), ...activities };
  const allActivities = completeActivities(made, (name, input) => void calls.push({ name, input }));
  const common = {
    connection,
    ...createWorkerIdentity(await getBundle()),
    shutdownGraceTime: 0,
    // Runs the workflows in the test's own thread, as a replay does: starting another one costs more than most tests.
    debugMode: true,
    // The library throttles heartbeats by default.
    maxHeartbeatThrottleInterval: heartbeatMs,
    ...(identity ? { identity } : {}),
  };
  const startWorkers = async (): Promise<() => Promise<void>> => {
    const workers = await createTaskWorkers(common, {
      // A worker costs more than most tests, so a queue whose activities the test does not provide has none.
      queues: queueNames.filter((name) => queueActivities[name]?.some((activity) => activities[activity]) ?? true),
      taskQueue,
      workflowBundle: await getBundle(),
      activities: allActivities,
    });
    const running = Promise.all(workers.map(async (worker) => await worker.run()));
    return async () => {
      for (const worker of workers) worker.shutdown();
      await running;
    };
  };
  let stopWorker = await startWorkers();
  const started: { workflowId: string; runId: string }[] = [];
  const track: WorkflowHarness['track'] = ({ workflowId, firstExecutionRunId: runId }) =>
    void started.push({ workflowId, runId });

  return {
    client,
    taskQueue,
    async start<F extends Workflow>({ type, options }: WorkflowStart<F>) {
      const handle = await client.workflow.start<Workflow>(type, { ...options, taskQueue });
      track(handle);
      return handle as WorkflowHandleWithFirstExecutionRunId<F>;
    },
    track,
    callInputs: (name) => calls.filter((call) => call.name === name).map(({ input }) => input as never),
    calledActivities: () => calls.map(({ name }) => name),
    fetchHistories: async () => await collectHistories(client, started),
    async whileWorkerStopped(happens) {
      await stopWorker();
      await happens();
      stopWorker = await startWorkers();
    },
    async close() {
      for (const { workflowId } of await collectHistories(client, started))
        await client.workflow
          .getHandle(workflowId)
          .terminate('test finished')
          .catch(() => undefined);
      await stopWorker();
      await connection.close();
    },
  };
}

/**
 * Completes the fakes with all other activities, which fail with their name. On a busy machine a workflow task exceeds its
 * timeout, and the next one repeats its local activities: such a repetition gets the result of the first call.
 */
function completeActivities(made: Partial<Activities>, onCall: (name: string, input: unknown) => void): Activities {
  // The real activities provide only the names; none is called.
  const names = Object.keys(createActivities({} as ActivityDeps)) as (keyof Activities)[];
  const localResults = new Map<string, unknown>();
  const entries = names.map((name) => {
    const run = made[name] as ((input: unknown) => Promise<unknown>) | undefined;
    const activity = async (input: unknown): Promise<unknown> => {
      const { isLocal, activityId, workflowExecution } = Context.current().info;
      // A task that is repeated with new messages may call another activity in this place.
      const key = JSON.stringify([workflowExecution?.runId, activityId, name, withoutTimes(input)]);
      if (isLocal && localResults.has(key)) return localResults.get(key);
      onCall(name, input);
      if (!run) throw ApplicationFailure.nonRetryable(`The test provides no activity "${name}".`, 'not-provided');
      const result = await run(input);
      if (isLocal) localResults.set(key, result);
      return result;
    };
    return [name, activity] as const;
  });
  return wrapActivities(Object.fromEntries(entries), { heartbeatMs }) as unknown as Activities;
}

/** A repeated task has a later time, which its activities may record. */
const withoutTimes = (input: unknown): string =>
  JSON.stringify(input)?.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a time"') ?? '';

async function collectHistories(
  client: Client,
  started: { workflowId: string; runId: string }[],
): Promise<RecordedHistory[]> {
  const found = new Map<string, RecordedHistory>();
  const pending = [...started];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { workflowId, runId } = next;
    if (found.has(runId)) continue;
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const type = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
    found.set(runId, { type, workflowId, runId, history });
    for (const event of history.events ?? []) {
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId && child.runId) pending.push({ workflowId: child.workflowId, runId: child.runId });
      const continuedRunId = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (continuedRunId) pending.push({ workflowId, runId: continuedRunId });
    }
  }
  return [...found.values()];
}

/** Replays histories with the current code; throws for the first one that is not deterministic. */
export async function replayHistories(
  recorded: Pick<RecordedHistory, 'workflowId' | 'history'>[],
  options?: ReplayWorkerOptions,
): Promise<void> {
  // The library waits forever for the first task of an execution that has just continued as new.
  const withTasks = recorded.filter(({ history }) =>
    history.events?.some((event) => event.workflowTaskStartedEventAttributes),
  );
  const results = Worker.runReplayHistories(options ?? { workflowBundle: await getBundle() }, withTasks);
  for await (const { workflowId, error } of results)
    if (error) throw new Error(`${workflowId} does not replay: ${error.message}`, { cause: error });
}
