import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../errors.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { type AnyObject, callersMetadata } from '../any-object.ts';
import type { New } from '../store.ts';

/** Whole seconds, as Kubernetes keeps times. */
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** The object as `create` stores it, but for its resourceVersion. */
export function firstVersion(kind: Kind<StoredObject>, given: New<AnyObject>): AnyObject {
  const { metadata, status: _, ...content } = asJson(given);
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
      ...callersMetadata(metadata),
    },
  };
}

/** `current` with everything of `given` that a caller may write but `status`; undefined when that changes nothing. */
export function replacement(current: AnyObject, given: AnyObject): AnyObject | undefined {
  const { metadata, status: _, apiVersion: _a, kind: _k, ...content } = asJson(given);
  const { labels: _l, annotations: _n, ownerReferences: _o, finalizers: _f, ...kept } = current.metadata;
  const next: AnyObject = {
    ...content,
    apiVersion: current.apiVersion,
    kind: current.kind,
    metadata: { ...kept, ...callersMetadata(metadata) },
    ...('status' in current && { status: current.status }),
  };
  if (isDeepStrictEqual(next, current)) return undefined;
  refuseNewFinalizers(current, next);
  if (!isDeepStrictEqual(next.spec, current.spec)) next.metadata.generation = current.metadata.generation + 1;
  return next;
}

/** `current` with that status; undefined when it has it already. */
export function withStatus(current: AnyObject, status: unknown): AnyObject | undefined {
  const stored = asJson(status);
  return isDeepStrictEqual(stored, current.status) ? undefined : { ...current, status: stored };
}

export function markedDeleted(current: AnyObject): AnyObject {
  return { ...current, metadata: { ...current.metadata, deletionTimestamp: now() } };
}

function refuseNewFinalizers(current: AnyObject, next: AnyObject): void {
  if (current.metadata.deletionTimestamp === undefined) return;
  const before = current.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return;
  throw invalid(`${current.kind} "${current.metadata.name}" is being deleted: no finalizer can be added any more.`, [
    { pointer: '/metadata/finalizers', detail: `cannot add ${added.join(', ')} to an object that is being deleted` },
  ]);
}

/** What is left after storing and reading: a value of its own without undefined properties. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
