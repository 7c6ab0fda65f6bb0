import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import {
  type Example,
  approvingReviewers,
  call,
  edit,
  finish,
  run,
  titled,
  turn,
} from '../../src/local/model/example.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import { approve, createAcme, createProduct, getRun, runIs, startChange, stepIs } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

const question = 'Which colour is wanted: green or blue?';
const page = call('read_file', { path: 'page.js' });
const paint = [
  turn('Paint it.', edit('page.js', 'color: #14213d', 'color: green')),
  turn('I run the tests.', run('npm test')),
  finish('done', 'The page is green.'),
];

/** Conversations about these issues, as the model was sent them. */
const asked: string[] = [];
const keeping =
  (title: string): Example['matches'] =>
  (conversation) =>
    titled(title)(conversation) && asked.push(conversation) > 0;

const examples: Example[] = [
  {
    name: 'asks',
    matches: keeping('Paint the page'),
    roles: {
      implementer: [turn('I look at the page.', page), finish('needs-guidance', question), ...paint],
      ...approvingReviewers,
    },
  },
  {
    name: 'takes-long',
    matches: keeping('Paint the page slowly'),
    roles: { implementer: [turn('I look.', page), turn('I look again.', page), ...paint], ...approvingReviewers },
  },
];

let platform: TestPlatform;
let model: Awaited<ReturnType<typeof startModel>>;
let root: Api;
let member: Api;
let viewer: Api;

beforeAll(async () => {
  model = await startModel({ port: 0, examples });
  platform = await TestPlatform.start({ MODEL_BASE_URL: model.url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' });
  root = await platform.asRoot();
  await createAcme(root);
  await createProduct(platform, root, { name: 'painted' });
  member = await signedUp('member');
  viewer = await signedUp('viewer');
});
afterAll(async () => {
  await platform?.remove();
  await model?.close();
});

async function signedUp(role: 'member' | 'viewer'): Promise<Api> {
  const person = { email: `${role}@example.com`, password: 'correct horse battery staple' };
  await root.post('/v1/access/users', person);
  const { accessGroups } = await root.get<{ accessGroups: object[] }>('/v1/orgs/acme/access-groups');
  const group = { name: `${role}s`, role, members: [person.email] };
  await root.put('/v1/orgs/acme/access-groups', { accessGroups: [...accessGroups, group] });
  return await platform.signedIn(person);
}

const guide = async (api: Api, run: string, { step = 'implement', text }: { step?: string; text: string }) =>
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/guide`, { text });

const stageOf = async (run: string, name: string) =>
  (await getRun(member, run)).strip.find(({ stage }) => stage === name);

describe('an agent that asks', () => {
  let change: string;

  beforeAll(async () => {
    change = await startChange(member, 'painted', 'Paint the page');
    await stepIs(member, change, { step: 'implement', phase: 'NeedsGuidance' });
  });

  it('shows its question in amber, and says that a member is waited for', async () => {
    expect(await stageOf(change, 'review')).toMatchObject({
      colour: 'amber',
      detail: expect.stringContaining(question),
    });
    const { status } = await getRun(member, change);
    expect(status).toMatchObject({
      phase: 'NeedsGuidance',
      steps: [
        { name: 'implement', waitingFor: { role: 'member', what: expect.stringContaining(question) } },
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });

  it('403, 409, 422: is not answered by a viewer, nor with nothing, and a step that does not ask is not either', async () => {
    const text = 'Green, please.';
    await expect(guide(viewer, change, { text })).rejects.toMatchObject({ status: 403 });
    await expect(guide(member, change, { text, step: 'approve-change' })).rejects.toMatchObject({ status: 409 });
    await expect(guide(member, change, { text: '' })).rejects.toMatchObject({ status: 422 });
    await expect(guide(member, change, { text: '  ' })).rejects.toMatchObject({ status: 422 });
    expect((await getRun(member, change)).status.phase).toBe('NeedsGuidance');
  });

  it('goes on with what it knew and what it was told, to an approved and merged Change', async () => {
    asked.length = 0;
    await guide(member, change, { text: 'Green, and mind the contrast.' });
    await runIs(member, change, 'WaitingForPerson');
    expect(asked[0]).toContain('color: #14213d');
    expect(asked[0]).toContain('Green, and mind the contrast.');
    const { status } = await getRun(member, change);
    expect(status.steps[0]).toMatchObject({ phase: 'Succeeded', turns: 5, verdict: { outcome: 'done' } });
    expect(status.steps[0]?.waitingFor).toBeUndefined();
    expect(await stageOf(change, 'review')).toMatchObject({ colour: 'green' });
    await approve(member, change);
    await runIs(member, change, 'Succeeded');
  });
});

it('an agent that has taken all its turns asks the same way, with what it would take, and goes on where it was', async () => {
  const role = '/v1/orgs/acme/agentroles/implementer';
  const { spec, resourceVersion } = await root.get<{ spec: object; resourceVersion: string }>(role);
  await root.put(role, { spec: { ...spec, limits: { turns: 3 } }, resourceVersion });

  await createProduct(platform, root, { name: 'slowly' });
  const change = await startChange(member, 'slowly', 'Paint the page slowly');
  const { status } = await stepIs(member, change, { step: 'implement', phase: 'NeedsGuidance' });
  expect(status.steps[0]?.waitingFor?.what).toContain('all of its 3 turns');
  expect(status.steps[0]?.waitingFor?.what).toContain('raise limits.turns of the AgentRole');
  expect(await stageOf(change, 'review')).toMatchObject({ colour: 'amber' });
  expect(status.pullRequest).toBeDefined();

  asked.length = 0;
  await guide(member, change, { text: 'Take the turns that you need.' });
  const ended = await runIs(member, change, 'WaitingForPerson');
  expect(asked[0]).toContain('Take the turns that you need.');
  expect(ended.status.steps[0]).toMatchObject({ phase: 'Succeeded', turns: 5 });
  expect(ended.status.pullRequest).toMatchObject({ number: status.pullRequest?.number });
});
