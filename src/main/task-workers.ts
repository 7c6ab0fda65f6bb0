import { Worker, type WorkerOptions } from '@temporalio/worker';
import { agentsTaskQueue, browserTaskQueue, defaultTaskQueue } from '../../workflows/task-queues.ts';

/** What a worker process may be told to do; each can have machines of its own. */
export const queueNames = ['workflows', 'activities', 'agents', 'browser'] as const;
export type QueueName = (typeof queueNames)[number];

type Activities = Record<string, unknown>;
type Work = {
  queues: readonly QueueName[];
  activities: object;
  workflowBundle: { codePath: string };
  taskQueue?: string;
  /** The queue of this host's checkouts has it in its name; there is no such queue without one. */
  host?: string;
};

const inCheckouts = ['agentTurn', 'mergeBase', 'judgeHeadMove'];
const inBrowser = ['keepScreenshot'];

/** How long a workflow's next step waits for the worker that knows it, before another replays it. */
const stickyMs = 5_000;

/** A picture takes most of a core while it is taken. */
const shotsAtOnce = 2;

/** One worker for each task queue that the named queues are served by. */
export async function createTaskWorkers(
  common: Omit<WorkerOptions, 'taskQueue'>,
  { queues, activities, workflowBundle, taskQueue = defaultTaskQueue, host }: Work,
): Promise<Worker[]> {
  const has = (queue: QueueName): boolean => queues.includes(queue);
  const agents = only(activities as Activities, inCheckouts);
  const shots = only(activities as Activities, inBrowser);
  const wanted: WorkerOptions[] = [];
  if (has('workflows') || has('activities'))
    wanted.push({
      stickyQueueScheduleToStartTimeout: stickyMs,
      ...common,
      ...(has('workflows') && { workflowBundle }),
      taskQueue,
      activities,
      enableNonLocalActivities: has('activities'),
    });
  if (has('agents') && agents) {
    wanted.push({ ...common, taskQueue: agentsTaskQueue(taskQueue), activities: agents });
    if (host !== undefined) wanted.push({ ...common, taskQueue: agentsTaskQueue(taskQueue, host), activities: agents });
  }
  if (has('browser') && shots)
    wanted.push({
      ...common,
      taskQueue: browserTaskQueue(taskQueue),
      activities: shots,
      maxConcurrentActivityTaskExecutions: shotsAtOnce,
    });
  return await Promise.all(wanted.map(async (options) => await Worker.create(options)));
}

/** Nothing where none of them is there. */
function only(activities: Activities, names: string[]): Activities | undefined {
  const found = names.filter((name) => name in activities);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, activities[name]]));
}
