/** The queues that a worker process can serve. Each can run on its own machines. */
export const queueNames = ['workflows', 'activities', 'agents', 'browser', 'backups'] as const;
export type QueueName = (typeof queueNames)[number];
