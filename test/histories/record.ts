// Writes one history of every workflow, taken from a Change that goes the whole way on a real server. To be run when
// the workflows have changed in a way that runs under way need not survive; else the recorded ones must go on replaying.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { temporalCli } from '../../src/main/tools/temporal-cli.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import {
  commitLogoId,
  createIssueId,
  deleteProductId,
  labelIssueId,
  suggestLogosId,
} from '../../workflows/catalog/messages.ts';
import { approveStep, runAgentWorkflowId } from '../../workflows/changes/messages.ts';
import { approvePromotion, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import { type DeliveryFacts, reconcileDeliveriesStart, routeDeliveryId } from '../../workflows/intake/messages.ts';
import { keepScheduleId, scheduleChanged } from '../../workflows/scheduling/messages.ts';
import {
  checkNow,
  claimDomain,
  observed,
  removeDomain,
  sweepDnsId,
  verifyDomainId,
} from '../../workflows/domains/messages.ts';
import { AChange, changeInput, decisionOn, ended } from '../support/a-change.ts';
import { AZone } from '../support/a-zone.ts';
import { type Recorded, startWorkflowWorld, type WorkflowWorld } from '../support/workflow-world.ts';

const org = 'acme';
const product = 'hello';
const facts: DeliveryFacts = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['service'],
  senderIsBot: false,
  isPullRequest: false,
};
const zone = new AZone();
const change: AChange = new AChange({
  turn: (input) => {
    if (input.step === 'review-code' && input.turn === 1) return ended('changes-requested', 'Names are not escaped.');
    if (input.step !== 'resolve-conflicts') return change.goodTurn(input);
    change.pull = { ...change.pull, mergeable: 'yes' };
    return { ...ended('done'), headSha: change.push('settled-by-agent') };
  },
});
change.pull = { ...change.pull, mergeable: 'conflicted' };

const scheduledAt = '2026-01-05T09:00:00.000Z';
/** Turned off, then on when a time has just come due, and in the end nothing. */
const schedulePlans = [
  { schedule: 'off' },
  { schedule: '0 9 * * *', start: { due: scheduledAt, products: [product], more: false } },
  { schedule: '0 9 * * *', next: '2026-01-06T09:00:00.000Z' },
];

const stand = (state: 'WaitingForDns' | 'Verified') => ({
  state,
  kind: 'managed' as const,
  shard: 0,
  ...(state === 'WaitingForDns' && { termAt: new Date(Date.now() + 1_000_000).toISOString() }),
});
let looks = 0;
const activities = {
  ...zone.activities,
  ...change.activities,
  createIssue: async () => ({ number: 7 }),
  labelIssue: async () => {},
  matchDelivery: async ({ facts: { number } }: { facts: DeliveryFacts }) =>
    number === 8 ? [] : [{ agentWorkflow: 'change', product, starts: true }],
  recordDelivery: async () => {},
  // Once something to route, then nothing any more, then the org is gone.
  redeliverFailed: async () => (looks += 1) <= 2,
  findUnrouted: async () => ({ events: looks === 1 ? [{ ...facts, number: 8 }] : [] }),
  stillUnrouted: async ({ events }: { events: DeliveryFacts[] }) => events,
  commitLogo: async () => ({ repo: 'acme/hello', path: 'logo.svg', type: 'image/svg+xml', commit: 'c1' }),
  designLogo: async () => {},
  mergeBase: async () => ({ outcome: 'conflicts' as const, headSha: 'head-2', files: ['server.js'] }),
  openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', zones: ['hello-rc', 'hello-prod'] }),
  readZone: async (ref: { zone: string }) => ({ asksApproval: ref.zone === 'hello-prod', running: undefined }),
  beginProductDeletion: async () => ['hello-rc', 'hello-prod'],
  removeProductChart: async () => {},
  forgetProduct: async () => {},
  readSchedule: async () => ({ now: scheduledAt, ...schedulePlans.shift() }),
  recordSchedule: async () => {},
  claimDomain: async () => stand('WaitingForDns'),
  settleDomain: async () => stand('WaitingForDns'),
  checkDomain: async () => stand('Verified'),
  awaitManagedDomain: async () => stand('WaitingForDns'),
  beginDomainRemoval: async () => {},
  forgetDomain: async () => {},
  sweepDomains: async () => {},
};

const scratch = await mkdtemp(join(tmpdir(), 'record-'));
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const tool = await temporalCli({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress });
if ('missing' in tool) throw new Error(tool.missing);
const settings = await readTemporalSettings();
const logFile = join(scratch, 'temporal.log');
const server = await startTemporalServer({ executable: tool.path, settings, logFile, port: 0 });
const world = await startWorkflowWorld({ address: server.address, activities, identity: 'recorder' });
try {
  await goTheWholeWay(world);
  await write(world);
} finally {
  await world.close();
  await server.close();
  await rm(scratch, { recursive: true, force: true });
}

