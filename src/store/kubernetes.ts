import type { KubeConfig } from '@kubernetes/client-node';
import { keyedQueue } from '../keyed-queue.ts';
import type { PodSecurity } from '../rules/environments/zone-namespace.ts';
import { apiVersion as ownApiVersion, type Kind, type StoredObject, systemNamespace } from '../rules/resource.ts';
import type { AnyObject } from './any-object.ts';
import { assertListOptions } from './assert-list-options.ts';
import { limitRequests } from './kubernetes/limit-requests.ts';
import { withNamespaceAccess, type NamespaceRoles } from './kubernetes/namespace-access.ts';
import { watchChanges } from './kubernetes/watch-changes.ts';
import { connectApiServer, type ApiServer } from './kubernetes/api-server.ts';
import { Informer } from './kubernetes/informer.ts';
import { deleteNamespace } from './kubernetes/delete-namespace.ts';
import { ensureNamespace } from './kubernetes/namespaces.ts';
import { objectPath } from './kubernetes/paths.ts';
import { readPage } from './kubernetes/read-page.ts';
import { readAll, readRaw, toStoredObject } from './kubernetes/read.ts';
import { toServiceError } from './kubernetes/api-error.ts';
import { restore } from './kubernetes/restore.ts';
import { create, completesDeletion, put, remove, replace, updateStatus } from './kubernetes/writes.ts';
import { decodePageToken } from './page-token.ts';
import { notFoundError } from './store-errors.ts';
import type { ListOptions, NewObject, Page, ReadOptions, Ref, Store, WatchEvent, WatchOptions } from './store.ts';

/** Cached reads are used only while the last successful readiness probe is recent. */
const readinessIntervalMs = 1_000;
const readinessValidMs = 3_000;
/** A zone has far fewer objects than the parts of a list contain that so many requests read. */
const listRequestsMax = 20;

type Parts = {
  server: ApiServer;
  informers: Informers;
  closed: AbortSignal;
};

type Informers = {
  /** Returns undefined for kinds of other systems: they are read from the API server each time, as there may be many. */
  getOrStart: (kind: Kind<StoredObject>) => Informer | undefined;
  /** Returns the informer of a kind only when it already runs. */
  findStarted: (kind: Kind<StoredObject>) => Informer | undefined;
};

/** Opens the store of a cluster: writes and strong reads go to its API server, cached reads to informers. */
export async function openKubernetesStore(
  kubeConfig: KubeConfig,
  roles?: NamespaceRoles,
  orgPodSecurity: PodSecurity = 'restricted',
): Promise<Store> {
  const apiServer = connectApiServer(kubeConfig);
  const server = roles ? withNamespaceAccess(apiServer, roles) : apiServer;
  const closing = new AbortController();
  const parts: Parts = { server, informers: createInformers(server, closing.signal), closed: closing.signal };
  const queue = keyedQueue();
  // An account with roles of its own comes from the chart, which also creates this namespace.
  if (!roles) await ensureNamespace(server, systemNamespace, orgPodSecurity);
  const expectWrite = (kind: Kind<StoredObject>, object: AnyObject): AnyObject => {
    const informer = parts.informers.findStarted(kind);
    if (completesDeletion(object)) informer?.expectDeletion(object.metadata);
    else informer?.expectVersion(object.metadata.resourceVersion);
    return object;
  };

  // Callers choose the type of each kind; inside the store all objects have the type AnyObject.
  return {
    create: async <T extends StoredObject>(kind: Kind<T>, object: NewObject<T>) =>
      expectWrite(kind, await create(server, kind, { given: object, orgPodSecurity })) as T,
    get: async <T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions) =>
      (await get(parts, kind, { ...ref, ...options })) as T,
    find: async <T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions) =>
      (await find(parts, kind, { ...ref, ...options })) as T | undefined,
    list: async <T extends StoredObject>(kind: Kind<T>, options: ListOptions = {}) =>
      (await list(parts, kind, options)) as Page<T>,
    replace: async <T extends StoredObject>(kind: Kind<T>, object: T) =>
      expectWrite(kind, await replace(server, kind, object)) as T,
    put: async (kind, object) =>
      void expectWrite(kind, await put(server, kind, { given: object as NewObject<AnyObject>, orgPodSecurity })),
    updateStatus: async (kind, ref, change) =>
      expectWrite(
        kind,
        await queue(objectPath(kind, ref), () => updateStatus(server, { kind, ref, change: change as never })),
      ) as never,
    restore: async <T extends StoredObject>(kind: Kind<T>, object: T) =>
      expectWrite(kind, await restore(server, kind, { given: object, orgPodSecurity })) as T,
    delete: async (kind, ref, { resourceVersion } = {}) => {
      const removed = await remove(server, { kind, ref, resourceVersion });
      const informer = parts.informers.findStarted(kind);
      if ('deleted' in removed) informer?.expectDeletion(removed.deleted);
      else informer?.expectVersion(removed.resourceVersion);
    },
    deleteNamespace: async (namespace) => await deleteNamespace(server, namespace),
    watch: <T extends StoredObject>(kind: Kind<T>, options: WatchOptions) =>
      watch(parts, kind, options) as AsyncIterable<WatchEvent<T>>,
    revision: (kind, namespace) => parts.informers.findStarted(kind)?.revision(namespace),
    close: async () => {
      closing.abort();
      await server.close();
    },
  };
}

