import { createServer } from 'node:http';
import { startUi } from '../clients/ui/ui-fixture.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type StepStatus } from '../../src/rules/changes/kinds.ts';
import { runLabel } from '../../src/rules/changes/run-names.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import type { Store } from '../../src/store/store.ts';

const namespace = 'org-acme';
const headSha = '4f9c2ab1d0e5b6a7c8d9e0f1a2b3c4d5e6f70819';
export const changePath = '/acme/changes/change-large';
export const steps = 500;

/** Serves the UI with an org of 200 Products, 600 zones and 1,000 Changes, one of which has 500 steps. */
export async function startWorld(onCleanup: (close: () => Promise<void>) => void) {
  const world = await startUi({ onCleanup });
  for (let index = 0; index < 200; index += 1) await createProduct(world.store, `product-${index}`);
  for (let index = 0; index < 999; index += 1) await createChange(world.store, `change-${index}`, 8);
  await createChange(world.store, 'change-large', steps);
  let changes = 0;
  /** Changes one step of the large Change, as a worker does. */
  const sendEvent = async (): Promise<void> => {
    changes += 1;
    const changed = changes % (steps - 2);
    await world.store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'change-large' }, ({ status }) => ({
      ...status,
      phase: status?.phase ?? 'WaitingForPerson',
      steps: (status?.steps ?? []).map((step, index) => (index === changed ? { ...step, turns: changes } : step)),
    }));
  };
  return { ...world, sendEvent };
}

async function createProduct(store: Store, name: string): Promise<void> {
  const zones = ['dev', 'rc', 'prod'].map((stage) => ({ name: `${name}-${stage}` }));
  await store.create(ProductKind, {
    metadata: { namespace, name },
    spec: { description: `What ${name} is for.`, repos: [`acme/${name}`], delivery: { zones } },
  });
  await store.updateStatus(ProductKind, { namespace, name }, () => ({
    zones: zones.map((zone) => ({ ...zone, version: 'v1.0.0', release: `${name}-v1.0.0`, verifiedAt: now() })),
  }));
}

const now = (): string => new Date().toISOString();

/** The last step waits for an approval, and all others have succeeded. */
async function createChange(store: Store, name: string, count: number): Promise<void> {
  const specs: StepSpec[] = Array.from({ length: count - 2 }, (_, index) => ({
    name: `step-${index}`,
    type: 'agent',
    role: 'implementer',
    mode: index === 0 ? 'change' : 'report',
  }));
  specs.push({ name: 'approve-change', type: 'human' }, { name: 'merge', type: 'merge' });
  const product = `product-${(Number(name.split('-')[1]) || 0) % 200}`;
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
  const statuses: StepStatus[] = specs.map((spec) => ({ name: spec.name, ...done }));
  statuses[count - 2] = {
    name: 'approve-change',
    phase: 'Waiting',
    startedAt: now(),
    waitingFor: { role: 'member', since: now(), message: 'approve the Change' },
  };
  statuses[count - 1] = { name: 'merge', phase: 'Pending' };
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
    phase: 'WaitingForPerson' as const,
    startedAt: now(),
    issue: { title: `What ${name} does`, url: 'http://localhost:3000/acme/shop/issues/7', author: 'hanne' },
    pullRequest: { number: 8, url: 'http://localhost:3000/acme/shop/pulls/8', headSha },
    steps: statuses,
  }));
}

/** Serves a page without a script that has as many rows as the large Change has steps. */
export async function startBarePage(onCleanup: (close: () => Promise<void>) => void): Promise<string> {
  const rows = Array.from({ length: steps }, (_, index) => `<details><summary>step ${index}</summary>Done</details>`);
  const html = `<!doctype html><title>Bare</title><h1>Bare</h1><section id="decision"><button>Approve</button></section>${rows.join('')}`;
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
  onCleanup(async () => void server.close());
  return `http://127.0.0.1:${port}/`;
}
