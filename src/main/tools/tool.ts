import { homedir } from 'node:os';
import { join } from 'node:path';

/** Told what is going on, at the start and every few seconds, by whatever takes longer than a second. */
export type Progress = (message: string) => void;

export type ToolSearch = { cacheDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

/** A program that runs, or why there is none and what to do about it. */
export type Tool = { path: string } | { missing: string };

/** Where programs are kept that were downloaded or built once. */
export const toolCacheDir = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'delivery-platform');
