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
import { commitLogoId, createIssueId, deleteProductId, suggestLogosId } from '../../workflows/catalog/messages.ts';
import {
  type DeliveryFacts,
  approveStep,
  routeDeliveryId,
  runAgentWorkflowId,
} from '../../workflows/changes/messages.ts';
import { approvePromotion, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import { AChange, changeInput, decisionOn, ended } from '../support/a-change.ts';
import { AZone } from '../support/a-zone.ts';
import { startWorkflowWorld, type WorkflowWorld } from '../support/workflow-world.ts';

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

const activities = {
  ...zone.activities,
  ...change.activities,
  createIssue: async () => ({ number: 7 }),
  commitLogo: async () => ({ repo: 'acme/hello', path: 'logo.svg', type: 'image/svg+xml', commit: 'c1' }),
  designLogo: async () => {},
  matchDelivery: async () => [{ agentWorkflow: 'change', product, starts: true }],
  mergeBase: async () => ({ outcome: 'conflicts' as const, headSha: 'head-2', files: ['server.js'] }),
  openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', zones: ['hello-rc', 'hello-prod'] }),
  readZone: async (ref: { zone: string }) => ({ asksApproval: ref.zone === 'hello-prod', running: undefined }),
  beginProductDeletion: async () => ['hello-rc', 'hello-prod'],
  forgetProduct: async () => {},
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

async function goTheWholeWay({ start, client }: WorkflowWorld): Promise<void> {
  const request = { org, repo: 'acme/hello', requestKey: 'requests/1' };
  await (await start('createIssue', request, { workflowId: createIssueId({ org, requestId: '1' }) })).result();

  const logo = { org, product, repo: 'acme/hello', hash: 'h1', type: 'image/svg+xml' as const };
  await (await start('commitLogo', logo, { workflowId: commitLogoId(logo) })).result();
  const round = { org, product, round: '1' };
  await (await start('suggestLogos', round, { workflowId: suggestLogosId(round) })).result();

  const delivery = { org, delivery: 'delivery-1', facts };
  await (await start('routeDelivery', delivery, { workflowId: routeDeliveryId(delivery) })).result();
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

  const deletion = { org, product, by: 'bob' };
  await (await start('deleteProduct', deletion, { workflowId: deleteProductId(deletion) })).result();
}

async function write({ histories }: WorkflowWorld): Promise<void> {
  const recorded = await histories();
  for (const { type, workflowId, history } of recorded) {
    const file = new URL(`${type.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`, import.meta.url);
    // The keeper that was asked for approval tells more than the other.
    if (type === 'keepEnvironment' && !workflowId.endsWith('hello-prod')) continue;
    await writeFile(file, `${JSON.stringify({ workflowId, history: plain(history) }, null, 1)}\n`);
    onProgress(`${type}: ${history.events?.length} events`);
  }
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
