import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiDeps } from '../../../api/deps.ts';
import { requestBlobPrefix } from '../../../api/temporal/idempotency.ts';
import { ignoreNotFound } from '../../errors.ts';
import type { Blobs } from '../../integrations/blobs/blobs.ts';
import { ConfigMapKind, readSecretText, SecretKind } from '../../kinds/kubernetes.ts';
import { ApiTokenKind } from '../../rules/access/kinds.ts';
import {
  connectionStateLabels,
  deviceSignInLabels,
  isPast,
  requestLabels,
  requestTtlMs,
  restoreKeyLabels,
} from '../../rules/expiry.ts';
import { allArchivesPrefix, archiveTtlMs } from '../../rules/products/archive-limits.ts';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace, type Kind, type StoredObject } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';

const sweepIntervalMs = 60 * 60_000;

type SweepDeps = { store: Store; blobs: Blobs; now: () => Date };

/**
 * Deletes tokens, tickets, connection states and sign-ins of devices and keys of restores that have expired, and requests and archives that
 * are too old to be used.
 */
export async function sweepExpired({ store, blobs, now }: SweepDeps): Promise<void> {
  const at = now();
  const namespace = systemNamespace;
  const tokens = await store.list(ApiTokenKind, { namespace });
  await deleteEach(
    store,
    ApiTokenKind,
    tokens.items.filter(({ spec }) => isPast(spec.expiresAt, at)),
  );
  for (const labels of [connectionStateLabels, deviceSignInLabels, restoreKeyLabels]) {
    const { items } = await store.list(SecretKind, { namespace, labels });
    const expired = items.filter((secret) => isPast(readSecretText(secret, 'expires'), at));
    await deleteEach(store, SecretKind, expired);
  }
  const requestedBefore = new Date(at.getTime() - requestTtlMs);
  const orgs = await store.list(OrganizationKind, { namespace });
  for (const requestsNamespace of [namespace, ...orgs.items.map(({ metadata }) => orgNamespace(metadata.name))]) {
    const requests = await store.list(ConfigMapKind, { namespace: requestsNamespace, labels: requestLabels });
    const old = requests.items.filter((request) => isPast(request.metadata.creationTimestamp, requestedBefore));
    await deleteEach(store, ConfigMapKind, old);
  }
  await blobs.deletePrefix(requestBlobPrefix, { writtenBefore: requestedBefore });
  await blobs.deletePrefix(allArchivesPrefix, { writtenBefore: new Date(at.getTime() - archiveTtlMs) });
}

async function deleteEach<T extends StoredObject>(store: Store, kind: Kind<T>, objects: readonly T[]): Promise<void> {
  // Another replica may sweep at the same time.
  for (const { metadata } of objects) await store.delete(kind, metadata).catch(ignoreNotFound);
}

/** Repeats a sweep until the signal is aborted. Every replica does, because a sweep is idempotent. */
export async function runSweeps(
  sweep: () => Promise<void>,
  { log, signal, intervalMs = sweepIntervalMs }: { signal: AbortSignal; intervalMs?: number } & Pick<ApiDeps, 'log'>,
): Promise<void> {
  while (!signal.aborted) {
    await sweep().catch((error: unknown) => log.warn({ error: String(error) }, 'Failed to sweep'));
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
