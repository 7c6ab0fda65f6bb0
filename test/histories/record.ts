// Records one history of every workflow from a Change that reaches production on a real server, including the chart's
// removal, the screenshot and all detached starts. Run it only when running workflows need not survive a change.
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';
import { startTemporal } from '../support/servers/start-temporal.ts';
import type { Activities } from '../../activities/index.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { approveStepUpdate } from '../../workflows/changes/messages.ts';
import {
  checkDomainUpdate,
  checksChangedSignal,
  claimDomainUpdate,
  removeDomainUpdate,
  sweepDnsId,
  verifyDomainStart,
} from '../../workflows/domains/messages.ts';
import {
  approvePromotionUpdate,
  keepRepositoryAccessStart,
  manageZoneId,
} from '../../workflows/environments/messages.ts';
import { type DeliveryFacts, reconcileDeliveriesStart, routeDeliveryStart } from '../../workflows/intake/messages.ts';
import {
  commitLogoStart,
  createIssueStart,
  deleteProductStart,
  labelIssueStart,
  scaffoldProductStart,
  suggestLogosStart,
} from '../../workflows/products/messages.ts';
import {
  backUpOnScheduleStart,
  backUpStart,
  restoreBackupStart,
  restoreConfirmedSignal,
} from '../../workflows/backups/messages.ts';
import { deleteOrgStart } from '../../workflows/orgs/messages.ts';
import { reconcileIncidentsStart } from '../../workflows/incidents/messages.ts';
import { reconcileSloRulesStart } from '../../workflows/slos/messages.ts';
import { runScheduleStart, scheduleChangedSignal } from '../../workflows/scheduling/messages.ts';
import {
  ChangeFixture,
  buildChangeInput,
  buildDecision,
  buildTurnOutcome,
} from '../support/workflows/change-fixture.ts';
import {
  type RecordedHistory,
  startWorkflowHarness,
  type WorkflowHarness,
} from '../support/workflows/workflow-harness.ts';
import { ZoneFixture } from '../support/workflows/zone-fixture.ts';

const org = 'acme';
const product = 'hello';
const repo = 'acme/hello';
const facts: DeliveryFacts = {
  event: 'issues',
  action: 'opened',
  repo,
  number: 7,
  labels: ['service'],
  senderIsBot: false,
  isPullRequest: false,
};
const zoneFixture = new ZoneFixture();
const changeFixture: ChangeFixture = new ChangeFixture({
  turn: (input) => {
    if (input.step === 'review-code' && input.turn === 1)
      return buildTurnOutcome('changes-requested', 'Names are not escaped.');
    if (input.step !== 'resolve-conflicts') return changeFixture.successfulTurn(input);
    changeFixture.pullRequest = { ...changeFixture.pullRequest, mergeable: 'yes' };
    return { ...buildTurnOutcome('done'), headSha: changeFixture.push('resolved-by-agent') };
  },
});
changeFixture.pullRequest = { ...changeFixture.pullRequest, mergeable: 'conflicted' };

const scheduledAt = '2026-01-05T09:00:00.000Z';
/** The schedule is disabled, then enabled when a time is due, and finally removed. */
const schedulePlans = [
  { schedule: 'off' },
  { schedule: '0 9 * * *', start: { due: scheduledAt, products: [product], more: false } },
  { schedule: '0 9 * * *', next: '2026-01-06T09:00:00.000Z' },
];

