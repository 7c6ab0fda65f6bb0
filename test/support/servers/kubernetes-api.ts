import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { isServiceError, type Reason } from '../../../src/errors.ts';
import { ConfigMapKind, NamespaceKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import type { AnyObject } from '../../../src/store/any-object.ts';
import { encodePageToken } from '../../../src/store/page-token.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { notFoundError, staleVersionError } from '../../../src/store/store-errors.ts';
import { WatchExpiredError, type Ref, type Store } from '../../../src/store/store.ts';

export type KubernetesRequest = { method: string; path: string; query: URLSearchParams; body: AnyObject };
/** A response in place of the one of the server; `lost` applies the request and then drops the connection. */
export type Fault = { status: number; body?: object | string; headers?: Record<string, string> } | 'lost' | undefined;
type AnyKind = Kind<StoredObject>;
type Target = { kind: AnyKind; ref: Ref | undefined; namespace: string | undefined; isStatus: boolean };
type Serving = { store: Store; managers: Map<string, string[]>; kinds: readonly AnyKind[] };

const namespaceFinalizer = 'kubernetes';

/** Serves the part of the Kubernetes API that the store uses. The store contract shows that it behaves as a cluster does. */
export async function startKubernetesApi(
  kinds: readonly AnyKind[],
  getFault: (request: KubernetesRequest) => Fault = () => undefined,
): Promise<{ kubeConfig: KubeConfig; store: Store; stop: () => Promise<void> }> {
  const store = openSqliteStore({ file: ':memory:' });
  const serving: Serving = {
    store,
    managers: new Map(),
    kinds: [...kinds, ConfigMapKind, SecretKind, NamespaceKind] as unknown as AnyKind[],
  };
  const server = createServer((incoming, outgoing) => {
    void respond(serving, { incoming, outgoing, getFault }).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kubeConfig = new KubeConfig();
  const { port } = server.address() as AddressInfo;
  kubeConfig.loadFromClusterAndUser(
    { name: 'test', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'test', token: 'test' },
  );
  return {
    kubeConfig,
    store,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await store.close();
    },
  };
}

type Exchange = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  getFault: (request: KubernetesRequest) => Fault;
};

async function respond(serving: Serving, { incoming, outgoing, getFault }: Exchange): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://kubernetes');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as AnyObject;
  const request = { method: incoming.method ?? '', path, query, body };
  const fault = getFault(request);
  const send = (status: number, content: object | string, headers = {}): void =>
    void outgoing
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof content === 'string' ? content : JSON.stringify(content));
  if (fault !== undefined && fault !== 'lost') return send(fault.status, fault.body ?? '', fault.headers);
  if (path === '/readyz') return send(200, 'ok');
  try {
    const target = findTarget(serving, path);
    if (query.get('watch') === 'true') return await streamChanges(serving, { target, query, outgoing });
    const answer = await apply(serving, target, request);
    if (fault === 'lost') incoming.socket.destroy();
    else send(200, answer);
  } catch (error) {
    const { status, ...details } = toStatus(error);
    if (fault === 'lost') incoming.socket.destroy();
    else send(status, { kind: 'Status', code: status, ...details });
  }
}

