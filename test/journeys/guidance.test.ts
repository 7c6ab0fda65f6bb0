import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import {
  type Scenario,
  approvingReviewers,
  call,
  edit,
  finish,
  runCommand,
  matchesTitle,
  turn,
} from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import {
  approveRunStep,
  createAcmeOrg,
  createProduct,
  getRun,
  waitForRunPhase,
  startChange,
  waitForStepPhase,
} from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

const question = 'Which colour should the page have: green or blue?';
const page = call('read_file', { path: 'page.js' });
const paint = [
  turn('Paint it.', edit('page.js', 'color: #14213d', 'color: green')),
  turn('I run the tests.', runCommand('npm test')),
  finish('done', 'The page is green.'),
];

/** The conversations that the model received. */
const conversations: string[] = [];
const recordingMatch =
  (title: string): Scenario['matches'] =>
  (conversation) =>
    matchesTitle(title)(conversation) && conversations.push(conversation) > 0;

const scenarios: Scenario[] = [
  {
    name: 'requests-guidance',
    matches: recordingMatch('Paint the page'),
    roles: {
      implementer: [turn('I read the page.', page), finish('needs-guidance', question), ...paint],
      ...approvingReviewers,
    },
  },
  {
    name: 'needs-more-turns',
    matches: recordingMatch('Paint the page slowly'),
    roles: {
      implementer: [turn('I read the page.', page), turn('I read it again.', page), ...paint],
      ...approvingReviewers,
    },
  },
];

let platform: TestPlatform;
let model: Awaited<ReturnType<typeof startModel>>;
let root: ApiClient;
let member: ApiClient;
let viewer: ApiClient;

beforeAll(async () => {
  model = await startModel({ port: 0, scenarios });
  platform = await TestPlatform.start({ MODEL_BASE_URL: model.url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' });
  root = await platform.signInAsRoot();
  await createAcmeOrg(root);
  await createProduct(platform, root, { name: 'painted' });
  member = await createUser('member');
  viewer = await createUser('viewer');
});
afterAll(async () => {
  await platform?.remove();
  await model?.close();
});

async function createUser(role: 'member' | 'viewer'): Promise<ApiClient> {
  const person = { email: `${role}@example.com`, password: 'correct horse battery staple' };
  await platform.createUser(person);
  const { accessGroups, resourceVersion } = await root.get<{ accessGroups: object[]; resourceVersion: string }>(
    '/v1/orgs/acme/access-groups',
  );
  const group = { name: `${role}s`, role, members: [person.email] };
  await root.put('/v1/orgs/acme/access-groups', { accessGroups: [...accessGroups, group], resourceVersion });
  return await platform.signIn(person);
}

const guide = async (api: ApiClient, run: string, { step = 'implement', text }: { step?: string; text: string }) =>
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/guide`, { text });

const findStage = async (run: string, name: string) =>
  (await getRun(member, run)).progress.find(({ stage }) => stage === name);

describe('an agent that requests guidance', () => {
  let change: string;

  beforeAll(async () => {
    change = await startChange(member, 'painted', 'Paint the page');
    await waitForStepPhase(member, change, { step: 'implement', phase: 'NeedsGuidance' });
  });

  it('shows its question in amber and the role that can answer', async () => {
    expect(await findStage(change, 'review')).toMatchObject({
      colour: 'amber',
      detail: expect.stringContaining(question),
    });
    const { status } = await getRun(member, change);
    expect(status).toMatchObject({
      phase: 'NeedsGuidance',
      steps: [
        { name: 'implement', waitingFor: { role: 'member', message: expect.stringContaining(question) } },
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });

  it('403, 409, 422: guidance by a viewer, for another step, and without text', async () => {
    const text = 'Green, please.';
    await expect(guide(viewer, change, { text })).rejects.toMatchObject({ status: 403 });
    await expect(guide(member, change, { text, step: 'approve-change' })).rejects.toMatchObject({ status: 409 });
    await expect(guide(member, change, { text: '' })).rejects.toMatchObject({ status: 422 });
    await expect(guide(member, change, { text: '  ' })).rejects.toMatchObject({ status: 422 });
    expect((await getRun(member, change)).status.phase).toBe('NeedsGuidance');
  });

  it('continues with its conversation and the guidance until the Change is merged', async () => {
    conversations.length = 0;
    await guide(member, change, { text: 'Green, and mind the contrast.' });
    await waitForRunPhase(member, change, 'WaitingForPerson');
    expect(conversations[0]).toContain('color: #14213d');
    expect(conversations[0]).toContain('Green, and mind the contrast.');
    const { status } = await getRun(member, change);
    expect(status.steps[0]).toMatchObject({ phase: 'Succeeded', turns: 5, verdict: { outcome: 'done' } });
    expect(status.steps[0]?.waitingFor).toBeUndefined();
    expect(await findStage(change, 'review')).toMatchObject({ colour: 'green' });
    await approveRunStep(member, change);
    await waitForRunPhase(member, change, 'Succeeded');
  });
});

it('requests guidance at the turn limit with the fix, and continues afterwards', async () => {
  const role = '/v1/orgs/acme/agentroles/implementer';
  const { spec, resourceVersion } = await root.get<{ spec: object; resourceVersion: string }>(role);
  await root.put(role, { spec: { ...spec, limits: { turns: 3 } }, resourceVersion });

  await createProduct(platform, root, { name: 'slowly' });
  const change = await startChange(member, 'slowly', 'Paint the page slowly');
  const { status } = await waitForStepPhase(member, change, { step: 'implement', phase: 'NeedsGuidance' });
  expect(status.steps[0]?.waitingFor?.message).toContain('all of its 3 turns');
  expect(status.steps[0]?.waitingFor?.message).toContain("raise the AgentRole's limit of turns");
  expect(await findStage(change, 'review')).toMatchObject({ colour: 'amber' });
  expect(status.pullRequest).toBeDefined();

  conversations.length = 0;
  await guide(member, change, { text: 'Take the turns that you need.' });
  const ended = await waitForRunPhase(member, change, 'WaitingForPerson');
  expect(conversations[0]).toContain('Take the turns that you need.');
  expect(ended.status.steps[0]).toMatchObject({ phase: 'Succeeded', turns: 5 });
  expect(ended.status.pullRequest).toMatchObject({ number: status.pullRequest?.number });
});
