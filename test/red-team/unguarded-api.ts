import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll } from 'vitest';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startApi } from '../support/start-api.ts';
import { readOwnTls } from './temporal-access.ts';
import type { Call, World } from './world.ts';

/**
 * Prepares a second API of the platform that takes every person for a platform admin, for attacks whose one defence is
 * the role of the caller. It shares the store, the blobs, the Temporal server and the code host with the attacked one. A
 * call without a person is one of mallory.
 */
export function unguardedApi(): (world: World) => Promise<Call> {
  const closings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
  });
  let started: Promise<Call> | undefined;
  const onCleanup = (close: () => Promise<void>): void => void closings.push(close);
  return async (world) => await (started ??= start(world, onCleanup));
}

async function start(world: World, onCleanup: (close: () => Promise<void>) => void): Promise<Call> {
  const store = openSqliteStore({ file: join(world.dataDir, 'store.sqlite') });
  onCleanup(async () => await store.close());
  const connection = await Connection.connect({
    address: `127.0.0.1:${world.port + 4}`,
    tls: await readOwnTls(world),
  });
  onCleanup(async () => await connection.close());
  const { request } = await startApi({
    role: 'anonymous',
    store: withoutRoles(store),
    blobs: directoryBlobs(join(world.dataDir, 'blobs')),
    temporal: new Client({ connection }),
    codehostApiUrl: `${world.codehostUrl}/api/v3`,
    config: { publicUrl: world.url, codehostUrl: world.codehostUrl },
    onCleanup,
  });
  return async (method, path, { as = 'mallory', body, headers = {} } = {}) => {
    const credentials = headers['cookie'] === undefined && { authorization: `Bearer ${world.credentials[as].token}` };
    return await request(path, { method, body, headers: { accept: 'application/json', ...credentials, ...headers } });
  };
}

/** Wraps a store whose users are all platform admins. */
function withoutRoles(store: Store): Store {
  const promote = <T extends StoredObject>(kind: Kind<T>, object: T): T =>
    kind.kind === UserKind.kind
      ? { ...object, spec: { ...(object as { spec?: object }).spec, platformAdmin: true } }
      : object;
  return {
    ...store,
    get: async (kind, ref, options) => promote(kind, await store.get(kind, ref, options)),
    find: async (kind, ref, options) => {
      const found = await store.find(kind, ref, options);
      return found && promote(kind, found);
    },
  };
}