function findTarget({ kinds }: Serving, path: string): Target {
  const match = /^\/apis?\/(v1|[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(\/status)?$/.exec(path);
  const [, apiVersion, inNamespace, plural, encodedName, status] = match ?? [];
  const kind = kinds.find((one) => one.apiVersion === apiVersion && one.plural === plural);
  // The pattern takes the name of a Namespace for the namespace of a kind only when something follows.
  if (!kind) throw notFoundError({ kind: String(plural) }, { namespace: '', name: path });
  const name = encodedName === undefined ? undefined : decodeURIComponent(encodedName);
  const namespace = inNamespace === undefined ? undefined : decodeURIComponent(inNamespace);
  return {
    kind,
    namespace,
    ref: name === undefined ? undefined : { namespace: namespace ?? '', name },
    isStatus: status !== undefined,
  };
}

async function apply(serving: Serving, target: Target, request: KubernetesRequest): Promise<object> {
  if (request.method === 'GET')
    return target.ref
      ? toRaw(serving, target.kind, await serving.store.get(target.kind, target.ref))
      : await list(serving, target, request.query);
  const written = await write(serving, target, request);
  await finishDeletions(serving);
  return written;
}

async function write(serving: Serving, { kind, ref, namespace, isStatus }: Target, request: KubernetesRequest) {
  const { store } = serving;
  const { method, body, query } = request;
  const record = (object: StoredObject): object => {
    const { uid } = object.metadata;
    const manager = query.get('fieldManager');
    serving.managers.set(uid, [...(serving.managers.get(uid) ?? []), ...(manager === null ? [] : [manager])]);
    return toRaw(serving, kind, object);
  };
  if (method === 'POST') {
    if (kind.kind !== 'Namespace') await assertNamespaceActive(store, namespace ?? '');
    const finalizers = kind.kind === 'Namespace' ? { finalizers: [namespaceFinalizer] } : {};
    return record(
      await store.create(kind, { ...body, metadata: { ...body.metadata, namespace: namespace ?? '', ...finalizers } }),
    );
  }
  if (!ref) throw new Error('A collection cannot be written.');
  const current = await store.get(kind, ref);
  const given =
    method === 'DELETE'
      ? ((body as { preconditions?: Partial<AnyObject['metadata']> }).preconditions ?? {})
      : body.metadata;
  const { uid = current.metadata.uid, resourceVersion = current.metadata.resourceVersion } = given;
  if (uid !== current.metadata.uid || resourceVersion !== current.metadata.resourceVersion)
    throw staleVersionError(kind, ref);
  if (method === 'DELETE') {
    await store.delete(kind, ref);
    const marked = await store.find(kind, ref);
    return marked ? toRaw(serving, kind, marked) : { kind: 'Status', status: 'Success', metadata: {} };
  }
  if (isStatus) return record(await store.updateStatus(kind as Kind<AnyObject>, ref, () => body.status));
  return record(
    await store.replace(kind, { ...body, metadata: { ...body.metadata, namespace: ref.namespace, resourceVersion } }),
  );
}

async function assertNamespaceActive(store: Store, namespace: string): Promise<void> {
  const found = await store.find(NamespaceKind, { namespace: '', name: namespace });
  if (!found) throw new RefusalError(404, { details: { kind: 'namespaces', name: namespace } });
  if (found.metadata.deletionTimestamp !== undefined)
    throw new RefusalError(403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } });
}

class RefusalError extends Error {
  readonly status: number;
  readonly body: object;
  constructor(status: number, body: object) {
    super();
    this.status = status;
    this.body = body;
  }
}

/** The namespace controller deletes what is in a namespace, and then the namespace. */
async function finishDeletions({ store }: Serving): Promise<void> {
  const { items } = await store.list(NamespaceKind);
  for (const namespace of items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
    const remaining = await store.deleteNamespace(namespace.metadata.name);
    if (remaining.length === 0)
      await store.replace(NamespaceKind, { ...namespace, metadata: { ...namespace.metadata, finalizers: [] } });
    else
      await store.updateStatus(NamespaceKind, namespace.metadata, () => ({
        phase: 'Terminating' as const,
        conditions: [{ type: 'NamespaceContentRemaining', status: 'True', message: remaining.join() }],
      }));
  }
}

