import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind, NamespaceKind } from '../../src/kinds/kubernetes.ts';
import type { NamespaceRoles } from '../../src/store/kubernetes/namespace-access.ts';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { type Store, WatchExpiredError } from '../../src/store/store.ts';
import { describeStoreContract } from '../contracts/store.ts';
import { buildProbe, expectError, type Probe, ProbeKind, withSize } from '../contracts/store/probe.ts';
import { startKubernetesApi, type Fault, type KubernetesRequest } from '../support/servers/kubernetes-api.ts';
import { startTestApiServer } from '../support/servers/test-api-server.ts';

const open = async () => {
  const server = await startKubernetesApi([ProbeKind]);
  const store = await openKubernetesStore(server.kubeConfig);
  const close = async (): Promise<void> => {
    await store.close();
    await server.stop();
  };
  return { store, reopen: () => openKubernetesStore(server.kubeConfig), close };
};

describe('with strong reads', () => {
  describeStoreContract('Kubernetes', open);
});

describe('with cached reads', () => {
  describeStoreContract('Kubernetes', async () => {
    const opened = await open();
    return { ...opened, store: cachedReads(opened.store) };
  });
});

async function openWithFaults(getFault: (request: KubernetesRequest) => Fault, roles?: NamespaceRoles) {
  const requests: string[] = [];
  const server = await startKubernetesApi([ProbeKind], (request) => {
    requests.push(`${request.method} ${request.path}`);
    return getFault(request);
  });
  const store = await openKubernetesStore(server.kubeConfig, roles);
  onTestFinished(async () => {
    await store.close();
    await server.stop();
  });
  return { store, server, requests };
}

it('recognizes its own write after a lost response, and reports only conflicts with other writers', async () => {
  const tried = new Set<string>();
  const { store } = await openWithFaults(({ method, path, body }) => {
    const attempt = `${method} ${path} ${JSON.stringify(body)}`;
    if (method === 'GET' || tried.has(attempt)) return undefined;
    tried.add(attempt);
    return 'lost';
  });
  const created = await store.create(ProbeKind, buildProbe('org-acme', 'a'));
  await expectError('conflict', store.create(ProbeKind, buildProbe('org-acme', 'a')));
  const replaced = await store.replace(ProbeKind, withSize(created, 2));
  expect(replaced).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
  await expectError('conflict', store.replace(ProbeKind, withSize(created, 3)));
  // A counter reveals a write that is applied twice.
  for (let count = 1; count <= 3; count += 1)
    await store.updateStatus(ProbeKind, created.metadata, ({ status }) => ({ count: (status?.count ?? 0) + 1 }));
  expect((await store.get(ProbeKind, created.metadata)).status).toEqual({ count: 3 });
  await store.delete(ProbeKind, created.metadata);
  expect(await store.find(ProbeKind, created.metadata)).toBeUndefined();
  await expectError('not-found', store.delete(ProbeKind, created.metadata));

  const held = await store.create(ProbeKind, buildProbe('org-acme', 'held', { finalizers: ['service.delivery/hold'] }));
  await store.delete(ProbeKind, held.metadata);
  const marked = await store.get(ProbeKind, held.metadata);
  const released = await store.replace(ProbeKind, { ...marked, metadata: { ...marked.metadata, finalizers: [] } });
  expect(released.metadata.name).toBe('held');
  expect(await store.find(ProbeKind, held.metadata)).toBeUndefined();
});

