import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Receives a message at the start and every few seconds of an operation that takes longer than a second. */
export type Progress = (message: string) => void;

export type ToolSearch = { cacheDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

/** A program that runs, or the reason why it is missing and how to fix that. */
export type Tool = { path: string } | { missing: string };

/** Returns the folder of programs that were downloaded or built. The standard of XDG ignores a relative path. */
export function toolCacheDir({ XDG_CACHE_HOME = '', HOME }: NodeJS.ProcessEnv): string {
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME || homedir(), '.cache');
  return join(caches, 'delivery-platform');
}
