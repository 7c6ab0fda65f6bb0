import type { KubeConfig } from '@kubernetes/client-node';
import { inTurn } from '../in-turn.ts';
import { apiVersion as ours, type Kind, type StoredObject, systemNamespace } from '../rules/resource.ts';
import type { AnyObject } from './any-object.ts';
import { checkList } from './check-list.ts';
import { admitted, type Rights } from './kubernetes/admitted.ts';
import { changesFrom } from './kubernetes/changes-from.ts';
import { connectApiServer, type ApiServer } from './kubernetes/api-server.ts';
import { HeardKind } from './kubernetes/heard-kind.ts';
import { makeNamespace } from './kubernetes/namespaces.ts';
import { objectPath } from './kubernetes/paths.ts';
import { readAll, readRaw, clean } from './kubernetes/read.ts';
import { inOurWords, Refused } from './kubernetes/refused.ts';
import { matches } from './kubernetes/selection.ts';
import { create, endsWith, remove, replace, updateStatus } from './kubernetes/writes.ts';
import { type Position, readPageToken, writePageToken } from './page-token.ts';
import { missing, unusablePage } from './refusals.ts';
import type { ListOptions, New, Page, ReadOptions, Ref, Store, WatchEvent, WatchOptions } from './store.ts';

/** How often the API server is asked whether it is well, and how long ago it may last have said so. */
const askAgainMs = 1_000;
const relyOnMs = 3_000;

type Parts = {
  server: ApiServer;
  hearing: Hearing;
  closed: AbortSignal;
};

type Hearing = {
  /** Begins to listen where nobody did. Others' objects are asked for each time: they are many, and not ours to watch. */
  of: (kind: Kind<StoredObject>) => HeardKind | undefined;
  /** Only where it is listened to already. */
  known: (kind: Kind<StoredObject>) => HeardKind | undefined;
};

/** The store of a cluster: writes and exact reads go to its API server, all others are answered from what it tells. */
export async function openKubernetesStore(kubeConfig: KubeConfig, rights?: Rights): Promise<Store> {
  const connected = connectApiServer(kubeConfig);
  const server = rights ? admitted(connected, rights) : connected;
  const closing = new AbortController();
  const parts: Parts = { server, hearing: listenThrough(server, closing.signal), closed: closing.signal };
  const turns = inTurn();
  await makeNamespace(server, systemNamespace);
  const wrote = (kind: Kind<StoredObject>, object: AnyObject): AnyObject => {
    const heard = parts.hearing.known(kind);
    if (endsWith(object)) heard?.expectGone(object.metadata.uid);
    else heard?.expect(object.metadata.resourceVersion);
    return object;
  };

  // The types of the interface are the callers' word for what lies in the store; from here on they are one.
  return {
    create: async <T extends StoredObject>(kind: Kind<T>, object: New<T>) =>
      wrote(kind, await create(server, kind, object)) as T,
    get: async <T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions) => {
      const found = await find(parts, kind, { ...ref, ...options });
      if (!found) throw missing(kind, ref);
      return found as T;
    },
    find: async <T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions) =>
      (await find(parts, kind, { ...ref, ...options })) as T | undefined,
    list: async <T extends StoredObject>(kind: Kind<T>, options: ListOptions = {}) =>
      (await list(parts, kind, options)) as Page<T>,
    replace: async <T extends StoredObject>(kind: Kind<T>, object: T) =>
      wrote(kind, await replace(server, kind, object)) as T,
    updateStatus: async (kind, ref, change) =>
      wrote(
        kind,
        await turns(objectPath(kind, ref), () => updateStatus(server, { kind, ref, change: change as never })),
      ) as never,
    delete: async (kind, ref, { resourceVersion } = {}) => {
      const removed = await remove(server, { kind, ref, resourceVersion });
      const heard = parts.hearing.known(kind);
      if ('uid' in removed) heard?.expectGone(removed.uid);
      else heard?.expect(removed.resourceVersion);
    },
    watch: <T extends StoredObject>(kind: Kind<T>, options: WatchOptions) =>
      watch(parts, kind, options) as AsyncIterable<WatchEvent<T>>,
    stamp: (kind, namespace) => parts.hearing.known(kind)?.stamp(namespace),
    close: async () => {
      closing.abort();
      await server.close();
    },
  };
}

