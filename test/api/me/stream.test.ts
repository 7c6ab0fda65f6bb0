import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { loadConfig } from '../../../src/config.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import type { Store } from '../../../src/store/store.ts';
import { readEvents } from '../../support/read-events.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { createOrg, startApi, type ApiHarness, type CallerRole } from '../../support/start-api.ts';

const createProduct = async (store: Store, { org = 'acme', name = 'shop', zones = ['shop-rc', 'shop-prod'] } = {}) =>
  await store.create(ProductKind, {
    metadata: { namespace: `org-${org}`, name },
    spec: { repos: [], delivery: { zones: zones.map((zone) => ({ name: zone })) } },
  });

async function createRun(store: Store, { name = 'run-1', phase = 'Running' as RunPhase } = {}) {
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace: 'org-acme', name },
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo@example.com', steps: [], roles: {} },
  });
  await setPhase(store, name, phase);
}
const setPhase = async (store: Store, name: string, phase: RunPhase): Promise<void> =>
  void (await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, () => ({
    phase,
    mergeCommit: 'c',
    steps: [
      {
        name: 'approve',
        phase: phase === 'WaitingForPerson' ? ('Waiting' as const) : ('Running' as const),
        startedAt: '2026-11-20T10:00:00.000Z',
      },
    ],
  })));

type OpenOptions = { id?: string; role?: CallerRole; headers?: Record<string, string> };

/** Opens a stream, which the end of the test closes. */
async function openStream({ request }: ApiHarness, topics: string, { id, role, headers }: OpenOptions = {}) {
  const response = await request(`/v1/me/stream?topics=${topics}`, {
    ...(role && { role }),
    headers: { ...(id !== undefined && { 'Last-Event-ID': id }), ...headers },
  });
  expect(response.status).toBe(200);
  const events = readEvents(response);
  onTestFinished(async () => await events.close().catch(() => undefined));
  return events;
}

