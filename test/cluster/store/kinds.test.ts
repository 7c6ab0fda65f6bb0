import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { customResourceKinds } from '../../../src/rules/custom-resource-kinds.ts';
import { IncidentKind, type Incident } from '../../../src/rules/incidents/kinds.ts';
import { InstallationKind } from '../../../src/rules/installation/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { createIncident } from '../../../src/store/record-alert.ts';
import { expectError } from '../../contracts/store/probe.ts';
import { installCrds } from '../install-crds.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const cluster = inject('cluster');
const at = '2026-11-21T12:00:00.000Z';

beforeAll(() => installCrds(cluster, [...customResourceKinds]));

async function aSpace() {
  const store = await openClusterStore(cluster);
  const namespace = `org-t${crypto.randomUUID().slice(0, 8)}`;
  onTestFinished(async () => {
    await kubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    await store.close();
  });
  return { store, namespace };
}

it('installs every kind with a structural schema', async () => {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'crds', '-o', 'json'])) as {
    items: {
      spec: { group: string; names: { kind: string } };
      status: { conditions: { type: string; status: string }[] };
    }[];
  };
  const ours = items.filter(({ spec }) => customResourceKinds.some(({ kind }) => kind === spec.names.kind));
  expect(ours).toHaveLength(customResourceKinds.length);
  for (const { spec, status } of ours) {
    const conditions = status.conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);
    expect(conditions.toSorted(), spec.names.kind).toEqual(['Established', 'NamesAccepted']);
  }
});

const promotion = {
  product: 'shop',
  zone: 'shop-rc',
  release: 'shop-v1.2.3',
  version: 'v1.2.3',
  commit: 'c0ffee',
  trigger: 'release' as const,
  startedBy: 'a@x.org',
};

it('shows Changes, Releases, Promotions and domains in kubectl, and all kinds in the category "platform"', async () => {
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

  await store.create(PromotionKind, { metadata: ref('shop-v1.2.3-shop-rc-1'), spec: promotion });
  await store.updateStatus(PromotionKind, ref('shop-v1.2.3-shop-rc-1'), () => ({
    phase: 'Deploying' as const,
    phases: [],
  }));

  const table = await kubectl(cluster, ['get', 'changes,releases,promotions,domains', '-n', namespace]);
  const lines = table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.trim().split(/ {2,}|(?<=^\S+) +/));
  expect(lines.map((cells) => cells.slice(0, -1))).toEqual([
    ['NAME', 'WORKFLOW', 'PRODUCT', 'PHASE', 'ISSUE', 'TITLE'],
    ['agentworkflowrun.service.delivery/change-shop-7-abc', 'change', 'shop', 'WaitingForPerson', '7', issue.title],
    ['NAME', 'PRODUCT', 'VERSION', 'PHASE', 'ZONE', 'ZONE PHASE'],
    ['release.service.delivery/shop-v1.2.3', 'shop', 'v1.2.3', 'Promoting', 'shop-prod', 'WaitingForApproval'],
    ['NAME', 'ZONE', 'VERSION', 'PHASE', 'TRIGGER', 'STARTED BY', 'FINISHED'],
    ['promotion.service.delivery/shop-v1.2.3-shop-rc-1', 'shop-rc', 'v1.2.3', 'Deploying', 'release', 'a@x.org'],
    ['NAME', 'DOMAIN', 'KIND', 'STATE'],
    ['domain.service.delivery/shop.example.com', 'shop.example.com', 'external', 'WaitingForDns'],
  ]);
  const names = await kubectl(cluster, ['get', 'platform', '-n', namespace, '-o', 'name']);
  expect(names).toContain('release.service.delivery/shop-v1.2.3');
});

it('has the API server refuse another spec of a Promotion', async () => {
  const { store, namespace } = await aSpace();
  const created = await store.create(PromotionKind, { metadata: { namespace, name: 'shop-1' }, spec: promotion });
  const changed = { ...created, spec: { ...promotion, startedBy: 'eve@x.org' } };
  const refused = await expectError('invalid', store.replace(PromotionKind, changed));
  expect(refused.message).toContain('promote again');
});

it('keeps the spec of an incident, shows it in kubectl and selects it by its alert', async () => {
  const { store, namespace } = await aSpace();
  const spec = (fingerprint: string) => ({
    product: 'shop',
    zone: 'shop-rc',
    severity: 'critical' as const,
    title: 'It burns',
    openedBy: 'alert',
    alert: { name: 'SloFastBurn', fingerprint, startsAt: at },
  });
  for (const fingerprint of ['aa', 'bb']) {
    const metadata = { namespace, name: `shop-rc-${fingerprint}` };
    await createIncident(store, { metadata, spec: spec(fingerprint), at });
  }
  const { items } = await store.list(IncidentKind, { namespace, fields: { 'spec.alert.fingerprint': 'bb' } });
  expect(items).toMatchObject([{ metadata: { name: 'shop-rc-bb' }, status: { state: 'Open', openedAt: at } }]);
  const created = items[0] as Incident;
  const changed = { ...created, spec: { ...created.spec, title: 'Nothing burns' } };
  const refused = await expectError('invalid', store.replace(IncidentKind, changed));
  expect(refused.message).toContain('add a note instead');
  const table = await kubectl(cluster, ['get', 'incidents', 'shop-rc-bb', '-n', namespace]);
  expect(table).toMatch(/shop-rc-bb +shop +shop-rc +critical +Open +It burns/);
});

it('selects by the selectable fields in the API server', async () => {
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
    { repos: [], delivery: { zones: ['a', 'a'].map((name) => ({ name, promotionPolicy: 'automatic' })) } },
    'zone names must be unique',
  ],
  [
    'a reserved zone',
    ProductKind,
    { repos: [], delivery: { zones: [{ name: 'org-x', promotionPolicy: 'automatic' }] } },
    'zone names must not be',
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
  [
    'a cloud account whose role is none',
    CloudAccountKind,
    { provider: 'aws', roleArn: 'delivery', region: 'eu-central-1' },
    'spec.roleArn',
  ],
  ['a cluster with an empty label', ClusterKind, { label: '' }, 'spec.label'],
  [
    'an unknown way to sign in',
    InstallationKind,
    { managedDomainRoots: [], signIn: { password: 'members' } },
    'spec.signIn.password',
  ],
] as const)('has the API server refuse %s', async (_, kind, spec, message) => {
  const { store, namespace } = await aSpace();
  const refused = await expectError(
    'invalid',
    store.create(kind as typeof ProductKind, { metadata: { namespace, name: 'x' }, spec: spec as never }),
  );
  expect(refused.message).toContain(message);
});
