import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isServiceError } from '../../errors.ts';
import type { PodSecurity } from '../../rules/environments/zone-namespace.ts';
import type { Kind, Metadata, StoredObject } from '../../rules/resource.ts';
import { type AnyObject, toWritableMetadata } from '../any-object.ts';
import { assertValidObject, assertObjectSize } from '../assert-valid-object.ts';
import { notFoundError, staleVersionError } from '../store-errors.ts';
import type { NewObject, Ref } from '../store.ts';
import { toBackoffMs, type ApiServer } from './api-server.ts';
import { ensureNamespace, isServiceNamespace } from './namespaces.ts';
import { collectionPath, objectPath } from './paths.ts';
import { toStoredObject, readRaw, hasFieldManager } from './read.ts';
import { toServiceError, ApiServerError } from './api-error.ts';

type AnyKind = Kind<StoredObject>;

/** Every write has a unique field manager, so that a retry detects that a lost response was a success. */
const createFieldManager = (): string => `service-${crypto.randomUUID().slice(0, 13)}`;

type NewObjectInput = { given: NewObject<AnyObject>; orgPodSecurity: PodSecurity };

export async function create(
  server: ApiServer,
  kind: AnyKind,
  { given, orgPodSecurity }: NewObjectInput,
): Promise<AnyObject> {
  assertValidObject(kind, given);
  const { name, namespace } = given.metadata;
  const body = toNewBody(kind, given);
  assertObjectSize(kind, name, JSON.stringify(body));
  const fieldManager = createFieldManager();
  const request = { method: 'POST', path: collectionPath(kind, namespace), query: { fieldManager }, body } as const;
  for (;;) {
    try {
      return toStoredObject(kind, await server.request(request));
    } catch (error) {
      if (!(error instanceof ApiServerError)) throw error;
      if (error.isNamespaceMissing && isServiceNamespace(namespace)) {
        await ensureNamespace(server, namespace, orgPodSecurity);
        continue;
      }
      const existing =
        error.isAlreadyExists && error.mayHaveApplied ? await readRaw(server, kind, given.metadata) : undefined;
      if (existing && hasFieldManager(existing, fieldManager)) return toStoredObject(kind, existing);
      throw toServiceError(error, kind, given.metadata);
    }
  }
}

/** A PUT without a version overwrites any version, so neither a lost response nor another writer needs a read. */
export async function put(server: ApiServer, kind: AnyKind, input: NewObjectInput): Promise<AnyObject> {
  const { given } = input;
  assertValidObject(kind, given);
  const body = toNewBody(kind, given);
  assertObjectSize(kind, given.metadata.name, JSON.stringify(body));
  const query = { fieldManager: createFieldManager() };
  for (;;) {
    try {
      return toStoredObject(
        kind,
        await server.request({ method: 'PUT', path: objectPath(kind, given.metadata), query, body }),
      );
    } catch (error) {
      if (!(error instanceof ApiServerError && error.code === 404)) throw toServiceError(error, kind, given.metadata);
    }
    try {
      return await create(server, kind, input);
    } catch (error) {
      // Another process has created it in between.
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}

function toNewBody(kind: AnyKind, given: NewObject<AnyObject>): object {
  const { status: _, metadata, ...content } = given;
  const { name, namespace } = metadata;
  return {
    ...content,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, ...toWritableMetadata(metadata) },
  };
}

export async function replace(server: ApiServer, kind: AnyKind, given: AnyObject): Promise<AnyObject> {
  assertValidObject(kind, given);
  const { name, namespace, uid, resourceVersion } = given.metadata;
  // Without a version the API server would overwrite any newer object.
  if (!resourceVersion) throw staleVersionError(kind, given.metadata);
  const body = {
    ...given,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, uid, resourceVersion, ...toWritableMetadata(given.metadata) },
  };
  assertObjectSize(kind, name, JSON.stringify(body));
  const fieldManager = createFieldManager();
  try {
    return toStoredObject(
      kind,
      await server.request({ method: 'PUT', path: objectPath(kind, given.metadata), query: { fieldManager }, body }),
    );
  } catch (error) {
    if (error instanceof ApiServerError && error.mayHaveApplied) {
      const existing = await readRaw(server, kind, given.metadata);
      if (existing && hasFieldManager(existing, fieldManager)) return toStoredObject(kind, existing);
      if (!existing && completesDeletion(given)) return given;
    }
    throw toServiceError(error, kind, given.metadata);
  }
}

/** Returns whether writing the object removes its last finalizer during deletion, which deletes it. */
export const completesDeletion = ({ metadata }: AnyObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;

export async function updateStatus(
  server: ApiServer,
  { kind, ref, change }: { kind: AnyKind; ref: Ref; change: (current: AnyObject) => unknown },
): Promise<AnyObject> {
  for (let attempt = 0; ; attempt += 1) {
    const current = await getCurrent(server, kind, ref);
    // The callback gets a copy, because it may modify its argument.
    const nextStatus = change(structuredClone(current));
    if (nextStatus === undefined) return current;
    const status: unknown = JSON.parse(JSON.stringify(nextStatus));
    if (isDeepStrictEqual(status, current.status)) return current;
    const fieldManager = createFieldManager();
    try {
      const path = `${objectPath(kind, ref)}/status`;
      const body = { ...current, status };
      return toStoredObject(kind, await server.request({ method: 'PUT', path, query: { fieldManager }, body }));
    } catch (error) {
      if (!(error instanceof ApiServerError && error.code === 409)) throw toServiceError(error, kind, ref);
      const existing = error.mayHaveApplied ? await readRaw(server, kind, ref) : undefined;
      if (existing && hasFieldManager(existing, fieldManager)) return toStoredObject(kind, existing);
      await sleep(toBackoffMs(Math.min(attempt, 3)) / 5);
    }
  }
}

/** The last metadata of a deleted object, or the version that marks an object with finalizers for deletion. */
type DeletionResult = { deleted: Metadata } | { resourceVersion: string };

export async function remove(
  server: ApiServer,
  { kind, ref, resourceVersion }: { kind: AnyKind; ref: Ref; resourceVersion: string | undefined },
): Promise<DeletionResult> {
  for (let deleted: Metadata | undefined; ;) {
    const { metadata } = await getCurrent(server, kind, ref);
    // A new object took the name after an attempt whose response was lost, or after another process deleted it.
    if (deleted && metadata.uid !== deleted.uid) return { deleted };
    deleted = metadata;
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
      throw staleVersionError(kind, ref);
    if (metadata.deletionTimestamp !== undefined) return { resourceVersion: metadata.resourceVersion };
    // With the uid, a retry cannot delete a new object of the same name.
    const preconditions = { uid: metadata.uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions };
    try {
      const response = await server.request<AnyObject>({ method: 'DELETE', path: objectPath(kind, ref), body });
      const isHeld = (response.metadata.finalizers ?? []).length > 0;
      return isHeld ? { resourceVersion: response.metadata.resourceVersion } : { deleted };
    } catch (error) {
      if (error instanceof ApiServerError && error.code === 404) return { deleted };
      if (!(error instanceof ApiServerError && error.code === 409 && resourceVersion === undefined))
        throw toServiceError(error, kind, ref);
    }
  }
}

async function getCurrent(server: ApiServer, kind: AnyKind, ref: Ref): Promise<AnyObject> {
  const raw = await readRaw(server, kind, ref).catch((error: unknown) => {
    throw toServiceError(error, kind, ref);
  });
  if (!raw) throw notFoundError(kind, ref);
  return toStoredObject(kind, raw);
}
