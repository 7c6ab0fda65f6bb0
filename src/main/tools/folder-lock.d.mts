/** Runs the task while nobody else on this machine runs one under the same folder's name; `onWait` once, if it must. */
export function withFolderLock<T>(folder: string, task: () => Promise<T>, onWait?: () => void): Promise<T>;
