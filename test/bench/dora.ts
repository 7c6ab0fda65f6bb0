// Measures how fast the API answers the DORA metrics of a Product with 50,000 Releases. The baseline is the SQL that a
// dashboard would run for the same figures over indexed tables of the same data.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { ResourceKind } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createProduct, createResource } from '../api/dora/seed-hand-computed.ts';
import { startApi } from '../support/start-api.ts';
import { startSqlBaseline } from './dora-sql.ts';
import { formatTable, isMissed, type Row } from './table.ts';

const { values: options } = parseArgs({ options: { releases: { type: 'string', default: '50000' } } });
const count = Number(options.releases);
const requests = 50;
const now = new Date('2026-11-24T12:00:00Z');
const hourMs = 60 * 60_000;
const toTimestamp = (time: number): string => new Date(time).toISOString();
const path = '/v1/orgs/acme/products/shop/dora';

const folder = await mkdtemp(join(tmpdir(), 'bench-dora-'));
const store = openSqliteStore({ file: join(folder, 'store.db') });
const baseline = startSqlBaseline();
const closers: (() => Promise<void>)[] = [];
try {
  await createProduct(store, 'shop');
  for (let index = 0; index < count; index += 1) {
    if (index % 10_000 === 0) process.stderr.write(`Creating Releases: ${index} of ${count}\n`);
    await seedRelease(index);
  }
  const { request } = await startApi({
    role: 'viewer',
    now: () => now,
    store,
    isDocumented: false,
    onCleanup: (close) => closers.push(close),
  });
  const ask = async (query: string): Promise<{ ms: number; view: Figures }> => {
    const startedAt = performance.now();
    const view = (await (await request(`${path}${query}`)).json()) as Figures;
    return { ms: performance.now() - startedAt, view };
  };
  const first = await ask('?days=30');
  const rows: Row[] = [{ what: 'the first after a start, which reads the store', service: first.ms, unit: 'ms' }];
  for (const days of [30, 365]) {
    const service = await measure(async () => await ask(`?days=${days}`));
    const sql = await measure(async () => baseline.ask(now, days));
    assertEqual(service.last.view, sql.last.figures);
    rows.push({ what: `${days} days`, service: service.ms, baseline: sql.ms, unit: 'ms', limit: 200 });
  }
  const afterChange: number[] = [];
  for (let turn = 0; turn < requests; turn += 1) {
    await seedRelease(count + turn);
    afterChange.push((await ask('?days=30')).ms);
  }
  rows.push({ what: '30 days, after one more Release', service: toMedian(afterChange), unit: 'ms', limit: 200 });
  rows.push({ what: 'memory of the process', service: process.memoryUsage().rss / 1024 ** 2, unit: 'MB' });
  process.stdout.write(`${count} Releases, ${requests} requests each, median\n${formatTable(rows)}`);
  if (rows.some(isMissed)) process.exitCode = 1;
} finally {
  for (const close of closers) await close();
  baseline.close();
  await store.close();
  await rm(folder, { recursive: true });
}

type Figures = Record<'deploymentFrequency' | 'leadTime' | 'changeFailureRate' | 'timeToRestore', { value?: number }>;

/** A Release each 10 minutes, of which every twentieth fails and every twentieth is followed by an incident. */
async function seedRelease(index: number): Promise<void> {
  const mergedAt = now.getTime() - (count - index) * (hourMs / 6);
  const healthyAt = mergedAt + (1 + (index % 37)) * (hourMs / 4);
  const isFailed = index % 20 === 7;
  const version = `v1.${index}.0`;
  const [release, run, promotion] = [`shop-v1-${index}-0`, `run-${index}`, `promotion-${index}`];
  const base = { product: 'shop', version, commit: `commit-${index}`, startedBy: 'ada@example.com' };
  const save = async <Spec, Status>(
    kind: ResourceKind<Spec, Status>,
    name: string,
    parts: { spec: Spec; status: Status },
  ): Promise<void> => void (await createResource(store, kind, { name, ...parts }));
  await save(ReleaseKind, release, {
    spec: { ...base, repo: 'acme/shop', run },
    status: { phase: 'Succeeded', startedAt: toTimestamp(mergedAt), zones: [] },
  });
  await save(AgentWorkflowRunKind, run, {
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: index + 1 },
      startedBy: 'ada@example.com',
      steps: [],
      roles: {},
    },
    status: { phase: 'Succeeded', steps: [], mergedAt: toTimestamp(mergedAt), mergeCommit: base.commit },
  });
  const times = isFailed ? { finishedAt: toTimestamp(healthyAt) } : { healthyAt: toTimestamp(healthyAt) };
  await save(PromotionKind, promotion, {
    spec: { ...base, zone: 'prod', release, trigger: 'release' },
    status: { phase: isFailed ? 'Failed' : 'Verified', phases: [], ...times },
  });
  const openedAt = healthyAt + hourMs;
  const resolvedAt = openedAt + (1 + (index % 11)) * 600_000;
  const hasIncident = index % 20 === 3;
  if (hasIncident)
    await save(IncidentKind, `incident-${index}`, {
      spec: { product: 'shop', zone: 'prod', severity: 'critical', title: 'Down', openedBy: 'alert' },
      status: {
        state: 'Resolved',
        openedAt: toTimestamp(openedAt),
        resolvedAt: toTimestamp(resolvedAt),
        timeline: [],
        promotion: { name: promotion, release, version, healthyAt: toTimestamp(healthyAt) },
      },
    });
  baseline.add({ index, mergedAt, at: healthyAt, isFailed, ...(hasIncident && { openedAt, resolvedAt }) });
}

async function measure<T>(work: (turn: number) => Promise<T>): Promise<{ ms: number; last: T }> {
  const times: number[] = [];
  let last = await work(0);
  for (let turn = 1; turn <= requests; turn += 1) {
    const startedAt = performance.now();
    last = await work(turn);
    times.push(performance.now() - startedAt);
  }
  return { ms: toMedian(times), last };
}

function toMedian(times: number[]): number {
  return times.toSorted((one, other) => one - other)[requests >> 1] ?? Number.NaN;
}

function assertEqual(view: Figures, expected: Record<keyof Figures, number>): void {
  for (const [measureName, value] of Object.entries(expected)) {
    const actual = view[measureName as keyof Figures].value ?? Number.NaN;
    if (!(Math.abs(actual - value) < 1e-6)) throw new Error(`${measureName} is ${actual}; the SQL says ${value}.`);
  }
}