describe('streamTopics', () => {
  it('200: names the topics to read, then sends the views of the lists as they change', async () => {
    const api = await startApi({ role: 'member' });
    await createProduct(api.store);
    const { next } = await openStream(api, 'products:acme,agentworkflowruns:acme');
    expect(await next()).toMatchObject({
      event: 'relist',
      data: { topics: ['products:acme', 'agentworkflowruns:acme'] },
    });
    await createRun(api.store);
    const { items } = (await (await api.request('/v1/orgs/acme/agentworkflowruns')).json()) as { items: unknown[] };
    let event = await next();
    while ((event.data?.['view'] as { status?: object } | undefined)?.status === undefined) event = await next();
    expect(event).toMatchObject({ event: 'changed', id: expect.stringMatching(/agentworkflowruns:\d+/) });
    expect(event.data).toEqual({ topic: 'agentworkflowruns:acme', name: 'run-1', view: items[0] });
    await api.store.delete(ProductKind, { namespace: 'org-acme', name: 'shop' });
    expect(await next()).toMatchObject({
      event: 'deleted',
      data: { topic: 'products:acme', name: 'shop', resourceVersion: expect.stringMatching(/^\d+$/) },
    });
  });

  it('200: sends the detailed view of one item, also when its Release changes', async () => {
    const api = await startApi({ role: 'member' });
    for (const name of ['run-1', 'run-2']) await createRun(api.store, { name });
    const { next } = await openStream(api, 'agentworkflowruns:acme/run-1');
    await next();
    await setPhase(api.store, 'run-2', 'Succeeded');
    await api.store.create(ReleaseKind, {
      metadata: { namespace: 'org-acme', name: 'shop-v1.0.0', labels: { [runLabel]: 'run-1' } },
      spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' },
    });
    const run: unknown = await (await api.request('/v1/orgs/acme/agentworkflowruns/run-1')).json();
    expect(run).toMatchObject({ release: 'shop-v1.0.0' });
    expect(await next()).toMatchObject({ event: 'changed', data: { name: 'run-1', view: run } });
  });

  it('200: sends the zones of a changed Product, and deletes those that it has no more', async () => {
    const api = await startApi({ role: 'member' });
    const product = await createProduct(api.store);
    const { next } = await openStream(api, 'zones:acme,zones:acme/shop-prod');
    await next();
    await api.store.replace(ProductKind, {
      ...product,
      spec: { repos: [], delivery: { zones: [{ name: 'shop-rc' }] } },
    });
    const events = [await next(), await next(), await next()];
    expect(
      events.map(({ event, data }) => `${event} ${String(data?.['topic'])} ${String(data?.['name'])}`).toSorted(),
    ).toEqual(['changed zones:acme shop-rc', 'deleted zones:acme shop-prod', 'deleted zones:acme/shop-prod shop-prod']);
    const changed = events.find(({ event }) => event === 'changed');
    const { items } = (await (await api.request('/v1/orgs/acme/products/shop/zones')).json()) as { items: unknown[] };
    expect(changed?.data?.['view']).toEqual(items[0]);
  });

  it('200: resumes after the last event, and relists after an id that is not known', async () => {
    const api = await startApi({ role: 'member' });
    const first = await openStream(api, 'products:acme');
    await first.next();
    await createProduct(api.store);
    const { id } = await first.next();
    await createProduct(api.store, { name: 'till', zones: [] });
    const second = await openStream(api, 'products:acme', { id: id ?? '' });
    expect(await second.next()).toMatchObject({ event: 'changed', data: { name: 'till' } });
    await Promise.all([first.close(), second.close()]);
    // No stream is open now, and the store has kept the changes.
    const third = await openStream(api, 'products:acme', { id: id ?? '' });
    expect(await third.next()).toMatchObject({ event: 'changed', data: { name: 'till' } });
    for (const unknown of ['7', 'products:x', `products:${'9'.repeat(19)}`, 'releases:1']) {
      const { next, close } = await openStream(api, 'products:acme', { id: unknown });
      expect(await next(), unknown).toMatchObject({ event: 'relist', data: { topics: ['products:acme'] } });
      await close();
    }
  });

  it('200: gives no id to resume from with a sign of life while a change is on its way', async () => {
    const memory = openMemoryStore();
    onTestFinished(async () => await memory.close());
    const gate = Promise.withResolvers<void>();
    const find: Store['find'] = async (kind, ref) => {
      if (kind.kind === 'Product') await gate.promise;
      return await memory.find(kind, ref);
    };
    const api = await startApi({ role: 'member', store: { ...memory, find }, streamHeartbeatMs: 20 });
    const response = await api.request('/v1/me/stream?topics=products:acme');
    let text = '';
    const reading = response.body?.pipeTo(
      new WritableStream({ write: (chunk: Uint8Array) => void (text += new TextDecoder().decode(chunk)) }),
    );
    onTestFinished(async () => {
      await memory.close();
      await reading?.catch(() => undefined);
    });
    const countBeats = (): number => text.split(': keep-alive').length - 1;
    await expect.poll(() => text).toContain('event: relist');
    await createProduct(api.store);
    const before = countBeats();
    await expect.poll(countBeats).toBeGreaterThan(before + 2);
    const ids = [...text.matchAll(/^id: products:(\d+)$/gm)].map(([, version]) => Number(version));
    gate.resolve();
    await expect.poll(() => text).toContain('event: changed');
    const sent = /event: changed\n.*\nid: products:(\d+)/.exec(text)?.[1];
    expect(ids.filter((id) => id >= Number(sent))).toEqual([]);
  });

  it('200: closes only the topics of an org whose role was lost, and sends nothing of them', async () => {
    const api = await startApi({ role: 'viewer' });
    await createOrg(api.store, 'other');
    const members = ['viewer@example.com'];
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-other', name: 'viewers' },
      spec: { name: 'viewers', role: 'viewer', members },
    });
    const { next } = await openStream(api, 'products:acme,releases:acme,products:other');
    await next();
    await api.store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'viewers' });
    await createProduct(api.store);
    expect(await next()).toMatchObject({
      event: 'closed',
      data: {
        topics: ['products:acme', 'releases:acme'],
        reason: 'insufficient-role',
        detail: expect.stringContaining('org "acme"'),
      },
    });
    await createProduct(api.store, { org: 'other', name: 'till', zones: [] });
    expect(await next()).toMatchObject({ event: 'changed', data: { topic: 'products:other', name: 'till' } });
  });

  it('200: treats an org without a role like one that does not exist', async () => {
    const api = await startApi({ role: 'viewer' });
    await createOrg(api.store, 'other');
    const { next } = await openStream(api, 'products:other,products:nowhere,products:acme');
    const closed = [await next(), await next()];
    const texts = closed.map(({ event, data }) => `${event} ${JSON.stringify(data)}`.replaceAll(/other|nowhere/g, 'x'));
    expect(texts[0]).toMatch(/^closed .*insufficient-role/);
    expect(texts[0]).toBe(texts[1]);
    expect(await next()).toMatchObject({ event: 'relist', data: { topics: ['products:acme'] } });
  });

  it('200: has the topics of an org read again when the role or the approval rules change', async () => {
    const api = await startApi({ role: 'viewer' });
    const { next } = await openStream(api, 'products:acme');
    await next();
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'more' },
      spec: { name: 'more', role: 'member', members: ['viewer@example.com'] },
    });
    const relist = { event: 'relist', data: { topics: ['products:acme'] } };
    expect(await next()).toMatchObject(relist);
    const org = await api.store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    await api.store.replace(OrganizationKind, {
      ...org,
      spec: { ...org.spec, approvals: { preventSelfApproval: true } },
    });
    expect(await next()).toMatchObject(relist);
  });

  it('200: sends each caller the actions of their own role', async () => {
    const api = await startApi();
    const streams = await Promise.all(
      (['viewer', 'org-admin'] as const).map(async (role) => await openStream(api, 'products:acme', { role })),
    );
    for (const { next } of streams) await next();
    await createProduct(api.store);
    const allowed = await Promise.all(
      streams.map(async ({ next }) => {
        const view = (await next()).data?.['view'] as { actions: { allowed: boolean }[] } | undefined;
        return view?.actions.some((action) => action.allowed);
      }),
    );
    expect(allowed).toEqual([false, true]);
  });

  it('200: asks to read what waits only when that has changed', async () => {
    const api = await startApi({ role: 'member' });
    await createRun(api.store);
    const { next } = await openStream(api, 'waiting,agentworkflowruns:acme');
    const seen: string[] = [];
    const readUntil = async (phase: RunPhase): Promise<void> => {
      for (;;) {
        const { event, data } = await next();
        const status = (data?.['view'] as { status?: { phase: string } } | undefined)?.status;
        seen.push(event === 'relist' ? `relist ${String(data?.['topics'])}` : `changed ${status?.phase}`);
        if (status?.phase === phase) return;
      }
    };
    await setPhase(api.store, 'run-1', 'Cancelled');
    await readUntil('Cancelled');
    seen.length = 0;
    await setPhase(api.store, 'run-1', 'Running');
    await readUntil('Running');
    expect(seen).toEqual(['changed Running']);
    await setPhase(api.store, 'run-1', 'WaitingForPerson');
    await readUntil('WaitingForPerson');
    expect(seen).toEqual(['changed Running', 'relist waiting', 'changed WaitingForPerson']);
  });

  it('200: asks no viewer to read what waits for others, and ends every watch with the stream', async () => {
    const store = openMemoryStore();
    onTestFinished(async () => await store.close());
    const open: string[] = [];
    const watch: Store['watch'] = (kind, options) => {
      open.push(kind.kind);
      options.signal.addEventListener('abort', () => open.splice(open.indexOf(kind.kind), 1));
      return store.watch(kind, options);
    };
    const api = await startApi({ role: 'viewer', store: { ...store, watch } });
    // The first token of a role adds its access group, which has the topics read again.
    for (const role of ['viewer', 'member'] as const) await api.tokenFor(role);
    const viewer = await openStream(api, 'waiting,agentroles:acme');
    const member = await openStream(api, 'waiting', { role: 'member' });
    for (const { next } of [viewer, member]) await next();
    await createRun(store, { phase: 'WaitingForPerson' });
    expect(await member.next()).toMatchObject({ event: 'relist', data: { topics: ['waiting'] } });
    const metadata = { namespace: 'org-acme', name: 'writer' };
    await store.create(AgentRoleKind, { metadata, spec: { responsibilities: ['Work.'] } });
    expect(await viewer.next()).toMatchObject({ event: 'changed', data: { name: 'writer' } });
    expect(open).toContain('AgentWorkflowRun');
    for (const { close } of [viewer, member]) await close();
    await expect.poll(() => open).toEqual([]);
  });

  it('200: follows what waits in an org in which the caller gets a role', async () => {
    const api = await startApi({ role: 'no-role' });
    const { next } = await openStream(api, 'waiting');
    const relist = { event: 'relist', data: { topics: ['waiting'] } };
    expect(await next()).toMatchObject(relist);
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'more' },
      spec: { name: 'more', role: 'member', members: ['no-role@example.com'] },
    });
    expect(await next()).toMatchObject(relist);
    await createRun(api.store, { phase: 'WaitingForPerson' });
    expect(await next()).toMatchObject(relist);
  });

  it.each([
    [
      'the token is revoked',
      async (store: Store, token: string) =>
        await store.delete(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) }),
    ],
    [
      'the user is removed',
      async (store: Store) => {
        const { items } = await store.list(UserKind);
        for (const { metadata } of items) await store.delete(UserKind, metadata);
      },
    ],
  ])('200: ends at once when %s, before the next heartbeat', async (_what, revoke) => {
    const api = await startApi({ role: 'member' });
    const { next } = await openStream(api, 'products:acme');
    await next();
    await revoke(api.store, (await api.tokenFor('member')) ?? '');
    expect(await next()).toMatchObject({ event: 'closed', data: { reason: 'token-revoked' } });
    await expect(next()).rejects.toThrow('ended');
  });

  it('200: ends when the credential expires', async () => {
    const hourMs = 3_600_000;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    let now = new Date();
    const api = await startApi({ role: 'member', now: () => now });
    const name = tokenName((await api.tokenFor('member')) ?? '');
    const token = await api.store.get(ApiTokenKind, { namespace: systemNamespace, name });
    const expiresAt = new Date(now.getTime() + hourMs);
    await api.store.replace(ApiTokenKind, { ...token, spec: { ...token.spec, expiresAt: expiresAt.toISOString() } });
    const { next } = await openStream(api, 'products:acme');
    await next();
    now = expiresAt;
    const [atExpiry] = timers.mock.calls.find(([, delayMs]) => delayMs === hourMs) ?? [];
    expect(atExpiry).toBeDefined();
    atExpiry?.();
    expect(await next()).toMatchObject({ event: 'closed', data: { reason: 'token-expired' } });
  });

  it('200: shares one watch of a kind between all streams, and ends it with the last one', async () => {
    const store = openMemoryStore();
    onTestFinished(async () => await store.close());
    const open: string[] = [];
    const watch: Store['watch'] = (kind, options) => {
      open.push(kind.kind);
      options.signal.addEventListener('abort', () => open.splice(open.indexOf(kind.kind), 1));
      return store.watch(kind, options);
    };
    const api = await startApi({ role: 'member', store: { ...store, watch } });
    const streams = [];
    for (let index = 0; index < 5; index += 1) streams.push(await openStream(api, 'products:acme,zones:acme'));
    for (const { next } of streams) await next();
    const kinds = ['AccessGroup', 'ApiToken', 'Organization', 'Product', 'Release', 'User'];
    expect(open.toSorted()).toEqual(kinds);
    for (const { close } of streams) await close();
    await expect.poll(() => open).toEqual([]);
  });

  it('200: takes a hundred topics, and each of them once', async () => {
    const api = await startApi({ role: 'member' });
    const topics = Array.from({ length: 100 }, (_, index) => `products:acme/shop-${index}`);
    const { next } = await openStream(api, [...topics, topics[0]].join());
    expect(await next()).toMatchObject({ event: 'relist', data: { topics } });
  });

  it('200: has the lists read again after more changes than are kept for a client', async () => {
    const api = await startApi({ role: 'member' });
    const { next } = await openStream(api, 'waiting,agentroles:acme');
    await next();
    const spec = { responsibilities: ['Work.'] };
    const create = async (index: number) =>
      await api.store.create(AgentRoleKind, { metadata: { namespace: 'org-acme', name: `role-${index}` }, spec });
    await Promise.all(Array.from({ length: 1_020 }, (_, index) => create(index)));
    let event = await next();
    while (event.event !== 'relist') event = await next();
    expect(event.data).toEqual({ topics: ['agentroles:acme', 'waiting'] });
  });

  it('200: sends the deliveries of an AgentWorkflow, and the views of agents and domains', async () => {
    const api = await startApi({ role: 'member' });
    const topics = [
      'deliveries:acme/change',
      'agentroles:acme',
      'agentworkflows:acme',
      'domains:acme',
      'releases:acme',
    ];
    const { next } = await openStream(api, topics.join());
    await next();
    const namespace = 'org-acme';
    const delivery = {
      agentWorkflow: 'change',
      deliveryId: 'd1',
      event: 'issue.labeled',
      repo: 'acme/shop',
      number: 7,
    };
    for (const agentWorkflow of ['other', 'change'])
      await api.store.create(DeliveryKind, {
        metadata: { namespace, name: `d1-${agentWorkflow}`, labels: { [agentWorkflowLabel]: agentWorkflow } },
        spec: { ...delivery, agentWorkflow, at: '2027-01-01T00:00:00.000Z' },
      });
    expect((await next()).data).toMatchObject({ topic: topics[0], name: 'd1-change', view: delivery });
    const steps = [{ name: 'approve', type: 'human' as const }];
    const domain = 'shop.example.com';
    const created: [Promise<unknown>, string, string, object][] = [
      [
        api.store.create(AgentRoleKind, {
          metadata: { namespace, name: 'writer' },
          spec: { responsibilities: ['Work.'] },
        }),
        'agentroles:acme',
        'writer',
        { kind: 'AgentRole' },
      ],
      [
        api.store.create(AgentWorkflowKind, {
          metadata: { namespace, name: 'change' },
          spec: { enabled: true, triggers: [], steps },
        }),
        'agentworkflows:acme',
        'change',
        { kind: 'AgentWorkflow' },
      ],
      [
        api.store.create(DomainKind, {
          metadata: { namespace, name: domain },
          spec: { name: domain, kind: 'external', shared: false, token: 'secret' },
        }),
        'domains:acme',
        domain,
        { kind: 'Domain' },
      ],
    ];
    for (const [creation, topic, name, view] of created) {
      await creation;
      expect((await next()).data).toMatchObject({ topic, name, view });
    }
  });

  it('200: sends a caller of an org with approval rules their own actions', async () => {
    const api = await startApi({ role: 'member' });
    const org = await api.store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    const approvals = { preventSelfApproval: true };
    await api.store.replace(OrganizationKind, { ...org, spec: { ...org.spec, approvals } });
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'more' },
      spec: { name: 'more', role: 'member', members: ['no-role@example.com'] },
    });
    const streams = await Promise.all(
      (['member', 'no-role'] as const).map(async (role) => await openStream(api, 'releases:acme', { role })),
    );
    for (const { next } of streams) await next();
    const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
    const spec = {
      product: 'shop',
      repo: 'acme/shop',
      commit: 'c',
      version: 'v1.0.0',
      startedBy: 'member@example.com',
    };
    await api.store.create(ReleaseKind, { metadata: ref, spec });
    for (const { next } of streams) await next();
    const zones = [{ name: 'shop-prod', phase: 'WaitingForApproval' as const }];
    await api.store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones }));
    const allowed = await Promise.all(
      streams.map(async ({ next }) => {
        const view = (await next()).data?.['view'] as { actions: { name: string; allowed: boolean }[] };
        return view.actions.find(({ name }) => name === 'approvePromotion')?.allowed;
      }),
    );
    expect(allowed).toEqual([false, true]);
  });

  it('422: names the topic that is wrong, and what to write', async () => {
    const { request } = await startApi({ role: 'member' });
    for (const [topics, detail] of [
      ['pods:acme', 'has the unknown kind "pods" in "pods:acme": use products, zones, agentworkflowruns'],
      ['waiting,products', 'has the malformed topic "products": write "<kind>:<org>"'],
      ['products:Acme', 'has the malformed topic "products:Acme"'],
      ['products:acme/shop/more', 'has the malformed topic'],
      ['products:acme,', 'has the malformed topic ""'],
      [
        Array.from({ length: 101 }, (_, index) => `products:org-${index}`).join(),
        'must have at most 100 topics, not 101',
      ],
    ] as const) {
      const response = await request(`/v1/me/stream?topics=${topics}`);
      expect(await response.json(), topics).toMatchObject({
        status: 422,
        errors: [{ pointer: '?topics', detail: expect.stringContaining(detail) }],
      });
    }
    expect((await request('/v1/me/stream')).status).toBe(422);
  });

  it('counts no stream that its client has left before the store lists what it follows', async () => {
    const store = openMemoryStore();
    const list: Store['list'] = async (kind, options) => {
      if (kind.plural === DeliveryKind.plural) throw new Error('The cluster has no such kind.');
      return await store.list(kind, options);
    };
    const config = { quotas: { ...loadConfig({}).quotas, streamsPerUser: 1 } };
    const api = await startApi({ role: 'member', store: { ...store, list }, config });
    onTestFinished(async () => await store.close());
    const stream = await openStream(api, 'deliveries:acme');
    await stream.close();
    await expect.poll(async () => (await api.request('/v1/me/stream?topics=products:acme')).status).toBe(200);
  });

  it('429: counts the streams of a person', async () => {
    const api = await startApi({ role: 'member', config: { quotas: { ...loadConfig({}).quotas, streamsPerUser: 1 } } });
    const { close } = await openStream(api, 'products:acme');
    expect((await api.request('/v1/me/stream?topics=waiting')).status).toBe(429);
    await close();
    await openStream(api, 'waiting');
  });
});
