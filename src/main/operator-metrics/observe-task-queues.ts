import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Registry } from 'prom-client';
import {
  agentsTaskQueue,
  backupsTaskQueue,
  browserTaskQueue,
  defaultTaskQueue,
  waitsTaskQueue,
} from '../../../workflows/task-queues.ts';
import { type Reading, registerGauges } from './register-gauges.ts';

const { TaskQueueType } = proto.temporal.api.enums.v1;

/** The queues that are not of one host. */
const queues = [
  { taskQueue: defaultTaskQueue, type: 'workflow' },
  { taskQueue: defaultTaskQueue, type: 'activity' },
  { taskQueue: waitsTaskQueue(defaultTaskQueue), type: 'activity' },
  { taskQueue: agentsTaskQueue(defaultTaskQueue), type: 'activity' },
  { taskQueue: browserTaskQueue(defaultTaskQueue), type: 'activity' },
  { taskQueue: backupsTaskQueue(defaultTaskQueue), type: 'activity' },
] as const;
type Queue = (typeof queues)[number];

const labelNames = ['task_queue', 'task_type'];
const gauges = {
  delivery_task_queue_tasks: { help: 'Tasks that wait in a Temporal task queue', labelNames },
  delivery_task_queue_oldest_task_seconds: { help: 'Age of the oldest task that waits in a task queue', labelNames },
  delivery_task_queue_pollers: { help: 'Workers that asked a task queue for tasks in the last minutes', labelNames },
};

/** Reports the backlog of each task queue. The SDK's metrics miss the tasks that no worker has received yet. */
export function observeTaskQueues(registry: Registry, client: Client): void {
  const read = async () => (await Promise.all(queues.map((queue) => readQueue(client, queue)))).flat();
  registerGauges(registry, gauges, { source: 'task-queues', read });
}

async function readQueue(client: Client, { taskQueue, type }: Queue): Promise<Reading<keyof typeof gauges>[]> {
  const { stats, pollers } = await client.withDeadline(
    Date.now() + 5_000,
    async () =>
      await client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: taskQueue },
        taskQueueType:
          type === 'workflow' ? TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW : TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
        reportStats: true,
      }),
  );
  const age = stats?.approximateBacklogAge;
  const labels = { task_queue: taskQueue, task_type: type };
  return [
    { gauge: 'delivery_task_queue_tasks', labels, value: Number(stats?.approximateBacklogCount ?? 0) },
    {
      gauge: 'delivery_task_queue_oldest_task_seconds',
      labels,
      value: Number(age?.seconds ?? 0) + (age?.nanos ?? 0) / 1e9,
    },
    { gauge: 'delivery_task_queue_pollers', labels, value: pollers.length },
  ];
}
