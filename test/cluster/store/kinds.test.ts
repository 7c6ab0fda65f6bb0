import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ownKinds } from '../../../src/rules/own-kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { refusal } from '../../contracts/store/probe.ts';
import { installKinds, kubectl } from '../install-kinds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const cluster = inject('cluster');
const at = '2026-11-21T12:00:00.000Z';

beforeAll(() => installKinds(cluster, [...ownKinds]));

async function aSpace() {
  const store = await openClusterStore(cluster);
  const namespace = `org-t${crypto.randomUUID().slice(0, 8)}`;
  onTestFinished(async () => {
    await kubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    await store.close();
  });
  return { store, namespace };
}

it('installs every kind: the API server finds all their schemas structural, and serves them', async () => {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'crds', '-o', 'json'])) as {
    items: {
      spec: { group: string; names: { kind: string } };
      status: { conditions: { type: string; status: string }[] };
    }[];
  };
  const ours = items.filter(({ spec }) => ownKinds.some(({ kind }) => kind === spec.names.kind));
  expect(ours).toHaveLength(ownKinds.length);
  for (const { spec, status } of ours) {
    const conditions = status.conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);
    expect(conditions.toSorted(), spec.names.kind).toEqual(['Established', 'NamesAccepted']);
  }
});

it('reads well in kubectl: Changes, Releases and domains, all of them together as "platform"', async () => {
  const { store, namespace } = await aSpace();
  const ref = (name: string) => ({ namespace, name });
  await store.create(AgentWorkflowRunKind, {
    metadata: ref('change-shop-7-abc'),
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: 7 },
      startedBy: 'a@x.org',
      steps: [],
      roles: {},
    },
  });
  const issue = { title: 'Greet visitors by name', url: 'https://codehost/acme/shop/issues/7' };
  await store.updateStatus(AgentWorkflowRunKind, ref('change-shop-7-abc'), () => ({
    phase: 'WaitingForPerson' as const,
    issue,
    steps: [],
  }));
  await store.create(ReleaseKind, {
    metadata: ref('shop-v1.2.3'),
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c0ffee', version: 'v1.2.3', startedBy: 'a@x.org' },
  });
  await store.updateStatus(ReleaseKind, ref('shop-v1.2.3'), () => ({
    phase: 'Promoting' as const,
    zones: [
      { name: 'shop-rc', phase: 'Verified' as const },
      { name: 'shop-prod', phase: 'WaitingForApproval' as const },
    ],
  }));
  await store.create(DomainKind, {
    metadata: ref('shop.example.com'),
    spec: { name: 'shop.example.com', kind: 'external', shared: false, token: 't' },
  });
  await store.updateStatus(DomainKind, ref('shop.example.com'), () => ({
    state: 'WaitingForDns' as const,
    claimedAt: at,
  }));

  const table = await kubectl(cluster, ['get', 'changes,releases,domains', '-n', namespace]);
  const lines = table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.trim().split(/ {2,}|(?<=^\S+) +/));
  expect(lines.map((cells) => cells.slice(0, -1))).toEqual([
    ['NAME', 'WORKFLOW', 'PRODUCT', 'PHASE', 'ISSUE', 'TITLE'],
    ['agentworkflowrun.service.delivery/change-shop-7-abc', 'change', 'shop', 'WaitingForPerson', '7', issue.title],
    ['NAME', 'PRODUCT', 'VERSION', 'PHASE', 'ZONE', 'THERE'],
    ['release.service.delivery/shop-v1.2.3', 'shop', 'v1.2.3', 'Promoting', 'shop-prod', 'WaitingForApproval'],
    ['NAME', 'DOMAIN', 'KIND', 'STATE'],
    ['domain.service.delivery/shop.example.com', 'shop.example.com', 'external', 'WaitingForDns'],
  ]);
  const names = await kubectl(cluster, ['get', 'platform', '-n', namespace, '-o', 'name']);
  expect(names).toContain('release.service.delivery/shop-v1.2.3');
});

it('lets the API server select by the fields that lists select by', async () => {
  const { store, namespace } = await aSpace();
  for (const number of [7, 8])
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: `change-${number}` },
      spec: {
        agentWorkflow: 'change',
        product: 'shop',
        target: { repo: 'acme/shop', number },
        startedBy: 'a',
        steps: [],
        roles: {},
      },
    });
  const selector = 'spec.product=shop,spec.target.repo=acme/shop,spec.target.number=8';
  const names = await kubectl(cluster, ['get', 'changes', '-n', namespace, '--field-selector', selector, '-o', 'name']);
  expect(names.trim()).toBe('agentworkflowrun.service.delivery/change-8');
});

it.each([
  [
    'a zone twice',
    ProductKind,
    { repos: [], delivery: { zones: ['a', 'a'].map((name) => ({ name, arrival: 'automatic' })) } },
    'name of its own',
  ],
  [
    'a reserved zone',
    ProductKind,
    { repos: [], delivery: { zones: [{ name: 'org-x', arrival: 'automatic' }] } },
    'may not be named',
  ],
  ['a repo that is none', ProductKind, { repos: ['shop'], delivery: { zones: [] } }, 'spec.repos[0]'],
  [
    'an agent step without a role',
    AgentWorkflowKind,
    { enabled: true, triggers: [], steps: [{ type: 'agent', name: 'a', mode: 'change' }] },
    'needs role',
  ],
  [
    'a human step with a role',
    AgentWorkflowKind,
    { enabled: true, triggers: [], steps: [{ type: 'human', name: 'a', role: 'x' }] },
    'has no role',
  ],
  [
    'an event trigger with a schedule',
    AgentWorkflowKind,
    {
      enabled: true,
      triggers: [{ type: 'event', event: 'issue.opened', schedule: '* * * * *' }],
      steps: [{ type: 'human', name: 'a' }],
    },
    'has no branches, schedule',
  ],
] as const)('has the API server refuse %s', async (_, kind, spec, message) => {
  const { store, namespace } = await aSpace();
  const refused = await refusal(
    'invalid',
    store.create(kind as typeof ProductKind, { metadata: { namespace, name: 'x' }, spec: spec as never }),
  );
  expect(refused.message).toContain(message);
});
