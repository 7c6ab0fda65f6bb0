import type { Context } from 'hono';
import { invalid, ServiceError } from '../../src/errors.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { Ref, Store } from '../../src/store/store.ts';
import type { ApiEnv } from '../deps.ts';
import { matchesVersion, parseEntityTags, type EntityTags } from './entity-tags.ts';

/** The versions that a request may be applied to: those of its body, of If-Match and of If-None-Match. */
export type Precondition = {
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  ifMatch?: EntityTags | undefined;
  ifNoneMatch?: EntityTags | undefined;
};

/** Declares that an operation evaluates If-Match and If-None-Match; every other change rejects these headers. */
export const acceptsPreconditions = { 'x-preconditions': 'optional' } as const;
/** Declares that an operation also rejects a request that names no version (428). */
export const requiresPrecondition = { 'x-preconditions': 'required' } as const;

/** Names the version of the response's resource; `represent` adds a digest of the bytes to it. */
export function setETag(c: Context<ApiEnv>, resourceVersion: string): void {
  c.header('ETag', `"${resourceVersion}"`);
}

export function readPrecondition(
  c: Context<ApiEnv>,
  { resourceVersion, generation }: Pick<Precondition, 'resourceVersion' | 'generation'> = {},
): Precondition {
  const ifMatch = parseEntityTags(c, 'If-Match');
  const ifNoneMatch = parseEntityTags(c, 'If-None-Match');
  return { resourceVersion, generation, ifMatch, ifNoneMatch };
}

/** Throws 428 when the request names no version, because a replacement could undo the change of another person. */
export function readRequiredPrecondition(
  c: Context<ApiEnv>,
  body: Pick<Precondition, 'resourceVersion' | 'generation'>,
): Precondition {
  const precondition = readPrecondition(c, body);
  const { resourceVersion, generation, ifMatch } = precondition;
  if (resourceVersion !== undefined || generation !== undefined || ifMatch !== undefined) return precondition;
  throw new ServiceError(
    'precondition-required',
    'The request does not name the version to replace. Send the ETag that you read as If-Match, or its resourceVersion in the body. "If-Match: *" replaces any version.',
  );
}

/** Throws when the resource is not in a version that the request may be applied to: 412 by a header, 409 by the body. */
export function assertCurrent(current: StoredObject | undefined, precondition: Precondition): void {
  const { resourceVersion, generation } = precondition;
  assertHeadersMatch(current?.metadata.resourceVersion, precondition);
  if (!current) return;
  const { kind, metadata } = current;
  const isCurrent =
    (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) &&
    (generation === undefined || generation === metadata.generation);
  if (!isCurrent)
    throw new ServiceError(
      'stale-version',
      `The ${kind} "${metadata.name}" has changed since it was read. Read it again and repeat the change.`,
    );
}

/** Evaluates the headers for a resource of this version, or for one that does not exist. */
export function assertHeadersMatch(version: string | undefined, { ifMatch, ifNoneMatch }: Precondition): void {
  if (ifMatch !== undefined && !matchesVersion(ifMatch, version))
    throw failed(
      version === undefined
        ? 'The If-Match precondition failed: the resource does not exist.'
        : 'If-Match names no current version of the resource. Read it again and repeat the change.',
    );
  if (ifNoneMatch !== undefined && matchesVersion(ifNoneMatch, version, 'weak'))
    throw failed('The If-None-Match precondition failed: the resource exists in a version that it excludes.');
}

const failed = (detail: string): ServiceError => new ServiceError('precondition-failed', detail);

/** Deletes an object if it is in a version that the request names, or in any version when it names none. */
export async function deleteIfCurrent<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { ref, precondition }: { ref: Ref; precondition: Precondition },
): Promise<void> {
  const isConditional = precondition.ifMatch !== undefined || precondition.ifNoneMatch !== undefined;
  if (!isConditional) return store.delete(kind, ref);
  const current = await store.get(kind, ref);
  assertCurrent(current, precondition);
  await store.delete(kind, ref, { resourceVersion: current.metadata.resourceVersion });
}

/** Rejects a precondition of a change that evaluates none, because the caller relies on it. */
export function assertNoPrecondition(c: Context): void {
  const header = ['If-Match', 'If-None-Match'].find((name) => c.req.header(name) !== undefined);
  if (header !== undefined)
    throw invalid(`The operation does not evaluate ${header}. Send the request without this header.`);
}
