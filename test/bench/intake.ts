// What a delivery of the code host costs with one org and with a thousand, what a flood of wrong signatures does to the
// right ones, and what becomes of a burst while no worker is there; beside Probot, which holds one secret, keeps nothing
// before it answers, and gets the same payloads in the same run.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../../src/main/ports.ts';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { temporalCli } from '../../src/main/tools/temporal-cli.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import {
  type Part,
  fillOrgs,
  openPartsStore,
  orgName,
  runsOf,
  secretOf,
  startApiPart,
  startPart,
} from '../support/intake-parts.ts';
import { type Sent, atRate, closeLoad, deliver, forge, quantile } from './intake-load.ts';

const orgs = 1000;
const rounds = 3;
const oneByOne = 100;
const flood = { goodPerSecond: 20, badPerSecond: 500, seconds: 10 };
const firstOfBurst = 200_000;

type Row = { what: string; ours: string; goal?: string; probot?: string };

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, deliveries: { type: 'string', default: '1000' } },
});
const burst = { deliveries: Number(options.deliveries), perSecond: 50 };
const live = process.stderr.isTTY;
const say = (message: string) => void process.stderr.write(live ? `\r\x1b[K${message}` : `${message}\n`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const tool = await temporalCli({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress: say });
if ('missing' in tool) throw new Error(tool.missing);
const server = await startTemporalServer({
  executable: tool.path,
  settings: await readTemporalSettings(),
  logFile: join(dataDir, 'temporal.log'),
  dataDir: join(dataDir, 'temporal'),
  port: 0,
});
const parts: Part[] = [];
try {
  const [one, many, probot] = [await startOurs(1), await startOurs(orgs), await startProbot()];
  const load = loadavg()[0]?.toFixed(1);
  const rows = [...(await costs(one, many, probot)), ...(await floods(many, probot)), ...(await bursts(many))];
  say('');
  process.stdout.write(
    options.json ? `${JSON.stringify({ load, rows })}\n` : `load at the start: ${load}\n${table(rows)}`,
  );
} finally {
  await Promise.all(parts.map(async (part) => await part.kill()));
  await closeLoad();
  await server.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

type Ours = { url: string; folder: string };

async function startOurs(count: number): Promise<Ours> {
  say(`Making ${count} orgs…`);
  const folder = join(dataDir, `orgs-${count}`);
  await mkdir(folder, { recursive: true });
  const store = openPartsStore(folder);
  await fillOrgs(store, count);
  await store.close();
  const api = await startApiPart(folder, server.address);
  parts.push(api);
  return { url: api.url, folder };
}

async function startProbot(): Promise<string> {
  const port = await freePort();
  const program = fileURLToPath(new URL('probot-process.ts', import.meta.url));
  parts.push(await startPart(program, [secretOf(orgName(0)), String(port)]));
  return `http://127.0.0.1:${port}/api/v1/webhooks/codehost`;
}

/** One delivery after the other; there and back, so that what changes on the machine meets all alike. */
async function costs(one: Ours, many: Ours, probot: string): Promise<Row[]> {
  let number = 0;
  const kinds = {
    one: async () => await deliver({ url: one.url, org: orgName(0), number: (number += 1) }),
    many: async () => await deliver({ url: many.url, org: orgName((number += 1) % orgs), number }),
    probot: async () => await deliver({ url: probot, org: orgName(0), number: (number += 1) }),
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const seen: Record<keyof typeof kinds, Sent[]> = { one: [], many: [], probot: [] };
  for (const name of names) await repeat(kinds[name], 30);
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of [...names, ...names.toReversed()]) {
      say(`One delivery after the other, round ${round} of ${rounds}: ${name}…`);
      seen[name].push(...(await repeat(kinds[name], oneByOne / 2)));
    }
  }
  const ratio = quantile(seen.many, 0.5) / quantile(seen.one, 0.5);
  const row = (what: string, part: number): Row => ({
    what,
    ours: `${ms(quantile(seen.one, part))} with 1 org, ${ms(quantile(seen.many, part))} with ${orgs}`,
    probot: ms(quantile(seen.probot, part)),
  });
  return [
    { ...row('a valid delivery, p50', 0.5), goal: `${ratio.toFixed(2)}× (< 2×)` },
    row('a valid delivery, p99', 0.99),
    { what: 'all of them taken', ours: String([...seen.one, ...seen.many].every(({ status }) => status === 202)) },
  ];
}

async function repeat(work: () => Promise<Sent>, times: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let time = 0; time < times; time += 1) sent.push(await work());
  return sent;
}