it('completes the restore of an object that stopped before its status, and replaces no other status', async () => {
  let faults = 1;
  const { store } = await openWithFaults(({ method, path }) =>
    method === 'PUT' && path.endsWith('/status') && (faults -= 1) >= 0 ? { status: 403 } : undefined,
  );
  const { metadata, ...probe } = { ...(await buildArchived(store, 'a')), status: { count: 3 } };
  await expect(store.restore(ProbeKind, { ...probe, metadata })).rejects.toMatchObject({ code: 'unavailable' });
  expect((await store.get(ProbeKind, metadata)).status).toBeUndefined();
  expect(await store.restore(ProbeKind, { ...probe, metadata })).toMatchObject({ status: { count: 3 } });
  await expectError('conflict', store.restore(ProbeKind, { ...probe, metadata, status: { count: 4 } }));
  const other = await store.create(ProbeKind, buildProbe('org-acme', 'b'));
  await expectError('conflict', store.restore(ProbeKind, { ...probe, metadata: { ...metadata, name: 'b' } }));
  expect(await store.get(ProbeKind, other.metadata)).toEqual(other);
  expect((await store.get(ProbeKind, metadata)).status).toEqual({ count: 3 });
});

it('continues the deletion of a restored object after an interruption, but deletes no object that is complete', async () => {
  let faults = 0;
  const { store } = await openWithFaults(({ method, path }) =>
    method === 'DELETE' && path.endsWith('/held') && (faults -= 1) >= 0 ? { status: 403 } : undefined,
  );
  const finalizers = ['service.delivery/hold'];
  const { metadata, spec } = await buildArchived(store, 'held');
  faults = 1;
  const deletionTimestamp = metadata.creationTimestamp;
  const status = { count: 3 };
  const deleted = { ...metadata, finalizers, deletionTimestamp };
  const archived = { apiVersion: ProbeKind.apiVersion, kind: ProbeKind.kind, metadata: deleted, spec, status };
  await expect(store.restore(ProbeKind, archived)).rejects.toMatchObject({ code: 'unavailable' });
  expect((await store.get(ProbeKind, metadata)).metadata.deletionTimestamp).toBeUndefined();
  const { metadata: continued, ...rest } = await store.restore(ProbeKind, archived);
  expect(continued.deletionTimestamp).toBeDefined();
  expect(rest).toMatchObject({ status });

  const alive = { ...archived, metadata: { ...metadata, name: 'alive', finalizers } };
  await store.restore(ProbeKind, alive);
  await expectError(
    'conflict',
    store.restore(ProbeKind, { ...alive, metadata: { ...alive.metadata, deletionTimestamp } }),
  );
  expect((await store.get(ProbeKind, alive.metadata)).metadata.deletionTimestamp).toBeUndefined();
});

it('creates an object of another system without its status, which that system writes', async () => {
  const { store, requests } = await openWithFaults(() => undefined);
  const { apiVersion, kind } = NamespaceKind;
  const { metadata } = await store.get(NamespaceKind, { namespace: '', name: systemNamespace });
  const status = { phase: 'Terminating' as const };
  const archived = { apiVersion, kind, metadata: { ...metadata, name: 'shop-rc' }, status };
  await store.restore(NamespaceKind, archived);
  await expectError('conflict', store.restore(NamespaceKind, archived));
  expect(requests.filter((request) => request.endsWith('/status'))).toEqual([]);
});

it.each([
  ['that was accepted', 7, { [acceptedGenerationAnnotation]: '7' }, '1'],
  ['whose latest spec was not accepted', 7, { [acceptedGenerationAnnotation]: '1' }, '0'],
  ['that another client created', 1, {}, undefined],
])('restores an object %s as such, in its new generation', async (_, generation, annotations, accepted) => {
  const { store } = await openWithFaults(() => undefined);
  const { metadata, ...probe } = await buildArchived(store, 'a');
  const restored = await store.restore(ProbeKind, { ...probe, metadata: { ...metadata, generation, annotations } });
  expect(restored.metadata.generation).toBe(1);
  expect(restored.metadata.annotations?.[acceptedGenerationAnnotation]).toBe(accepted);
});

/** Returns an object that exists no more. */
async function buildArchived(store: Store, name: string): Promise<Probe> {
  const probe = await store.create(ProbeKind, buildProbe('org-acme', name));
  await store.delete(ProbeKind, probe.metadata);
  return probe;
}