async function list({ store, ...serving }: Serving, { kind, namespace }: Target, query: URLSearchParams) {
  const labels = parseSelector(query.get('labelSelector'));
  const fields = parseSelector(query.get('fieldSelector'));
  const unsupported = Object.keys(fields).filter(
    (path) => path !== 'metadata.name' && !kind.selectableFields?.includes(path),
  );
  if (unsupported.length > 0) throw new RefusalError(400, { message: `unsupported: ${unsupported.join()}` });
  const selection = { ...(namespace !== undefined && { namespace }), labels, fields };
  const exact =
    query.get('resourceVersionMatch') === 'Exact'
      ? encodePageToken(JSON.stringify([`${kind.apiVersion}/${kind.kind}`, namespace, labels, fields]), {
          version: Number(query.get('resourceVersion')),
          namespace: '',
          name: '',
        })
      : undefined;
  const token = query.get('continue') ?? exact;
  const page = await store.list(kind, {
    ...selection,
    limit: Number(query.get('limit')),
    ...(token !== undefined && { continue: token }),
  });
  const { resourceVersion, continue: next } = page;
  const items = page.items.map((item) => {
    const { apiVersion: _a, kind: _k, ...raw } = toRaw(serving, kind, item);
    return raw;
  });
  return { metadata: { resourceVersion, ...(next !== undefined && { continue: next }) }, items };
}

const parseSelector = (text: string | null): Record<string, string> =>
  Object.fromEntries(
    (text ?? '')
      .split(/(?<!\\),/)
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', ...value] = pair.split(/(?<!\\)=/);
        return [key, value.join('=').replaceAll(/\\([\\,=])/g, '$1')];
      }),
  );

type Streaming = { target: Target; query: URLSearchParams; outgoing: ServerResponse };

async function streamChanges(serving: Serving, { target: { kind, namespace }, query, outgoing }: Streaming) {
  const closed = new AbortController();
  outgoing.on('close', () => closed.abort());
  outgoing.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const { 'metadata.name': name } = parseSelector(query.get('fieldSelector'));
  const send = (type: string, object: object): void => void outgoing.write(`${JSON.stringify({ type, object })}\n`);
  try {
    const changes = serving.store.watch(kind, {
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      labels: parseSelector(query.get('labelSelector')),
      resourceVersion: query.get('resourceVersion') ?? '',
      signal: closed.signal,
    });
    for await (const { type, object } of changes) send(type, toRaw(serving, kind, object));
  } catch (error) {
    if (!(error instanceof WatchExpiredError)) throw error;
    send('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
  } finally {
    outgoing.end();
  }
}

/** Adds the bookkeeping of Kubernetes; a Namespace is in no namespace, and has its finalizers elsewhere. */
function toRaw({ managers }: Pick<Serving, 'managers'>, kind: AnyKind, object: StoredObject): AnyObject {
  const { finalizers, namespace, ...metadata } = object.metadata;
  const isNamespace = kind.kind === 'Namespace';
  const managedFields = (managers.get(metadata.uid) ?? []).map((manager) => ({ manager }));
  return {
    ...object,
    metadata: {
      ...metadata,
      managedFields,
      ...(!isNamespace && { namespace }),
      ...(!isNamespace && finalizers && { finalizers }),
    } as never,
  };
}

function toStatus(error: unknown): { status: number } & Record<string, unknown> {
  if (error instanceof RefusalError) return { status: error.status, reason: 'Refused', ...error.body };
  if (!isServiceError(error)) return { status: 500, message: String(error) };
  const { message, errors } = error;
  const causes = errors.map(({ pointer, detail }) => ({
    field: pointer.slice(1).replaceAll('/', '.'),
    message: detail,
  }));
  const known = statuses[error.reason];
  return known ? { ...known, message } : { status: 422, reason: 'Invalid', message, details: { causes } };
}

const statuses: Partial<Record<Reason, { status: number; reason: string }>> = {
  'not-found': { status: 404, reason: 'NotFound' },
  'already-exists': { status: 409, reason: 'AlreadyExists' },
  'stale-version': { status: 409, reason: 'Conflict' },
  'expired-page': { status: 410, reason: 'Expired' },
  'too-large': { status: 413, reason: 'RequestEntityTooLarge' },
};
