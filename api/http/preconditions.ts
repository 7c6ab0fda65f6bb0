import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import type { ApiEnv } from '../deps.ts';

export type Precondition = { resourceVersion?: string | undefined; generation?: number | undefined };

/** Sets the ETag to the resource version, so that the caller can send it back as If-Match. */
export function setETag(c: Context<ApiEnv>, resourceVersion: string): void {
  c.header('ETag', `"${resourceVersion}"`);
}

/** Returns the resource version in the If-Match header, or undefined when the header is absent or `*`. */
export function readIfMatch(c: Context<ApiEnv>): string | undefined {
  const header = c.req.header('if-match');
  return header === undefined || header.trim() === '*' ? undefined : header.trim().replace(/^(W\/)?"(.*)"$/, '$2');
}

export function assertCurrent({ kind, metadata }: StoredObject, { resourceVersion, generation }: Precondition): void {
  const isCurrent =
    (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) &&
    (generation === undefined || generation === metadata.generation);
  if (!isCurrent)
    throw new ServiceError(
      'stale-version',
      `The ${kind} "${metadata.name}" has changed since it was read. Read it again and repeat the change.`,
    );
}
