/** The queue of workflows and of activities that any worker can do. */
export const defaultTaskQueue = 'delivery';

/** The queue of workers that hold checkouts, or that of one such host; beside the one that asks them. */
export const agentsTaskQueue = (queue: string, host?: string): string =>
  host === undefined ? `${queue}-agents` : `${queue}-agents-${host}`;

/** The queue of workers that have a browser, beside the one that asks them. */
export const browserTaskQueue = (queue: string): string => `${queue}-browser`;