function listenThrough(server: ApiServer, closed: AbortSignal): Hearing {
  const heard = new Map<string, HeardKind>();
  let wellAt = 0;
  const ask = async (): Promise<void> => {
    if (await server.ready()) wellAt = performance.now();
  };
  let timer: NodeJS.Timeout | undefined;
  closed.addEventListener('abort', () => clearInterval(timer));
  const reachable = (): boolean => performance.now() - wellAt < relyOnMs;
  const known: Hearing['known'] = ({ apiVersion, plural }) => (apiVersion === ours ? heard.get(plural) : undefined);
  const of: Hearing['of'] = (kind) => {
    if (kind.apiVersion !== ours || closed.aborted) return undefined;
    const there = known(kind);
    if (there) return there;
    if (!timer) {
      wellAt = performance.now();
      timer = setInterval(() => void ask(), askAgainMs).unref();
    }
    const made = new HeardKind({ server, kind, closed, reachable });
    heard.set(kind.plural, made);
    return made;
  };
  return { of, known };
}

async function find(
  { server, hearing }: Parts,
  kind: Kind<StoredObject>,
  { exact = true, ...ref }: Ref & ReadOptions,
): Promise<AnyObject | undefined> {
  // What was not heard of may have been made a moment ago: whether there is none is for the API server to say.
  const there = exact ? undefined : await hearing.of(kind)?.find(ref);
  if (there) return there;
  const raw = await readRaw(server, kind, ref).catch((error: unknown) => {
    throw inOurWords(error, kind, ref);
  });
  if (raw) hearing.known(kind)?.expect(raw.metadata.resourceVersion);
  return raw && clean(kind, raw);
}

async function list(
  { server, hearing }: Parts,
  kind: Kind<StoredObject>,
  options: ListOptions,
): Promise<Page<AnyObject>> {
  checkList(options);
  const query = JSON.stringify([kind.apiVersion, kind.kind, options.namespace, options.labels, options.fields]);
  const after = options.continue === undefined ? undefined : readPageToken(query, options.continue);
  const page = options.exact === false ? await hearing.of(kind)?.page(options, query, after) : undefined;
  return page ?? (await askedPage(server, { kind, options, query, after }));
}

async function askedPage(
  server: ApiServer,
  {
    kind,
    options: { limit, ...options },
    query,
    after,
  }: { kind: Kind<StoredObject>; options: ListOptions; query: string; after: Position | undefined },
): Promise<Page<AnyObject>> {
  const all = await readAll(server, kind, { ...options, ...(after && { version: after.rv }) }).catch(
    (error: unknown) => {
      if (error instanceof Refused && error.code === 410)
        throw unusablePage('too much has changed since the page before');
      throw inOurWords(error, kind, { namespace: options.namespace ?? '', name: '' });
    },
  );
  const { resourceVersion } = all;
  const behind = ({ metadata }: AnyObject): boolean => after === undefined || inOrder(metadata, after) > 0;
  const items = all.items
    .filter((object) => behind(object) && matches(object, options))
    .toSorted((one, other) => inOrder(one.metadata, other.metadata));
  const cut = items.slice(0, limit);
  const { namespace = '', name = '' } = cut.at(-1)?.metadata ?? {};
  if (cut.length === items.length) return { items, resourceVersion };
  const token = writePageToken(query, { rv: Number(resourceVersion), namespace, name });
  return { items: cut, resourceVersion, continue: token };
}

function inOrder(one: Ref, other: Ref): number {
  const [a, b] = one.namespace === other.namespace ? [one.name, other.name] : [one.namespace, other.namespace];
  return a < b ? -1 : Number(a > b);
}

async function* watch(
  { server, hearing, closed }: Parts,
  kind: Kind<StoredObject>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<AnyObject>> {
  const ended = (): boolean => options.signal.aborted || closed.aborted;
  if (ended()) return;
  const known = hearing.of(kind);
  if (known) {
    yield* known.watch({ ...options, ended });
    return;
  }
  const { namespace, name } = options;
  const selected = {
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { fields: { 'metadata.name': name } }),
  };
  const resourceVersion = options.resourceVersion ?? (await readAll(server, kind, selected)).resourceVersion;
  const signal = AbortSignal.any([options.signal, closed]);
  for await (const { type, object } of changesFrom(server, kind, { ...options, resourceVersion, signal }))
    if (type !== 'BOOKMARK') yield { type, object };
}
