/** Workflow code has a deterministic clock: a replay returns the recorded time. */
export const timestamp = (): string => new Date().toISOString();
