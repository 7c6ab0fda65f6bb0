import { ignoreNotFound } from '../../src/errors.ts';
import { type ApiToken, ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Lists the browser sessions of a user, including expired ones. */
export async function listSessions(store: Store, user: string): Promise<ApiToken[]> {
  const fields = { 'spec.user': user, 'spec.use': 'session' };
  return (await store.list(ApiTokenKind, { namespace: systemNamespace, fields })).items;
}

/** Ends the browser sessions of a user, and with them those in zones. */
export async function endSessions(store: Store, user: string, { except }: { except?: string } = {}): Promise<void> {
  for (const { metadata } of await listSessions(store, user))
    if (metadata.name !== except) await store.delete(ApiTokenKind, metadata).catch(ignoreNotFound);
}
