/** Runs the task while no other process of this machine runs one under the same folder's name. */
export function withFolderLock<T>(folder: string, task: () => Promise<T>, onWait?: () => void): Promise<T>;
