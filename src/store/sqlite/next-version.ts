import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../errors.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { type AnyObject, toWritableMetadata } from '../any-object.ts';
import type { NewObject } from '../store.ts';

/** Returns the time in whole seconds, because Kubernetes keeps no fractions. */
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** Builds the object that `create` stores, without its resourceVersion. */
export function toFirstVersion(kind: Kind<StoredObject>, given: NewObject<AnyObject>): AnyObject {
  const { metadata, status: _, ...content } = toJson(given);
  const { namespace, name } = metadata;
  return {
    ...content,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      namespace,
      uid: randomUUID(),
      resourceVersion: '',
      generation: 1,
      creationTimestamp: now(),
      ...toWritableMetadata(metadata),
    },
  };
}

/** Applies all of `given` that a caller may write, except `status`. Returns undefined when nothing changes. */
export function toReplacement(current: AnyObject, given: AnyObject): AnyObject | undefined {
  const { metadata, status: _, apiVersion: _a, kind: _k, ...content } = toJson(given);
  const { labels: _l, annotations: _n, ownerReferences: _o, finalizers: _f, ...fixed } = current.metadata;
  const next: AnyObject = {
    ...content,
    apiVersion: current.apiVersion,
    kind: current.kind,
    metadata: { ...fixed, ...toWritableMetadata(metadata) },
    ...('status' in current && { status: current.status }),
  };
  if (isDeepStrictEqual(next, current)) return undefined;
  assertNoNewFinalizers(current, next);
  if (!isDeepStrictEqual(next.spec, current.spec)) next.metadata.generation = current.metadata.generation + 1;
  return next;
}

/** Sets the status. Returns undefined when it is already set. */
export function withStatus(current: AnyObject, status: unknown): AnyObject | undefined {
  const stored = toJson(status);
  return isDeepStrictEqual(stored, current.status) ? undefined : { ...current, status: stored };
}

export function markDeleted(current: AnyObject): AnyObject {
  return { ...current, metadata: { ...current.metadata, deletionTimestamp: now() } };
}

function assertNoNewFinalizers(current: AnyObject, next: AnyObject): void {
  if (current.metadata.deletionTimestamp === undefined) return;
  const before = current.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return;
  throw invalid(`${current.kind} "${current.metadata.name}" is being deleted. Do not add finalizers to it.`, [
    { pointer: '/metadata/finalizers', detail: `cannot add ${added.join(', ')} to an object that is being deleted` },
  ]);
}

/** Copies the value and drops undefined properties, as storing and reading it would. */
function toJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
