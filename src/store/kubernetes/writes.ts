import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { type AnyObject, callersMetadata } from '../any-object.ts';
import { checkObject, checkSize } from '../check-object.ts';
import { missing, stale } from '../refusals.ts';
import type { New, Ref } from '../store.ts';
import { pauseBefore, type ApiServer } from './api-server.ts';
import { makeNamespace, isOurs } from './namespaces.ts';
import { collectionPath, objectPath } from './paths.ts';
import { clean, readRaw, wroteIt } from './read.ts';
import { inOurWords, Refused } from './refused.ts';

type Any = Kind<StoredObject>;

/** Every write carries a name of its own, so that one whose answer was lost is known again by what it left. */
const newMark = (): string => `service-${crypto.randomUUID().slice(0, 13)}`;

export async function create(server: ApiServer, kind: Any, given: New<AnyObject>): Promise<AnyObject> {
  checkObject(kind, given);
  const { status: _, metadata, ...content } = given;
  const { name, namespace } = metadata;
  const body = {
    ...content,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, ...callersMetadata(metadata) },
  };
  checkSize(kind, name, JSON.stringify(body));
  const mark = newMark();
  const ask = { method: 'POST', path: collectionPath(kind, namespace), query: { fieldManager: mark }, body } as const;
  for (;;) {
    try {
      return clean(kind, await server.ask(ask));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.withoutNamespace && isOurs(namespace)) {
        await makeNamespace(server, namespace);
        continue;
      }
      const there = error.taken && error.unsure ? await readRaw(server, kind, metadata) : undefined;
      if (there && wroteIt(there, mark)) return clean(kind, there);
      throw inOurWords(error, kind, metadata);
    }
  }
}

export async function replace(server: ApiServer, kind: Any, given: AnyObject): Promise<AnyObject> {
  checkObject(kind, given);
  const { name, namespace, uid, resourceVersion } = given.metadata;
  // Without a version the API server would overwrite whatever is there.
  if (!resourceVersion) throw stale(kind, given.metadata);
  const body = {
    ...given,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, uid, resourceVersion, ...callersMetadata(given.metadata) },
  };
  checkSize(kind, name, JSON.stringify(body));
  const mark = newMark();
  try {
    return clean(
      kind,
      await server.ask({ method: 'PUT', path: objectPath(kind, given.metadata), query: { fieldManager: mark }, body }),
    );
  } catch (error) {
    if (error instanceof Refused && error.unsure) {
      const there = await readRaw(server, kind, given.metadata);
      if (there && wroteIt(there, mark)) return clean(kind, there);
      if (!there && endsWith(given)) return given;
    }
    throw inOurWords(error, kind, given.metadata);
  }
}

/** Whether writing this takes the last finalizer off an object that is being deleted, so that it goes. */
export const endsWith = ({ metadata }: AnyObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;

export async function updateStatus(
  server: ApiServer,
  { kind, ref, change }: { kind: Any; ref: Ref; change: (current: AnyObject) => unknown },
): Promise<AnyObject> {
  for (let attempt = 0; ; attempt += 1) {
    const current = await readExactly(server, kind, ref);
    // A copy of its own, since a change may write into what it is given.
    const given = change(structuredClone(current));
    if (given === undefined) return current;
    const status: unknown = JSON.parse(JSON.stringify(given));
    if (isDeepStrictEqual(status, current.status)) return current;
    const mark = newMark();
    try {
      const path = `${objectPath(kind, ref)}/status`;
      const body = { ...current, status };
      return clean(kind, await server.ask({ method: 'PUT', path, query: { fieldManager: mark }, body }));
    } catch (error) {
      if (!(error instanceof Refused && error.code === 409)) throw inOurWords(error, kind, ref);
      const there = error.unsure ? await readRaw(server, kind, ref) : undefined;
      if (there && wroteIt(there, mark)) return clean(kind, there);
      await sleep(pauseBefore(Math.min(attempt, 3)) / 5);
    }
  }
}

/** What became of it: the uid of what is gone, or the version that marks it for deletion while finalizers hold it. */
type Removed = { uid: string } | { resourceVersion: string };

export async function remove(
  server: ApiServer,
  { kind, ref, resourceVersion }: { kind: Any; ref: Ref; resourceVersion: string | undefined },
): Promise<Removed> {
  for (;;) {
    const { metadata } = await readExactly(server, kind, ref);
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) throw stale(kind, ref);
    if (metadata.deletionTimestamp !== undefined) return { resourceVersion: metadata.resourceVersion };
    // Its uid, so that a second try does not delete another one that has taken the name.
    const preconditions = { uid: metadata.uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions };
    try {
      const answer = await server.ask<AnyObject>({ method: 'DELETE', path: objectPath(kind, ref), body });
      const isHeld = (answer.metadata.finalizers ?? []).length > 0;
      return isHeld ? { resourceVersion: answer.metadata.resourceVersion } : { uid: metadata.uid };
    } catch (error) {
      if (error instanceof Refused && error.code === 404) return { uid: metadata.uid };
      if (!(error instanceof Refused && error.code === 409 && resourceVersion === undefined))
        throw inOurWords(error, kind, ref);
    }
  }
}

async function readExactly(server: ApiServer, kind: Any, ref: Ref): Promise<AnyObject> {
  const raw = await readRaw(server, kind, ref).catch((error: unknown) => {
    throw inOurWords(error, kind, ref);
  });
  if (!raw) throw missing(kind, ref);
  return clean(kind, raw);
}