/** Half of the wrong ones point at an org, half at none, which takes a search through all secrets. */
async function floods(many: Ours, probot: string): Promise<Row[]> {
  const { goodPerSecond, badPerSecond, seconds } = flood;
  let number = 100_000;
  const good = async (url: string, org: () => string): Promise<Sent[]> =>
    await atRate(
      goodPerSecond,
      goodPerSecond * seconds,
      async () => await deliver({ url, org: org(), number: (number += 1) }),
    );
  const bad = async (url: string): Promise<Sent[]> =>
    await atRate(badPerSecond, badPerSecond * seconds, async (at) => {
      if (at % badPerSecond === 0)
        say(`${badPerSecond} wrong signatures a second, ${at / badPerSecond} of ${seconds} s…`);
      return await forge(url, at % 2 === 0 ? orgName(at % orgs) : 'nobody');
    });
  const anyOrg = (): string => orgName(number % orgs);
  const firstOrg = (): string => orgName(0);
  say('The same without a flood…');
  const quiet = await good(many.url, anyOrg);
  const [kept, refused] = await Promise.all([good(many.url, anyOrg), bad(many.url)]);
  const quietThere = await good(probot, firstOrg);
  const [keptThere] = await Promise.all([good(probot, firstOrg), bad(probot)]);
  const what = `good ones, p99`;
  return [
    { what: `${what}, no flood`, ours: ms(quantile(quiet, 0.99)), probot: ms(quantile(quietThere, 0.99)) },
    {
      what: `${what}, ${badPerSecond} wrong ones a second`,
      ours: ms(quantile(kept, 0.99)),
      goal: '(< 50 ms)',
      probot: ms(quantile(keptThere, 0.99)),
    },
    {
      what: 'good ones taken, wrong ones refused',
      ours: `${part(kept, 202)}, ${part(refused, 401)}`,
      goal: '(all)',
    },
  ];
}

function part(sent: Sent[], status: number): string {
  return `${sent.filter((one) => one.status === status).length} of ${sent.length}`;
}

type Planned = { org: string; number: number; action: string; delivery: string };

/** Each target is opened with a label, which is told twice in either order; of four, one event is sent again. */
function plan(deliveries: number): Planned[] {
  const planned: Planned[] = [];
  for (let number = firstOfBurst; planned.length < deliveries; number += 1) {
    const events = ['opened', 'labeled'].map((action) => ({
      org: orgName(number % orgs),
      number,
      action,
      delivery: randomUUID(),
    }));
    planned.push(...(number % 2 === 0 ? events : events.toReversed()));
    if (number % 4 === 0) planned.push(...events.slice(0, 1));
  }
  return planned.slice(0, deliveries);
}

async function bursts(many: Ours): Promise<Row[]> {
  const { deliveries, perSecond } = burst;
  const store = openPartsStore(many.folder);
  const planned = plan(deliveries);
  const targets = new Set(planned.map(({ org, number }) => `${org}#${number}`));
  const sent = await atRate(perSecond, deliveries, async (at) => {
    if (at % perSecond === 0) say(`A burst while no worker is there: ${at} of ${deliveries}…`);
    return await deliver({ url: many.url, ...(planned[at] as Planned) });
  });
  const startedAt = performance.now();
  parts.push(await startPart('worker-process.ts', [many.folder, server.address]));
  const started = new Set<string>();
  let twice = 0;
  for (const giveUpAt = Date.now() + 600_000; Date.now() < giveUpAt; await pause(500)) {
    const runs = (await runsOf(store)).filter(({ spec }) => (spec.target?.number ?? 0) >= firstOfBurst);
    started.clear();
    for (const { metadata, spec } of runs) started.add(`${metadata.namespace.slice(4)}#${spec.target?.number}`);
    twice = runs.length - started.size;
    say(`The worker is up: runs for ${started.size} of ${targets.size} targets…`);
    if (started.size >= targets.size && runs.every(({ status }) => status?.phase === 'Succeeded')) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await store.close();
  return [
    { what: `${deliveries} deliveries at ${perSecond}/s, no worker: taken`, ours: part(sent, 202), goal: '(all)' },
    { what: 'acknowledged, p50', ours: ms(quantile(sent, 0.5)) },
    { what: 'acknowledged, p99', ours: ms(quantile(sent, 0.99)), goal: '(< 1000 ms)' },
    {
      what: 'targets with a run; runs beyond one for each',
      ours: `${started.size} of ${targets.size}; ${twice}`,
      goal: '(all; 0)',
    },
    { what: 'all runs over, and what waited before the burst', ours: `${seconds.toFixed(1)} s after the worker` },
  ];
}

function table(rows: Row[]): string {
  const shown = [
    ['', 'ours', 'goal', 'Probot'],
    ...rows.map((row) => [row.what, row.ours, row.goal ?? '', row.probot ?? '']),
  ];
  const widths = shown[0]?.map((_, column) => Math.max(...shown.map((line) => line[column]?.length ?? 0))) ?? [];
  return `${shown
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}
