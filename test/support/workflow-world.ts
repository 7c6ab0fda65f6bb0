import { randomUUID } from 'node:crypto';
import {
  Client,
  type WorkflowHandle,
  type WorkflowHandleWithFirstExecutionRunId,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { type Activities, type ActivityDeps, createActivities } from '../../activities/index.ts';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createTaskWorkers, queueNames } from '../../src/main/task-workers.ts';
import { workerNames } from '../../src/main/worker-names.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import type * as workflows from '../../workflows/index.ts';

// Refusals and failures are what many tests are about: the library's warnings of them would hide what matters.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type Recorded = { type: string; workflowId: string; runId: string; history: History };

type Workflows = typeof workflows;
type StartOptions = Omit<WorkflowStartOptions, 'taskQueue' | 'args'>;

/** A worker of the real workflows with activities that are made up. */
export type WorkflowWorld = {
  client: Client;
  /** Unique, good as a part of names too. */
  taskQueue: string;
  start<Name extends keyof Workflows>(
    name: Name,
    input: Parameters<Workflows[Name]>[0],
    options: StartOptions,
  ): Promise<WorkflowHandleWithFirstExecutionRunId<Workflows[Name]>>;
  /** Counts an execution as started here, however it was. */
  track(started: { workflowId: string; firstExecutionRunId: string }): void;
  /** What an activity was called with, each time. */
  calls<Name extends keyof Activities>(name: Name): Parameters<Activities[Name]>[0][];
  /** The names of the activities called so far, in order. */
  called(): string[];
  /** Histories of all that was started here, with their children and what they went on as. */
  histories(): Promise<Recorded[]>;
  /** Has something happen while no worker runs. */
  whileDown(happens: () => Promise<void> | void): Promise<void>;
  close(): Promise<void>;
};

export type WorldOptions = {
  address: string;
  activities: Partial<Activities>;
  /** What histories name their writers by; a process of this machine where it does not matter. */
  identity?: string;
};

// Built once, so that what is replayed is what ran, even while somebody edits the workflows.
let built: Promise<{ codePath: string }> | undefined;
const bundle = async (): Promise<{ codePath: string }> => await (built ??= workflowBundle(() => {}));

export async function startWorkflowWorld({ address, activities, identity }: WorldOptions): Promise<WorkflowWorld> {
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection, ...(identity ? { identity } : {}) });
  const taskQueue = `test-${randomUUID()}`;
  const calls: { name: string; input: unknown }[] = [];
  const all = complete(activities, (name, input) => void calls.push({ name, input }));
  const common = {
    connection,
    ...workerNames(await bundle()),
    shutdownGraceTime: 0,
    // A cancellation comes with the answer to a heartbeat; the library would hold those back for most of their time-out.
    maxHeartbeatThrottleInterval: '100 milliseconds',
    ...(identity ? { identity } : {}),
  };
  const startWorkers = async (): Promise<() => Promise<void>> => {
    const workers = await createTaskWorkers(common, {
      // Where a test gives nothing that a browser does, there is no worker that has one.
      queues: queueNames.filter((name) => name !== 'browser' || activities.keepScreenshot),
      taskQueue,
      workflowBundle: await bundle(),
      activities: all,
    });
    const running = Promise.all(workers.map(async (worker) => await worker.run()));
    return async () => {
      for (const worker of workers) worker.shutdown();
      await running;
    };
  };
  let stopWorker = await startWorkers();
  const started: { workflowId: string; runId: string }[] = [];
  const track: WorkflowWorld['track'] = ({ workflowId, firstExecutionRunId: runId }) =>
    void started.push({ workflowId, runId });

  return {
    client,
    taskQueue,
    async start(name, input, options) {
      const handle = await client.workflow.start<Workflows[typeof name]>(name, {
        ...options,
        taskQueue,
        args: [input] as never,
      });
      track(handle);
      return handle as never;
    },
    track,
    calls: (name) => calls.filter((call) => call.name === name).map(({ input }) => input as never),
    called: () => calls.map(({ name }) => name),
    histories: async () => await collect(client, started),
    async whileDown(happens) {
      await stopWorker();
      await happens();
      stopWorker = await startWorkers();
    },
    async close() {
      for (const { workflowId } of await collect(client, started))
        await client.workflow
          .getHandle(workflowId)
          .terminate('the test is over')
          .catch(() => undefined);
      await stopWorker();
      await connection.close();
    },
  };
}

/** Every activity of the platform; the ones that were not made up say so at once. */
function complete(made: Partial<Activities>, onCall: (name: string, input: unknown) => void): Activities {
  // Only for the names: none of the real ones is ever called.
  const names = Object.keys(createActivities({} as ActivityDeps)) as (keyof Activities)[];
  const entries = names.map((name) => {
    const run = made[name] as ((input: unknown) => Promise<unknown>) | undefined;
    const activity = async (input: unknown): Promise<unknown> => {
      onCall(name, input);
      if (!run) throw ApplicationFailure.nonRetryable(`This test does not give the activity "${name}".`, 'not-given');
      return await run(input);
    };
    return [name, activity] as const;
  });
  return atBoundary(Object.fromEntries(entries)) as unknown as Activities;
}

async function collect(client: Client, started: { workflowId: string; runId: string }[]): Promise<Recorded[]> {
  const found = new Map<string, Recorded>();
  const waiting = [...started];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { workflowId, runId } = next;
    if (found.has(runId)) continue;
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const type = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
    found.set(runId, { type, workflowId, runId, history });
    for (const event of history.events ?? []) {
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId && child.runId) waiting.push({ workflowId: child.workflowId, runId: child.runId });
      const goneOnAs = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (goneOnAs) waiting.push({ workflowId, runId: goneOnAs });
    }
  }
  return [...found.values()];
}

/** Runs the present code over histories; throws with the first that it would not have written. */
export async function replay(recorded: Pick<Recorded, 'workflowId' | 'history'>[]): Promise<void> {
  // What has only just gone on as new has no task yet: the library would wait for one for ever.
  const begun = recorded.filter(({ history }) =>
    history.events?.some((event) => event.workflowTaskStartedEventAttributes),
  );
  const results = Worker.runReplayHistories({ workflowBundle: await bundle() }, begun);
  for await (const { workflowId, error } of results)
    if (error) throw new Error(`${workflowId} does not replay: ${error.message}`, { cause: error });
}
