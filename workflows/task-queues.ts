/** The queue of workflows and of activities that any worker can do. */
export const defaultTaskQueue = 'delivery';