it('retries a delete that another write overtook, but not one of a certain version', async () => {
  let conflicts = 1;
  const { store } = await openWithFaults(({ method, path }) => {
    if (method !== 'DELETE' || !path.includes('probes') || (conflicts -= 1) < 0) return undefined;
    return { status: 409, body: { reason: 'Conflict' } };
  });
  const { metadata } = await store.create(ProbeKind, buildProbe('org-acme', 'a'));
  await store.delete(ProbeKind, metadata);
  expect(await store.find(ProbeKind, metadata)).toBeUndefined();
  const other = await store.create(ProbeKind, buildProbe('org-acme', 'b'));
  conflicts = 1;
  const { resourceVersion } = other.metadata;
  await expectError('conflict', store.delete(ProbeKind, other.metadata, { resourceVersion }));
});

it('leaves an object alone that took the name of the deleted one before a lost response was repeated', async () => {
  let deletes = 0;
  const { store, server } = await openWithFaults(({ method, path }) => {
    if (method !== 'DELETE' || !path.includes('probes')) return undefined;
    deletes += 1;
    if (deletes === 1) return 'lost';
    if (deletes === 2) void server.store.create(ProbeKind, buildProbe('org-acme', 'a'));
    return undefined;
  });
  const { metadata } = await store.create(ProbeKind, buildProbe('org-acme', 'a'));
  await store.delete(ProbeKind, metadata);
  expect(deletes).toBe(2);
  expect((await store.get(ProbeKind, metadata)).metadata.uid).not.toBe(metadata.uid);
});