const buildDomainSnapshot = (state: 'WaitingForDns' | 'Verified') => ({
  state,
  kind: 'managed' as const,
  shard: 0,
  ...(state === 'WaitingForDns' && { gracePeriodEndsAt: new Date(Date.now() + 1_000_000).toISOString() }),
});
let pollCount = 0;
let refreshCount = 0;
let deletionCount = 0;
let sloRounds = 0;
let incidentRounds = 0;
const activities: Partial<Activities> = {
  ...zoneFixture.activities,
  ...changeFixture.activities,
  createIssue: async () => ({ number: 7 }),
  readLabelEvents: async () => [],
  labelIssue: async () => {},
  matchDelivery: async ({ facts: { number } }) =>
    number === 8 ? [] : [{ agentWorkflow: 'change', product, starts: true }],
  recordDelivery: async () => {},
  // The first poll finds a missed event, the second finds none, and then the org is gone.
  refreshRegistryAccess: async () => {},
  refreshRepositoryAccess: async () => (refreshCount += 1) <= 2,
  redeliverFailedDeliveries: async () => (pollCount += 1) <= 2,
  findMissedEvents: async () => ({ events: pollCount === 1 ? [{ ...facts, number: 8 }] : [] }),
  recheckMissedEvents: async ({ events }) => events,
  commitLogo: async () => ({ repo, path: 'logo.svg', type: 'image/svg+xml', hash: 'h1', commit: 'c1' }),
  designLogo: async () => {},
  mergeBaseBranch: async () => ({ outcome: 'conflicts', headSha: 'head-2', files: ['server.js'] }),
  createSourceRepo: async () => {},
  commitSource: async () => ({ repo: 'acme/fresh', commit: 'c2' }),
  hasRelease: async () => false,
  recordScaffold: async () => true,
  // The runs of the Release wait for a place, because a recording of them is of no other use.
  findReleaseTriggers: async () => ['go-to-market'],
  reserveReleaseRuns: async () => 0,
  openRelease: async (input) => {
    // The first Release of a scaffolded Product is started, and its own history is the same as that of any other.
    if (input.product === 'fresh') throw new ServiceError('product-deleting', 'The Product "fresh" is being deleted.');
    return { release: 'hello-v0.1.0', version: 'v0.1.0', uid: 'u1', zones: ['hello-rc', 'hello-prod'] };
  },
  readZone: async ({ zone }) => ({ requiresApproval: zone === 'hello-prod', running: undefined }),
  beginProductDeletion: async (ref) => (ref.product === product ? ['hello-rc', 'hello-prod'] : []),
  listProductWork: async () => ['run-agent-workflow/acme/change/gone'],
  waitForProductWork: async () => {},
  removeProductChart: async () => {},
  deleteProductResources: async () => {},
  beginOrgDeletion: async () => ({ uid: 'u1' }),
  listOrgWork: async () => ({ schedules: ['upkeep'], workflowIds: ['run-agent-workflow/acme/change/gone'] }),
  waitForOrgWork: async () => {},
  markProductsDeleting: async () => ['other'],
  waitForProductDeletions: async () => {},
  listOrgDomains: async () => ['example.com'],
  recordOrgDeletion: async () => {},
  // The first attempt is refused, and the second succeeds.
  deleteOrgResources: async () => {
    if ((deletionCount += 1) === 1) throw new ServiceError('namespace-taken', 'The namespace is of another owner.');
  },
  // Prometheus loads the rules after the first check, and then the last SLO is removed.
  applySloRules: async () => ({ slos: (sloRounds += 1) <= 2 ? 1 : 0, hasOperator: true }),
  checkSloRules: async () => ({ isSettled: sloRounds > 1 }),
  // The alert of an incident is missing twice, and then the last SLO is removed.
  checkIncidents: async ({ missing }) => ({
    missing: missing.length === 0 ? ['hello-prod-1124-1200-0a1b2c3d'] : [],
    isNeeded: (incidentRounds += 1) <= 2,
  }),
  applyAlertRoute: async () => {},
  readSchedule: async () => ({ now: scheduledAt, ...schedulePlans.shift() }),
  recordSchedule: async () => {},
  claimDomain: async () => buildDomainSnapshot('WaitingForDns'),
  refreshDomainState: async () => buildDomainSnapshot('WaitingForDns'),
  checkDomain: async () => buildDomainSnapshot('Verified'),
  waitForManagedDomain: async () => buildDomainSnapshot('WaitingForDns'),
  beginDomainRemoval: async () => {},
  deleteDomainResources: async () => {},
  sweepDomains: async () => {},
};

/** A backup, and its restore with one schedule to start again. */
const backupActivities: Partial<Activities> = {
  openBackup: async () => {},
  writeBackup: async () => {},
  recordBackup: async () => {},
  deleteExpiredBackups: async () => {},
  checkArchive: async () => ({ conflicts: 0 }),
  beginRestore: async () => true,
  restoreArchive: async () => {},
  recordRestore: async () => {},
  deleteRecoveryKey: async () => {},
  listRestoredOrgs: async () => [org],
  listClaimedDomains: async () => [],
  listOpenWork: async () => ({
    isDeleting: false,
    hasCodehost: false,
    hasSlos: false,
    zones: [],
    releases: [],
    runs: [],
    scaffolds: [],
    deletedProducts: [],
    schedules: ['restored'],
  }),
};

const scratch = await mkdtemp(join(tmpdir(), 'record-'));
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const server = await startTemporal({ folder: scratch, onProgress });
const harness = await startWorkflowHarness({
  address: server.address,
  activities: { ...activities, ...backupActivities },
  identity: 'recorder',
});
try {
  await runAllWorkflows(harness);
  await writeHistories(harness);
} finally {
  await harness.close();
  await server.close();
  await rm(scratch, { recursive: true, force: true });
}

async function runAllWorkflows(harness: WorkflowHarness): Promise<void> {
  await runProductWorkflows(harness);
  await runChange(harness);
  await runSchedule(harness);
  await runDomain(harness);
  await runBackup(harness);
  const intervals = { pollIntervalMs: 1, gracePeriodMs: 1, retryDelayMs: 1 };
  await (await harness.start(reconcileDeliveriesStart({ org, intervals }))).result();
  await (await harness.start(keepRepositoryAccessStart({ org, intervalMs: 1 }))).result();
  await (await harness.start(reconcileSloRulesStart({ org, intervals: { recheckMs: 1, settledMs: 1 } }))).result();
  await (await harness.start(reconcileIncidentsStart({ org, intervalMs: 1 }))).result();
  await (await harness.start(deleteProductStart({ org, product, by: 'bob' }))).result();
  await (await harness.start(deleteOrgStart({ org, by: 'bob', intervals: { retryDelayMs: 1 } }))).result();
}

