import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.ts';
import { waitActivityNames } from '../../../workflows/proxy-waits.ts';
import {
  agentsTaskQueue,
  backupsTaskQueue,
  browserTaskQueue,
  defaultTaskQueue,
  waitsTaskQueue,
} from '../../../workflows/task-queues.ts';
import type { QueueName } from './queue-names.ts';

type TaskWorkerOptions = {
  queues: readonly QueueName[];
  activities: object;
  workflowBundle: { codePath: string };
  taskQueue?: string;
  /** The name of this host's checkouts. Without it no host-specific queue is served. */
  host?: string;
};

export const agentActivityNames = [
  'runAgentTurn',
  'mergeBaseBranch',
  'checkUnreviewedCommits',
  'commitSource',
] as const satisfies (keyof Activities)[];
export const browserActivityNames = ['captureScreenshot'] as const satisfies (keyof Activities)[];
export const backupActivityNames = [
  'openBackup',
  'recordBackup',
  'writeBackup',
  'deleteExpiredBackups',
  'checkArchive',
  'beginRestore',
  'recordRestore',
  'restoreArchive',
  'deleteRecoveryKey',
] as const satisfies (keyof Activities)[];

/** After this time without an answer from the worker that caches a workflow, any worker may replay it. */
const stickyTimeoutMs = 5_000;

/** Large orgs build all their Products, and deploy to all their zones, at once. */
const maxConcurrentWaits = 2_000;

/** One capture uses most of a core. */
const maxConcurrentScreenshots = 2;

/** Creates one worker for each task queue that the given queue names stand for. */
export async function createTaskWorkers(
  common: Omit<WorkerOptions, 'taskQueue'>,
  { queues, activities, workflowBundle, taskQueue = defaultTaskQueue, host }: TaskWorkerOptions,
): Promise<Worker[]> {
  const serves = (queue: QueueName): boolean => queues.includes(queue);
  const agentActivities = pickActivities(activities, agentActivityNames);
  const waitActivities = pickActivities(activities, waitActivityNames);
  const browserActivities = pickActivities(activities, browserActivityNames);
  const backupActivities = pickActivities(activities, backupActivityNames);
  const workerOptions: WorkerOptions[] = [];
  if (serves('workflows') || serves('activities'))
    workerOptions.push({
      stickyQueueScheduleToStartTimeout: stickyTimeoutMs,
      ...common,
      ...(serves('workflows') && { workflowBundle }),
      taskQueue,
      activities,
      enableNonLocalActivities: serves('activities'),
    });
  if (serves('activities') && waitActivities)
    workerOptions.push({
      ...common,
      taskQueue: waitsTaskQueue(taskQueue),
      activities: waitActivities,
      maxConcurrentActivityTaskExecutions: maxConcurrentWaits,
    });
  if (serves('agents') && agentActivities) {
    workerOptions.push({ ...common, taskQueue: agentsTaskQueue(taskQueue), activities: agentActivities });
    if (host !== undefined)
      workerOptions.push({ ...common, taskQueue: agentsTaskQueue(taskQueue, host), activities: agentActivities });
  }
  if (serves('browser') && browserActivities)
    workerOptions.push({
      ...common,
      taskQueue: browserTaskQueue(taskQueue),
      activities: browserActivities,
      maxConcurrentActivityTaskExecutions: maxConcurrentScreenshots,
    });
  if (serves('backups') && backupActivities)
    workerOptions.push({ ...common, taskQueue: backupsTaskQueue(taskQueue), activities: backupActivities });
  return await Promise.all(workerOptions.map(async (options) => await Worker.create(options)));
}

/** Returns undefined when none of the named activities is registered. */
function pickActivities(activities: object, names: readonly string[]): Record<string, unknown> | undefined {
  const found = Object.entries(activities).filter(([name]) => names.includes(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
