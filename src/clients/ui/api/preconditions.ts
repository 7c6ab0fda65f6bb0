import { ApiProblem } from './request.ts';

/** Returns the headers that replace only this version; without one, the settings must not exist yet. */
export const toPrecondition = (version: string): Record<string, string> =>
  version === '' ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` };

/** Whether a change was rejected because another person has changed the same thing. */
export const isStale = (error: unknown): boolean =>
  error instanceof ApiProblem && ['stale-version', 'precondition-failed'].includes(error.reason);