async function runProductWorkflows({ start }: WorkflowHarness): Promise<void> {
  const request = { org, product, repo, requestId: '1' };
  await (await start(createIssueStart({ ...request, payloadKey: 'requests/1' }))).result();
  await (
    await start(labelIssueStart({ ...request, number: 7, add: ['service'], remove: ['later'], by: 'ada' }))
  ).result();
  await (await start(commitLogoStart({ org, product, repo, hash: 'h1', type: 'image/svg+xml' }))).result();
  await (await start(suggestLogosStart({ org, product, round: '1' }))).result();
  await (await start(scaffoldProductStart({ org, product: 'fresh', uid: 'u1', by: 'ada' }))).result();
}

/** Runs a Change from the delivery of its issue to production, with a conflict and two approvals. */
async function runChange({ start, client }: WorkflowHarness): Promise<void> {
  await (await start(routeDeliveryStart({ org, deliveryId: 'delivery-1', bodyHash: 'body-1', facts }))).result();
  const run = client.workflow.getHandle(runAgentWorkflowId(buildChangeInput(org)));
  for (const headSha of ['head-2', 'resolved-by-agent']) {
    await waitUntil(
      () => changeFixture.phase() === 'WaitingForPerson' && changeFixture.status.pullRequest?.headSha === headSha,
    );
    await run.executeUpdate(approveStepUpdate, { args: buildDecision(changeFixture, { headSha }) });
  }
  await run.result();

  await waitUntil(() => zoneFixture.phase('v0.1.0', 'hello-prod') === 'WaitingForApproval');
  const zone = client.workflow.getHandle(manageZoneId({ org, product, zone: 'hello-prod' }));
  await zone.executeUpdate(approvePromotionUpdate, { args: [{ release: 'hello-v0.1.0', by: 'bob', role: 'member' }] });
  await waitUntil(() => zoneFixture.phase('v0.1.0', 'hello-prod') === 'Verified');
}

async function runSchedule({ start, client }: WorkflowHarness): Promise<void> {
  const { workflowId } = await start(runScheduleStart({ org, agentWorkflow: 'upkeep' }));
  const schedule = client.workflow.getHandle(workflowId);
  for (const plans of [2, 0]) {
    await waitUntil(() => schedulePlans.length === plans);
    await schedule.signal(scheduleChangedSignal);
  }
  await schedule.result();
}

/** Claims a name, waits for its records, checks it and removes it. */
async function runDomain({ start, client, callInputs }: WorkflowHarness): Promise<void> {
  const name = await start(verifyDomainStart({ org, domain: 'example.com' }));
  await name.executeUpdate(claimDomainUpdate, { args: [{ org, kind: 'managed', shared: false }] });
  await waitUntil(() => callInputs('waitForManagedDomain').length === 1);
  await name.signal(checksChangedSignal, { org });
  await waitUntil(() => callInputs('refreshDomainState').length === 1);
  await name.executeUpdate(checkDomainUpdate, { args: [{ org }] });
  await name.executeUpdate(removeDomainUpdate, { args: [{ org }] });
  await name.result();
  await client.workflow.getHandle(sweepDnsId({ shard: 0 })).terminate('recorded');
}

async function runBackup({ start }: WorkflowHarness): Promise<void> {
  await (await start(backUpStart({ backup: 'backup-20260101120000-1a2b3c4d', startedBy: 'root' }))).result();
  await (await start(backUpOnScheduleStart())).result();
  const restore = await start(restoreBackupStart({ restore: 'restore-1a2b3c4d' }));
  await restore.signal(restoreConfirmedSignal);
  await restore.result();
}

async function writeHistories({ fetchHistories }: WorkflowHarness): Promise<void> {
  const recorded = await fetchHistories();
  for await (const name of glob('*.json', { cwd: import.meta.dirname })) await rm(join(import.meta.dirname, name));
  for (const { type, workflowId, history } of recorded) {
    const file = new URL(`${type.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`, import.meta.url);
    // The zone with an approval and the Change have more events than the other zone and the scheduled run.
    if (type === 'manageZone' && !workflowId.endsWith('hello-prod')) continue;
    if (type === 'takeScreenshot' && !workflowId.endsWith('hello-prod')) continue;
    if (workflowId.endsWith(scheduledAt)) continue;
    if (type === 'promoteRelease' && workflowId.includes('/fresh/')) continue;
    // The execution that starts runs continues as new; the last one only ends.
    if (type === 'runSchedule' && !hasContinuedAsNew(history)) continue;
    await writeFile(file, `${JSON.stringify({ workflowId, history: toPlainJson(history) }, null, 1)}\n`);
    onProgress(`${type}: ${history.events?.length} events`);
  }
}

function hasContinuedAsNew({ events }: RecordedHistory['history']): boolean {
  return Boolean(events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes);
}

/** Converts a history for the replayer; the library's own conversion fails when npm installs two copies of protobufjs. */
function toPlainJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (typeof value !== 'object' || value === null) return value;
  if ('toNumber' in value) return Number(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlainJson(inner)]));
}

async function waitUntil(isReached: () => boolean): Promise<void> {
  while (!isReached()) await sleep(5);
}