it('reads long lists in parts, and lists an unknown namespace as empty', async () => {
  const { store, requests } = await openWithFaults(({ path }) =>
    path.includes('/org-gone/')
      ? { status: 404, body: { reason: 'NotFound', details: { kind: 'namespaces' } } }
      : undefined,
  );
  const names = Array.from({ length: 501 }, (_, index) => `p-${String(index).padStart(3, '0')}`);
  for (const name of names) await store.create(ConfigMapKind, { metadata: { namespace: 'org-acme', name } });
  requests.length = 0;
  const { items } = await store.list(ConfigMapKind, { namespace: 'org-acme' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  expect(requests).toHaveLength(2);
  const first = await store.list(ConfigMapKind, { namespace: 'org-acme', limit: 1 });
  await store.delete(ConfigMapKind, { namespace: 'org-acme', name: 'p-500' });
  const rest = await store.list(ConfigMapKind, { namespace: 'org-acme', limit: 600, continue: first.continue ?? '' });
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(1));
  expect((await store.list(ConfigMapKind, { namespace: 'org-gone' })).items).toEqual([]);
});

it('refuses to read and write where the account has no right, and a page that is no longer kept', async () => {
  let fault: Fault;
  const { store } = await openWithFaults(({ path }) => (path.includes('probes') ? fault : undefined));
  for (const name of ['a', 'b']) await store.create(ProbeKind, buildProbe('org-acme', name));
  const { continue: token = '' } = await store.list(ProbeKind, { namespace: 'org-acme', limit: 1 });
  fault = { status: 410, body: { reason: 'Expired' } };
  const expired = store.list(ProbeKind, { namespace: 'org-acme', limit: 1, continue: token });
  expect((await expectError('invalid', expired)).message).toContain('too much has changed');
  fault = { status: 403, body: { reason: 'Forbidden', message: 'no right' } };
  const a = { namespace: 'org-acme', name: 'a' };
  for (const call of [
    () => store.find(ProbeKind, a),
    () => store.list(ProbeKind),
    () => store.delete(ProbeKind, a),
    () => store.updateStatus(ProbeKind, a, () => ({ count: 1 })),
    () => store.create(ProbeKind, buildProbe('org-acme', 'c')),
    () => store.put(ProbeKind, buildProbe('org-acme', 'c')),
  ])
    expect((await expectError('unavailable', call())).message).toContain('no right. Grant the service account');
});

it('deletes only a namespace that the service created', async () => {
  const { store } = await openWithFaults(() => undefined);
  await store.create(NamespaceKind, { metadata: { namespace: '', name: 'org-theirs' } });
  await expect(store.deleteNamespace('org-theirs')).rejects.toMatchObject({ reason: 'namespace-taken' });
  expect(await store.find(NamespaceKind, { namespace: '', name: 'org-theirs' })).toBeDefined();
  await store.create(ProbeKind, buildProbe('org-acme', 'a'));
  const { metadata } = await store.get(NamespaceKind, { namespace: '', name: 'org-acme' });
  // The builds of an org run in its namespace.
  expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  const { metadata: system } = await store.get(NamespaceKind, { namespace: '', name: 'service-system' });
  expect(system.labels).not.toHaveProperty('pod-security.kubernetes.io/enforce');
});

it('creates no namespace that is not its own', async () => {
  const { store } = await openWithFaults(() => undefined);
  await expectError('not-found', store.create(ProbeKind, buildProbe('kube-system', 'a')));
});

const roles = {
  orgRole: 'org-role',
  zoneRole: 'zone-role',
  account: { namespace: 'service', name: 'worker' },
};

it.each([
  ['org-acme', 'org-role'],
  ['shop-rc', 'zone-role'],
])('binds its role in %s when the namespace denies access', async (namespace, role) => {
  const bound: object[] = [];
  const { store, requests } = await openWithFaults(({ path, body }) => {
    if (path.endsWith('/rolebindings')) {
      bound.push(body);
      return { status: 201, body: {} };
    }
    return path.includes('/configmaps') && bound.length === 0
      ? { status: 403, body: { reason: 'Forbidden' } }
      : undefined;
  }, roles);
  await store.create(NamespaceKind, { metadata: { namespace: '', name: namespace } });
  await store.create(ConfigMapKind, { metadata: { namespace, name: 'a' } });
  expect(bound).toMatchObject([
    { metadata: { name: `${role}.service`, namespace }, roleRef: { name: role }, subjects: [{ name: 'worker' }] },
  ]);
  expect(requests.filter((request) => request.endsWith('/rolebindings'))).toEqual([
    `POST /apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
  ]);
});

it('binds its role where an installation in another namespace has left its binding', async () => {
  const bindings = new Map<string, { subjects: { namespace: string }[] }>();
  const findAs = async (accountNamespace: string) => {
    const account = { ...roles.account, namespace: accountNamespace };
    const { store } = await openWithFaults(
      ({ path, body }) => {
        const isBound = [...bindings.values()].some(({ subjects: [one] }) => one?.namespace === accountNamespace);
        if (path.includes('/configmaps')) return isBound ? undefined : { status: 403, body: { reason: 'Forbidden' } };
        if (!path.endsWith('/rolebindings')) return undefined;
        const { name } = body.metadata;
        if (bindings.has(name)) return { status: 409, body: { reason: 'AlreadyExists' } };
        bindings.set(name, body as unknown as { subjects: { namespace: string }[] });
        return { status: 201, body: {} };
      },
      { ...roles, account },
    );
    return await store.find(ConfigMapKind, { namespace: 'org-acme', name: 'a' });
  };
  expect(await findAs('before')).toBeUndefined();
  expect(await findAs('service')).toBeUndefined();
});

it.each([
  ['denies the binding', { status: 403, body: { reason: 'Forbidden' } }],
  ['refuses the role', { status: 422, body: { reason: 'Invalid' } }],
  ['has no such role', { status: 404, body: { reason: 'NotFound', details: { kind: 'clusterroles' } } }],
])('reports the missing right when the cluster %s, and asks for the binding once', async (_, answer) => {
  const { store, requests } = await openWithFaults(({ path }) => {
    if (path.endsWith('/rolebindings')) return answer;
    return path.includes('/configmaps')
      ? { status: 403, body: { reason: 'Forbidden', message: 'no right' } }
      : undefined;
  }, roles);
  const ref = { namespace: 'org-acme', name: 'a' };
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect((await expectError('unavailable', store.find(ConfigMapKind, ref))).message).toContain('no right');
  expect(requests.filter((request) => request.endsWith('/rolebindings'))).toHaveLength(1);
});

it('has no effect on a binding that exists, and asks again where the namespace is new', async () => {
  let isMissing = true;
  let denials = 2;
  const { store } = await openWithFaults(({ path }) => {
    if (path.endsWith('/rolebindings')) {
      if (!isMissing) return { status: 409, body: { reason: 'AlreadyExists' } };
      isMissing = false;
      return { status: 404, body: { reason: 'NotFound', details: { kind: 'namespaces' } } };
    }
    return path.includes('/configmaps') && (denials -= 1) >= 0
      ? { status: 403, body: { reason: 'Forbidden' } }
      : undefined;
  }, roles);
  const ref = { namespace: 'org-acme', name: 'a' };
  expect(await store.find(ConfigMapKind, ref)).toBeUndefined();
  expect(await store.find(ConfigMapKind, ref)).toBeUndefined();
});

it('watches each of its kinds once, whatever the number of readers, and ends everything when it is closed', async () => {
  const { store, requests } = await openWithFaults(() => undefined);
  const seen: string[] = [];
  const watch = async (): Promise<void> => {
    for await (const { object } of store.watch(ProbeKind, { signal: new AbortController().signal }))
      seen.push(object.metadata.name);
  };
  const watches = [watch(), watch(), watch()];
  let number = 0;
  await expect
    .poll(async () => {
      await store.create(ProbeKind, buildProbe('org-acme', `p-${(number += 1)}`));
      return seen.length;
    })
    .toBeGreaterThanOrEqual(3);
  // One list and one watch; reads are of one object each.
  expect(requests.filter((request) => request.endsWith('/probes') && request.startsWith('GET'))).toHaveLength(2);
  await store.close();
  await Promise.all(watches);
  await expect(store.find(ProbeKind, { namespace: 'org-acme', name: 'p-1' })).rejects.toThrow(/abort|destroyed/);
});

it('lists nothing older than a list that the API server answered while the cache was stale', async () => {
  const build = (name: string, resourceVersion: string) => ({
    ...buildProbe('org-acme', name),
    metadata: { namespace: 'org-acme', name, uid: name, resourceVersion },
  });
  const versions = { a: '4', b: '5' };
  let sendChange = (_object: object): void => undefined;
  const server = await startTestApiServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://api.test');
    if (searchParams.has('watch')) {
      response.writeHead(200).flushHeaders();
      sendChange = (object) => void response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
      return;
    }
    const items = [build('a', versions.a), build('b', versions.b)];
    if (pathname.endsWith('/probes')) response.end(JSON.stringify({ items, metadata: { resourceVersion: '10' } }));
    else response.end(JSON.stringify(pathname.endsWith('/b') ? items[1] : {}));
  });
  const store = await openKubernetesStore(server);
  onTestFinished(() => store.close());
  const listA = async () => (await cachedReads(store).list(ProbeKind)).items[0]?.metadata.resourceVersion;
  expect(await listA()).toBe('4');
  versions.b = '12';
  versions.a = '13';
  await store.get(ProbeKind, { namespace: 'org-acme', name: 'b' });
  expect(await listA()).toBe('13');
  sendChange(build('b', '12'));
  await expect(cachedReads(store).find(ProbeKind, { namespace: 'org-acme', name: 'b' })).resolves.toBeDefined();
  expect(await listA()).toBe('13');
});

it('refuses to watch from no version', async () => {
  const { store } = await openWithFaults(() => undefined);
  const events = store.watch(ProbeKind, { resourceVersion: '', signal: AbortSignal.timeout(60_000) });
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow(WatchExpiredError);
});