async function goTheWholeWay(world: WorkflowWorld): Promise<void> {
  const { start, client } = world;
  const request = { org, repo: 'acme/hello', requestKey: 'requests/1' };
  await (await start('createIssue', request, { workflowId: createIssueId({ org, requestId: '1' }) })).result();

  const labels = { org, repo: 'acme/hello', number: 7, add: ['service'], remove: ['later'] };
  await (await start('labelIssue', labels, { workflowId: labelIssueId({ org, requestId: '1' }) })).result();
  const logo = { org, product, repo: 'acme/hello', hash: 'h1', type: 'image/svg+xml' as const };
  await (await start('commitLogo', logo, { workflowId: commitLogoId(logo) })).result();
  const round = { org, product, round: '1' };
  await (await start('suggestLogos', round, { workflowId: suggestLogosId(round) })).result();

  const delivery = { org, delivery: 'delivery-1', facts };
  const workflowId = routeDeliveryId({ ...delivery, bodyHash: 'body-1' });
  await (await start('routeDelivery', delivery, { workflowId })).result();
  const run = client.workflow.getHandle(runAgentWorkflowId(changeInput(org)));
  for (const headSha of ['head-2', 'settled-by-agent']) {
    await until(() => change.phase() === 'WaitingForPerson' && change.status.pullRequest?.headSha === headSha);
    await run.executeUpdate(approveStep, { args: decisionOn(change, { headSha }) });
  }
  await run.result();

  await until(() => zone.phase('v0.1.0', 'hello-prod') === 'WaitingForApproval');
  const keeper = client.workflow.getHandle(keepEnvironmentId({ org, product, zone: 'hello-prod' }));
  await keeper.executeUpdate(approvePromotion, { args: [{ release: 'hello-v0.1.0', by: 'bob', role: 'member' }] });
  await until(() => zone.phase('v0.1.0', 'hello-prod') === 'Verified');

  const schedule = { org, agentWorkflow: 'upkeep' };
  const loop = await start('keepSchedule', schedule, { workflowId: keepScheduleId(schedule) });
  for (const plans of [2, 0]) {
    await until(() => schedulePlans.length === plans);
    await client.workflow.getHandle(loop.workflowId).signal(scheduleChanged);
  }
  await client.workflow.getHandle(loop.workflowId).result();
  await keepADomain(world);
  const pace = { everyMs: 1, settleMs: 1, againMs: 1 };
  const { workflowId: reconciling } = reconcileDeliveriesStart({ org });
  await (await start('reconcileDeliveries', { org, pace }, { workflowId: reconciling })).result();

  const deletion = { org, product, by: 'bob' };
  await (await start('deleteProduct', deletion, { workflowId: deleteProductId(deletion) })).result();
}

/** A name that is claimed, looked for, found and given back. */
async function keepADomain({ start, client, calls }: WorkflowWorld): Promise<void> {
  const domain = 'example.com';
  const name = await start('verifyDomain', { domain }, { workflowId: verifyDomainId({ domain }) });
  await name.executeUpdate(claimDomain, { args: [{ org, kind: 'managed', shared: false }] });
  await until(() => calls('awaitManagedDomain').length === 1);
  await name.signal(observed, { org });
  await until(() => calls('settleDomain').length === 1);
  await name.executeUpdate(checkNow, { args: [{ org }] });
  await name.executeUpdate(removeDomain, { args: [{ org }] });
  await name.result();
  await client.workflow.getHandle(sweepDnsId({ shard: 0 })).terminate('recorded');
}

async function write({ histories }: WorkflowWorld): Promise<void> {
  const recorded = await histories();
  for (const { type, workflowId, history } of recorded) {
    const file = new URL(`${type.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`, import.meta.url);
    // The keeper that was asked for approval tells more than the other.
    if (type === 'keepEnvironment' && !workflowId.endsWith('hello-prod')) continue;
    // So does the Change than what a schedule starts, and the schedule that starts it than the one that ends.
    if (workflowId.endsWith(scheduledAt) || (type === 'keepSchedule' && !hasGoneOn(history))) continue;
    await writeFile(file, `${JSON.stringify({ workflowId, history: plain(history) }, null, 1)}\n`);
    onProgress(`${type}: ${history.events?.length} events`);
  }
}

function hasGoneOn({ events }: Recorded['history']): boolean {
  return Boolean(events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes);
}

/** What a replay takes as it is: the library's own JSON form fails where npm installs two copies of its protobufjs. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('toNumber' in value) return Number(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}
