/** The queue of workflows and of the activities that any worker can run. */
export const defaultTaskQueue = 'delivery';

/** The queue of all workers that hold checkouts, or of the workers on one such host. */
export const agentsTaskQueue = (queue: string, host?: string): string =>
  host === undefined ? `${queue}-agents` : `${queue}-agents-${host}`;

/** The queue of the workers that may read and write all that an archive contains, such as Secrets. */
export const backupsTaskQueue = (queue: string): string => `${queue}-backups`;

/** The queue of workers that have a browser. */
export const browserTaskQueue = (queue: string): string => `${queue}-browser`;
