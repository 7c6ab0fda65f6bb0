import type { Context } from 'hono';
import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { isRoleAtLeast } from '../../src/rules/access/roles.ts';
import { orgNamespace, type StoredObject } from '../../src/rules/resource.ts';
import type { Store, WatchEvent } from '../../src/store/store.ts';
import { listOrgRoles } from '../access/list-org-roles.ts';
import type { ApiEnv } from '../deps.ts';
import { waitingKinds, type WaitingChanges } from './waiting-changes.ts';

type WaitingWatch = { ready: Promise<void>; close: () => void };
type WaitingWatchOptions = { store: Store; waitingChanges: WaitingChanges; onChange: () => void };

/** Calls `onChange` when what waits for the caller may have changed, in all orgs in which they may decide. */
export function watchWaiting(
  c: Context<ApiEnv>,
  { store, waitingChanges, onChange }: WaitingWatchOptions,
): WaitingWatch {
  const watches = c.get('sharedWatches');
  let closers: (() => void)[] = [];
  let isClosed = false;
  const judge = (event: WatchEvent<StoredObject>): void => {
    if (waitingChanges.matters(event)) onChange();
  };
  const watchOrgs = async (): Promise<void> => {
    const orgs = await listOrgRoles(store, c.get('caller'));
    if (isClosed) return;
    const subscriptions = orgs
      .filter(({ role }) => isRoleAtLeast(role, 'member'))
      .flatMap(({ org }) => {
        const options = { namespace: orgNamespace(org), onChange: judge, onExpired: onChange };
        return waitingKinds.map((kind) => watches.subscribe(kind, options));
      });
    const before = closers;
    closers = subscriptions.map(({ close }) => close);
    for (const close of before) close();
    await Promise.all(subscriptions.map(({ ready }) => ready));
    onChange();
  };
  // The access groups of any org may give the caller a role.
  const follow = (): void => void watchOrgs().catch(onChange);
  const groups = watches.subscribe(AccessGroupKind, { onChange: follow, onExpired: follow });
  return {
    ready: groups.ready.then(watchOrgs),
    close: () => {
      isClosed = true;
      for (const close of [groups.close, ...closers]) close();
    },
  };
}
