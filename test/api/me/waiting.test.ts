import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { identityProviderRef } from '../../../api/identity/identity-provider.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { createToken } from '../../../src/rules/access/token.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import { AgentWorkflowRunKind, type RunPhase, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { getIncidentStatus } from '../../../src/rules/incidents/get-incident-status.ts';
import { withAcknowledgement } from '../../../src/rules/incidents/handle-incident.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind, type ZonePhase } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { createIncident } from '../../../src/store/record-alert.ts';
import type { Store } from '../../../src/store/store.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
const headSha = 'a'.repeat(40);

async function createRun(
  store: Store,
  { org = 'acme', name, phase, step }: { org?: string; name: string; phase: RunPhase; step: Omit<StepStatus, 'name'> },
): Promise<void> {
  const ref = { namespace: `org-${org}`, name };
  await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'member@example.com', steps: [], roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase,
    pullRequest: { number: 7, url: 'http://codehost/7', headSha },
    committers: { headSha, logins: [], hasUnknown: false },
    issue: { title: `Issue of ${name}`, url: 'http://codehost/1' },
    steps: [{ name: 'approve-change', ...step }],
  }));
}

async function createPromotion(
  store: Store,
  { name, phase, minute }: { name: string; phase: ZonePhase; minute: number },
) {
  const namespace = 'org-acme';
  const zone = `${name}-prod`;
  const release = `${name}-v1.0.0`;
  await store.create(ReleaseKind, {
    metadata: { namespace, name: release },
    spec: { product: name, repo: 'acme/shop', commit: 'c0ffee', version: 'v1.0.0', startedBy: 'ada@example.com' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: release }, () => ({
    phase: 'Promoting' as const,
    zones: [
      { name: zone, phase, waitingFor: { role: 'member', since: at(minute), message: `approve v1.0.0 for ${zone}` } },
    ],
  }));
  await store.create(ProductKind, {
    metadata: { namespace, name },
    spec: { repos: [], delivery: { zones: [{ name: zone }] } },
  });
  await store.updateStatus(ProductKind, { namespace, name }, () => ({
    zones: [{ name: zone, currentPromotion: { release, version: 'v1.0.0', phase } }],
  }));
}

async function createDomain(store: Store, name: string, kind: 'external' | 'managed', minute: number): Promise<void> {
  const ref = { namespace: 'org-acme', name };
  await store.create(DomainKind, { metadata: ref, spec: { name, kind, shared: false, token: 'secret' } });
  await store.updateStatus(DomainKind, ref, () => ({ state: 'WaitingForDns' as const, claimedAt: at(minute) }));
}

type Item = {
  kind: string;
  since: string;
  name: string;
  org: string;
  people?: string[];
  actions: { name: string; allowed: boolean; reason?: string }[];
};
type Page = { items: Item[]; continue?: string };

/** Starts the API with one thing of each kind that waits, and things that do not. */
async function withWaiting(role: OrgRole | 'no-role' | 'platform-admin' = 'member') {
  const api = await startApi({ role });
  const { store } = api;
  const wait = (minute: number) => ({ waitingFor: { role: 'member', since: at(minute), message: 'decide' } });
  await createRun(store, { name: 'approval', phase: 'WaitingForPerson', step: { phase: 'Waiting', ...wait(3) } });
  await createRun(store, { name: 'guidance', phase: 'NeedsGuidance', step: { phase: 'NeedsGuidance', ...wait(1) } });
  await createRun(store, { name: 'merge', phase: 'Running', step: { phase: 'Running', ...wait(5) } });
  await createRun(store, { name: 'busy', phase: 'Running', step: { phase: 'Running' } });
  await createRun(store, { name: 'over', phase: 'Succeeded', step: { phase: 'Succeeded' } });
  await createPromotion(store, { name: 'shop', phase: 'WaitingForApproval', minute: 2 });
  await createPromotion(store, { name: 'till', phase: 'Deploying', minute: 0 });
  await createDomain(store, 'shop.example.com', 'external', 4);
  await createDomain(store, 'shop.managed.test', 'managed', 4);
  await createOrg(store, 'other');
  await createRun(store, {
    org: 'other',
    name: 'foreign',
    phase: 'WaitingForPerson',
    step: { phase: 'Waiting', ...wait(6) },
  });
  const list = async (query = ''): Promise<Page> =>
    (await (await api.request(`/v1/me/waiting${query}`)).json()) as Page;
  return { ...api, list, names: async () => (await list()).items.map(({ name }) => name) };
}

describe('listWaiting', () => {
  it('200: lists the decisions of a member, the longest wait first', async () => {
    const { list } = await withWaiting();
    const { items } = await list();
    expect(items.map(({ name }) => name)).toEqual(['guidance', 'shop-v1.0.0', 'approval', 'merge']);
    expect(items[1]).toEqual({
      kind: 'promotion',
      org: 'acme',
      product: 'shop',
      name: 'shop-v1.0.0',
      title: 'v1.0.0',
      zone: 'shop-prod',
      phase: 'WaitingForApproval',
      commit: 'c0ffee',
      message: 'approve v1.0.0 for shop-prod',
      since: at(2),
      role: 'member',
      actions: [
        { name: 'approvePromotion', zone: 'shop-prod', allowed: true },
        { name: 'rejectPromotion', zone: 'shop-prod', allowed: true },
      ],
      path: '/acme/releases/shop-v1.0.0',
    });
    expect(items[2]).toEqual({
      kind: 'step',
      org: 'acme',
      product: 'shop',
      name: 'approval',
      title: 'Issue of approval',
      step: 'approve-change',
      phase: 'Waiting',
      headSha,
      message: 'decide',
      since: at(3),
      role: 'member',
      actions: [
        { name: 'approveStep', step: 'approve-change', allowed: true },
        { name: 'rejectStep', step: 'approve-change', allowed: true },
      ],
      path: '/acme/changes/approval',
    });
  });

  it('200: lists incidents until someone acknowledges them, from when they were last opened', async () => {
    const { store, list } = await withWaiting();
    const metadata = { namespace: 'org-acme', name: 'shop-prod-1124-1200-0a1b2c3d' };
    const spec = {
      product: 'shop',
      zone: 'shop-prod',
      severity: 'critical' as const,
      title: 'Payments fail',
      openedBy: 'jo@example.com',
    };
    await createIncident(store, { metadata, spec, at: at(0) });
    const find = async () => (await list()).items.find(({ kind }) => kind === 'incident');
    expect(await find()).toEqual({
      kind: 'incident',
      org: 'acme',
      product: 'shop',
      name: metadata.name,
      title: 'Payments fail',
      zone: 'shop-prod',
      phase: 'Open',
      message: 'acknowledge the incident, which is critical',
      since: at(0),
      role: 'member',
      actions: [{ name: 'acknowledgeIncident', allowed: true }],
      path: `/acme/incidents/${metadata.name}`,
    });
    const reopened = { type: 'reopened' as const, at: at(9), by: 'alert' };
    await store.updateStatus(IncidentKind, metadata, (incident) => {
      const status = getIncidentStatus(incident);
      return { ...status, timeline: [...status.timeline, reopened] };
    });
    expect((await find())?.since).toBe(at(9));
    const act = { by: 'jo@example.com', at: at(10) };
    await store.updateStatus(IncidentKind, metadata, (incident) => withAcknowledgement(incident, act));
    expect(await find()).toBeUndefined();
  });

  it('200: lists the domains that wait for DNS records to org admins, who set them', async () => {
    const { list } = await withWaiting('org-admin');
    const { items } = await list();
    expect(items.map(({ name }) => name)).toContain('shop.example.com');
    expect(items.map(({ name }) => name)).not.toContain('shop.managed.test');
    expect(items[3]).toMatchObject({ kind: 'domain', since: at(4), path: '/acme/domains/shop.example.com' });
  });

  it('200: describes what the resources do not tell yet', async () => {
    const { store, request } = await startApi({ role: 'org-admin' });
    const namespace = 'org-acme';
    const spec = { agentWorkflow: 'change', startedBy: 'jo@example.com', steps: [], roles: {} };
    for (const [name, startedAt] of [['started', at(1)], ['new']] as const) {
      const ref = { namespace, name };
      await store.create(AgentWorkflowRunKind, { metadata: ref, spec: { ...spec, product: 'shop' } });
      const step = { name: 'approve', phase: 'Waiting' as const, ...(startedAt !== undefined && { startedAt }) };
      const other = { name: 'review', phase: 'Running' as const };
      const status = { phase: 'WaitingForPerson' as const, steps: [step, other] };
      await store.updateStatus(AgentWorkflowRunKind, ref, () => status);
    }
    await createPromotion(store, { name: 'shop', phase: 'WaitingForApproval', minute: 2 });
    const release = { namespace, name: 'shop-v1.0.0' };
    await store.updateStatus(ReleaseKind, release, () => ({
      phase: 'Promoting' as const,
      zones: [
        { name: 'shop-prod', phase: 'WaitingForApproval' as const, startedAt: at(3) },
        { name: 'shop-rc', phase: 'WaitingForApproval' as const, startedAt: at(0) },
      ],
    }));
    await createPromotion(store, { name: 'till', phase: 'WaitingForApproval', minute: 2 });
    await store.updateStatus(ProductKind, { namespace, name: 'till' }, (status) => ({
      ...status,
      zones: [
        {
          name: 'till-prod',
          currentPromotion: { release: 'till-v1.0.0', version: 'v1.0.0', phase: 'WaitingForApproval' as const },
          removal: { requestedBy: 'jo@example.com', requestedAt: at(3) } as never,
        },
      ],
    }));
    await createPromotion(store, { name: 'lost', phase: 'WaitingForApproval', minute: 2 });
    await store.delete(ReleaseKind, { namespace, name: 'lost-v1.0.0' });
    for (const name of ['new.example.com', 'proven.example.com'])
      await store.create(DomainKind, {
        metadata: { namespace, name },
        spec: { name, kind: 'external', shared: false, token: 'secret' },
      });
    const proven = { state: 'Verified' as const, claimedAt: at(0) };
    await store.updateStatus(DomainKind, { namespace, name: 'proven.example.com' }, () => proven);
    const { items } = (await (await request('/v1/me/waiting')).json()) as { items: Item[] };
    expect(items.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
      {
        name: 'new',
        title: 'change',
        step: 'approve',
        role: 'member',
        since: expect.not.stringContaining('2026-11-20'),
        actions: [{ step: 'approve' }, { step: 'approve' }],
      },
      {
        name: 'new.example.com',
        phase: 'WaitingForDns',
        message: 'set the DNS records of the domain',
        actions: [{ name: 'checkDomain', allowed: true }],
      },
      {
        name: 'shop-v1.0.0',
        zone: 'shop-prod',
        since: at(3),
        role: 'member',
        actions: [{ zone: 'shop-prod' }, { zone: 'shop-prod' }],
      },
      { name: 'started', since: at(1) },
    ]);
    expect(items.find(({ name }) => name === 'new')).not.toHaveProperty('headSha');
  });

  it('200: names ten people who may approve a Release that the caller started', async () => {
    const { list, store } = await withWaiting();
    const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, approvals: { preventSelfApproval: true } } });
    const members = Array.from({ length: 12 }, (_, index) => `kim-${index}@example.com`);
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'others' },
      spec: { name: 'others', role: 'member', members },
    });
    const { spec, metadata } = await store.get(ReleaseKind, { namespace: 'org-acme', name: 'shop-v1.0.0' });
    const own = await store.get(ReleaseKind, metadata);
    await store.replace(ReleaseKind, { ...own, spec: { ...spec, startedBy: 'member@example.com' } });
    const promotion = (await list()).items.find(({ name }) => name === 'shop-v1.0.0');
    expect(promotion?.people).toHaveLength(10);
    expect(promotion?.actions[0]).toMatchObject({ allowed: false, reason: 'self-approval' });
  });

  it.each(['viewer', 'no-role'] as const)('200: lists nothing to a caller with the role %s', async (role) => {
    expect(await (await withWaiting(role)).names()).toEqual([]);
  });

  it('200: spans all orgs of the caller, also when there are many', async () => {
    const { names, list, store } = await withWaiting('platform-admin');
    expect(await names()).toEqual(['guidance', 'shop-v1.0.0', 'approval', 'shop.example.com', 'merge', 'foreign']);
    for (let index = 0; index < 20; index += 1) await createOrg(store, `org-${index}`);
    const { items } = await list();
    expect(items.map(({ org }) => org)).toEqual([...Array<string>(5).fill('acme'), 'other']);
  });

  it('200: says that another person must approve, and who may', async () => {
    const { list, store } = await withWaiting();
    const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, approvals: { preventSelfApproval: true } } });
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'others' },
      spec: { name: 'others', role: 'member', members: ['kim@example.com', 'member@example.com'] },
    });
    const { items } = await list();
    const approval = items.find(({ name }) => name === 'approval');
    expect(approval?.people).toEqual(['kim@example.com']);
    expect(approval?.actions).toMatchObject([
      { name: 'approveStep', allowed: false, reason: 'self-approval' },
      { name: 'rejectStep', allowed: true },
    ]);
    const promotion = items.find(({ name }) => name === 'shop-v1.0.0');
    expect(promotion?.people).toBeUndefined();
    expect(promotion?.actions[0]).toMatchObject({ name: 'approvePromotion', allowed: true });
    expect(items.find(({ name }) => name === 'guidance')?.people).toBeUndefined();
  });

  it('200: names who may approve by a group at an identity provider, and platform admins to org admins', async () => {
    const { store, request, tokenFor } = await withWaiting();
    const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, approvals: { preventSelfApproval: true } } });
    const provider = await store.create(IdentityProviderKind, {
      metadata: identityProviderRef('sso'),
      spec: { label: 'SSO', issuer: 'https://sso.example.com', clientId: 'delivery' },
    });
    const user = { namespace: systemNamespace, name: 'grace' };
    await store.create(UserKind, { metadata: user, spec: { email: 'grace@example.com', platformAdmin: false } });
    const setGroups = async (...groups: string[]) => {
      const identity = { provider: 'sso', providerUid: provider.metadata.uid, groups, renewable: true };
      const identities = [{ ...identity, checkedAt: new Date().toISOString() }];
      await store.updateStatus(UserKind, user, () => ({ identities, conditions: [] }));
    };
    await setGroups('developers');
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'engineering' },
      spec: {
        name: 'engineering',
        role: 'member',
        members: [],
        providerGroups: [{ provider: 'sso', group: 'developers' }],
      },
    });
    for (const role of ['platform-admin', 'org-admin'] as const) await tokenFor(role);
    const run = { namespace: 'org-acme', name: 'approval' };
    const listPeople = async (role: 'member' | 'org-admin') => {
      const stored = await store.get(AgentWorkflowRunKind, run);
      const startedBy = `${role}@example.com`;
      await store.replace(AgentWorkflowRunKind, { ...stored, spec: { ...stored.spec, startedBy } });
      const { items } = (await (await request('/v1/me/waiting', { role })).json()) as Page;
      return items.find(({ name }) => name === run.name)?.people;
    };
    expect(await listPeople('member')).toEqual(['grace@example.com', 'org-admin@example.com']);
    expect(await listPeople('org-admin')).toEqual([
      'grace@example.com',
      'member@example.com',
      'platform-admin@example.com',
    ]);
    await setGroups();
    expect(await listPeople('member')).toEqual(['org-admin@example.com']);
  });

  it('200: lists nothing to a token of the same person that may only read', async () => {
    const { names, request, store, tokenFor } = await withWaiting();
    expect(await names()).toHaveLength(4);
    const member = await store.get(ApiTokenKind, {
      namespace: systemNamespace,
      name: tokenName((await tokenFor('member')) ?? ''),
    });
    const token = createToken(randomBytes(32));
    const spec = { ...member.spec, roleMax: 'viewer' as const };
    await store.create(ApiTokenKind, { metadata: { namespace: systemNamespace, name: tokenName(token) }, spec });
    await names();
    const response = await request('/v1/me/waiting', { headers: { Authorization: `Bearer ${token}` } });
    expect(await response.json()).toEqual({ items: [] });
  });

  it('200: pages in the same order', async () => {
    const { list } = await withWaiting();
    const first = await list('?limit=3');
    expect(first.items.map(({ name }) => name)).toEqual(['guidance', 'shop-v1.0.0', 'approval']);
    const rest = await list(`?limit=3&continue=${first.continue}`);
    expect(rest).toMatchObject({ items: [{ name: 'merge' }] });
    expect(rest.continue).toBeUndefined();
  });

  it('304: has an ETag that changes when something begins to wait or the caller loses the role', async () => {
    const { request, store, names } = await withWaiting();
    const { headers } = await request('/v1/me/waiting');
    const unchanged = { headers: { 'If-None-Match': headers.get('ETag') ?? '' } };
    expect((await request('/v1/me/waiting', unchanged)).status).toBe(304);
    await createRun(store, { name: 'next', phase: 'WaitingForPerson', step: { phase: 'Waiting' } });
    expect((await request('/v1/me/waiting', unchanged)).status).toBe(200);
    expect(await names()).toContain('next');
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'members' });
    expect(await names()).toEqual([]);
  });
});
