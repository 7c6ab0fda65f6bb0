/** The queue of workflows and of the activities that any worker can run. */
export const defaultTaskQueue = 'delivery';

/** The queue of all workers that hold checkouts, or of the workers on one such host. */
export const agentsTaskQueue = (queue: string, host?: string): string =>
  host === undefined ? `${queue}-agents` : `${queue}-agents-${host}`;

/**
 * The queue of activities that wait, such as for builds and deployments. They need little but their slots, and one org may
 * hold hundreds of these for hours, so other work has slots of its own.
 */
export const waitsTaskQueue = (queue: string): string => `${queue}-waits`;

/** The queue of the workers that may read and write all that an archive contains, such as Secrets. */
export const backupsTaskQueue = (queue: string): string => `${queue}-backups`;

/** The queue of workers that have a browser. */
export const browserTaskQueue = (queue: string): string => `${queue}-browser`;
