/** The queue of workflows and of activities that any worker can do. */
export const defaultTaskQueue = 'delivery';

/** The queue of workers that have a browser, beside the one that asks them. */
export const browserTaskQueue = (queue: string): string => `${queue}-browser`;
