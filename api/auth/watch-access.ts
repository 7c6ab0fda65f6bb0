import type { Context } from 'hono';
import { AccessGroupKind, type ApiToken, ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { isDeleting, orgNamespace, systemNamespace, type StoredObject } from '../../src/rules/resource.ts';
import type { WatchEvent } from '../../src/store/store.ts';
import type { ApiEnv } from '../deps.ts';

/**
 * Calls `check` when the credential of a request, its user or the role in the org of
 * the path may have changed. Returns the function that ends this.
 */
export function watchAccess(c: Context<ApiEnv>, check: () => void): () => void {
  const { metadata } = c.get('credential');
  const org = c.req.param('org');
  const watched = [
    { kind: ApiTokenKind, namespace: systemNamespace, name: metadata.name },
    { kind: UserKind, namespace: systemNamespace, name: c.get('caller').user },
    ...(org === undefined
      ? []
      : [
          { kind: OrganizationKind, namespace: systemNamespace, name: org },
          { kind: AccessGroupKind, namespace: orgNamespace(org) },
        ]),
  ];
  const onChange = ({ type, object }: WatchEvent<StoredObject>): void => {
    if (type !== 'MODIFIED' || object.metadata.uid !== metadata.uid || !isOnlyUsed(object as ApiToken)) check();
  };
  // Every use of the credential is recorded in its status.
  const isOnlyUsed = (credential: ApiToken): boolean =>
    credential.metadata.generation === metadata.generation && !isDeleting(credential) && !isRejected(credential);
  const subscriptions = watched.map(({ kind, ...scope }) =>
    c.get('sharedWatches').subscribe(kind, { ...scope, onChange, onExpired: check }),
  );
  // A change between the authorization and the start of a watch is in neither.
  void Promise.all(subscriptions.map(({ ready }) => ready)).then(check);
  return () => {
    for (const { close } of subscriptions) close();
  };
}
