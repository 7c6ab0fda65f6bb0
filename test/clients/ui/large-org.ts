import { UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { seedManyIncidents } from './seed-incidents.ts';

const namespace = 'org-acme';
const headSha = '4f9c2ab1d0e5b6a7c8d9e0f1a2b3c4d5e6f70819';
export const largeChange = 'change-large';
export const smallChange = 'change-0';
export const largeSteps = 500;

/** Creates 200 Products with 600 zones, and 1,000 Changes that wait for an approval; one has 500 steps. */
export async function seedLargeOrg(store: Store): Promise<void> {
  for (const index of indexes(200)) await createProduct(store, `product-${index}`);
  for (const index of indexes(999)) await createChange(store, { name: `change-${index}`, index, steps: 8 });
  await createChange(store, { name: largeChange, index: 0, steps: largeSteps });
}

const indexes = (count: number): number[] => [...Array.from({ length: count }).keys()];

/** Creates more Releases of the Product "shop", domains and people than a page can show. */
export async function seedLongLists(store: Store): Promise<void> {
  await seedManyIncidents(store, 200);
  for (const index of indexes(200)) {
    const [version, domain, email] = [`v0.${index}.0`, `d${index}.test`, `person-${index}@example.com`];
    await store.create(ReleaseKind, {
      metadata: { namespace, name: `shop-${version}` },
      spec: { product: 'shop', repo: 'acme/shop', commit: headSha, version, startedBy: 'trigger' },
    });
    await store.create(DomainKind, {
      metadata: { namespace, name: domain },
      spec: { name: domain, kind: 'external', shared: false, token: 'r7Kp2vLw9Zd0' },
    });
    await store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: userName(email) },
      spec: { email, platformAdmin: false },
    });
  }
}

/** Changes how many turns a step has taken, as a worker does. */
export async function takeTurn(store: Store, run: string, { step, turns }: { step: number; turns: number }) {
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name: run }, ({ status }) => ({
    ...status,
    phase: status?.phase ?? 'WaitingForPerson',
    steps: (status?.steps ?? []).map((one, index) => (index === step ? { ...one, turns } : one)),
  }));
}

async function createProduct(store: Store, name: string): Promise<void> {
  const zones = ['dev', 'rc', 'prod'].map((stage) => ({
    name: `${name}-${stage}`,
    addresses: [{ domain: 'tidewater.test', name: `${name}-${stage}` }],
  }));
  await store.create(ProductKind, {
    metadata: { namespace, name },
    spec: { description: `What ${name} is for.`, repos: [`acme/${name}`], delivery: { zones } },
  });
  await store.updateStatus(ProductKind, { namespace, name }, () => ({
    zones: zones.map((zone) => ({ name: zone.name, version: 'v1.0.0', release: `${name}-v1.0.0`, verifiedAt: now() })),
  }));
}

const now = (): string => new Date().toISOString();

type ChangeSeed = { name: string; index: number; steps: number };

/** The last step but one waits for an approval, and all before it have succeeded. */
async function createChange(store: Store, { name, index, steps }: ChangeSeed): Promise<void> {
  const specs: StepSpec[] = Array.from({ length: steps - 2 }, (_, step) => ({
    name: `step-${step}`,
    type: 'agent',
    role: 'implementer',
    mode: step === 0 ? 'change' : 'report',
  }));
  specs.push({ name: 'approve-change', type: 'human' }, { name: 'merge', type: 'merge' });
  const product = `product-${index % 200}`;
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name, labels: { [runLabel]: name } },
    spec: {
      agentWorkflow: 'change',
      product,
      target: { repo: `acme/${product}`, number: 7 },
      startedBy: 'priya@example.com',
      steps: specs,
      roles: {},
    },
  });
  const done = { phase: 'Succeeded' as const, startedAt: now(), finishedAt: now(), turns: 3 };
  const waitingFor = { role: 'member' as const, since: now(), message: 'approve the Change' };
  const statuses: StepStatus[] = specs.map(({ name: step, type }) => {
    if (type === 'human') return { name: step, phase: 'Waiting', startedAt: now(), waitingFor };
    return type === 'merge' ? { name: step, phase: 'Pending' } : { name: step, ...done };
  });
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
    phase: 'WaitingForPerson' as const,
    startedAt: now(),
    issue: { title: `What ${name} does`, url: 'http://localhost:3000/acme/shop/issues/7', author: 'hanne' },
    pullRequest: { number: 8, url: 'http://localhost:3000/acme/shop/pulls/8', headSha },
    steps: statuses,
  }));
}
