/** Runs the task while no other process holds the lock folder; calls `onWait` once if it has to wait. */
export function withFolderLock<T>(folder: string, task: () => Promise<T>, onWait?: () => void): Promise<T>;