/** Reads and creates objects of other systems in a cluster that holds no resources of the service. */
export function kubernetesObjects(server: ApiServer): Pick<Store, 'create' | 'get' | 'find' | 'list'> {
  const informers: Informers = { getOrStart: () => undefined, findStarted: () => undefined };
  const parts: Parts = { server, informers, closed: new AbortController().signal };
  return {
    create: async <T extends StoredObject>(kind: Kind<T>, object: NewObject<T>) =>
      (await create(server, kind, { given: object, orgPodSecurity: 'restricted' })) as T,
    get: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => (await get(parts, kind, ref)) as T,
    find: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => (await find(parts, kind, ref)) as T | undefined,
    list: async <T extends StoredObject>(kind: Kind<T>, options: ListOptions = {}) =>
      (await list({ ...parts, server: limitRequests(server, listRequestsMax) }, kind, options)) as Page<T>,
  };
}

function createInformers(server: ApiServer, closed: AbortSignal): Informers {
  const started = new Map<string, Informer>();
  let readyAt = 0;
  const probe = async (): Promise<void> => {
    if (await server.isReady()) readyAt = performance.now();
  };
  let timer: NodeJS.Timeout | undefined;
  closed.addEventListener('abort', () => clearInterval(timer));
  const reachable = (): boolean => performance.now() - readyAt < readinessValidMs;
  const findStarted: Informers['findStarted'] = ({ apiVersion, plural }) =>
    apiVersion === ownApiVersion ? started.get(plural) : undefined;
  const getOrStart: Informers['getOrStart'] = (kind) => {
    if (kind.apiVersion !== ownApiVersion || closed.aborted) return undefined;
    const existing = findStarted(kind);
    if (existing) return existing;
    if (!timer) {
      readyAt = performance.now();
      timer = setInterval(() => void probe(), readinessIntervalMs).unref();
    }
    const informer = new Informer({ server, kind, closed, reachable });
    started.set(kind.plural, informer);
    return informer;
  };
  return { getOrStart, findStarted };
}

async function get(parts: Parts, kind: Kind<StoredObject>, ref: Ref & ReadOptions): Promise<AnyObject> {
  const found = await find(parts, kind, ref);
  if (!found) throw notFoundError(kind, ref);
  return found;
}

async function find(
  { server, informers }: Parts,
  kind: Kind<StoredObject>,
  { consistency = 'strong', ...ref }: Ref & ReadOptions,
): Promise<AnyObject | undefined> {
  const cached = consistency === 'cached' ? await informers.getOrStart(kind)?.find(ref) : undefined;
  // An object that the informer lacks may have just been created, so the API server is asked before answering "none".
  if (cached) return cached;
  const raw = await readRaw(server, kind, ref).catch((error: unknown) => {
    throw toServiceError(error, kind, ref);
  });
  if (raw) informers.findStarted(kind)?.expectVersion(raw.metadata.resourceVersion);
  return raw && toStoredObject(kind, raw);
}

async function list(
  { server, informers }: Parts,
  kind: Kind<StoredObject>,
  options: ListOptions,
): Promise<Page<AnyObject>> {
  assertListOptions(options);
  const query = JSON.stringify([kind.apiVersion, kind.kind, options.namespace, options.labels, options.fields]);
  const after = options.continue === undefined ? undefined : decodePageToken(query, options.continue);
  const page =
    options.consistency === 'cached' && options.at === undefined
      ? await informers.getOrStart(kind)?.listPage(options, query, after)
      : undefined;
  if (page) return page;
  const read = await readPage(server, { kind, options, query, after });
  const informer = informers.findStarted(kind);
  for (const { metadata } of read.items) informer?.expectVersion(metadata.resourceVersion);
  return read;
}

async function* watch(
  { server, informers, closed }: Parts,
  kind: Kind<StoredObject>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<AnyObject>> {
  const ended = (): boolean => options.signal.aborted || closed.aborted;
  if (ended()) return;
  const informer = informers.getOrStart(kind);
  if (informer) {
    yield* informer.watch({ ...options, ended });
    return;
  }
  const { namespace, name } = options;
  const selection = {
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { fields: { 'metadata.name': name } }),
  };
  const resourceVersion = options.resourceVersion ?? (await readAll(server, kind, selection)).resourceVersion;
  const signal = AbortSignal.any([options.signal, closed]);
  for await (const { type, object } of watchChanges(server, kind, { ...options, resourceVersion, signal }))
    if (type !== 'BOOKMARK') yield { type, object };
}
