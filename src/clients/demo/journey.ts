import { randomBytes } from 'node:crypto';
import { type Api, ApiProblem, createApi } from '../http.ts';
import type { DemoMemory } from './memory.ts';
import type { Screen } from './screen.ts';
import { type ReleaseView, type RunView, isOver } from './views.ts';

export type Journey = {
  /** `http://localhost:8080/api` */
  baseUrl: string;
  setupToken: () => Promise<string>;
  org: string;
  product: string;
  repo: string;
  issue: { title: string; body: string };
  memory: DemoMemory;
  screen: Screen;
  /** How often the Change is looked at. */
  everyMs: number;
};

export type Outcome = { run: RunView; release: ReleaseView | undefined };

/** Drives one Change from an issue to production, over the API alone; begun before, it goes on where it was. */
export async function takeJourney(journey: Journey): Promise<Outcome> {
  const api = await signIn(journey);
  await prepare(api, journey);
  const run = await beginChange(api, journey);
  return await follow(api, journey, run);
}

async function signIn({ baseUrl, setupToken, memory, screen }: Journey): Promise<Api> {
  let token = memory.get('token');
  const api = createApi(baseUrl, () => token);
  if (token !== undefined) return api;
  const email = 'root@example.com';
  const { rootUser } = await api.get<{ rootUser: boolean }>('/v1/setup');
  const password = memory.get('password') ?? randomBytes(18).toString('base64url');
  if (rootUser && memory.get('password') === undefined)
    throw new Error(
      'This data directory has a root user of its own. Pass an API token of that user in DEMO_TOKEN, or use another --data-dir.',
    );
  await memory.set('password', password);
  if (!rootUser)
    await api.post('/v1/setup/root-user', { email, password }, { 'x-service-setup-token': await setupToken() });
  const cookie = await sessionCookie(baseUrl, { email, password });
  const minted = await api.post<{ token: string }>(
    '/v1/me/tokens',
    { label: 'demo' },
    { cookie, origin: new URL(baseUrl).origin },
  );
  token = minted.token;
  await memory.set('token', token);
  screen.say(`Signed in as ${email} (the password is in ${memory.file}).`);
  return api;
}

async function sessionCookie(baseUrl: string, credentials: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
    body: JSON.stringify(credentials),
  });
  if (!response.ok) throw new ApiProblem(response.status, `Signing in answered ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function prepare(api: Api, { org, product, repo, screen }: Journey): Promise<void> {
  if (!(await api.find(`/v1/orgs/${org}`))) {
    await unlessTaken(api.post('/v1/orgs', { name: org }));
    screen.say(`Created the org ${org}.`);
  }
  const { connected } = await api.get<{ connected: boolean }>(`/v1/orgs/${org}/codehost`);
  if (!connected) {
    await connectCodehost(api, org);
    screen.say(`Connected ${org} to the code host.`);
  }
  if (!(await api.find(`/v1/orgs/${org}/products/${product}`))) {
    await unlessTaken(api.post(`/v1/orgs/${org}/products`, { name: product, spec: { repos: [repo] } }));
    screen.say(`Created the Product ${product} with the repo ${repo}.`);
  }
}

/** What a browser does when a person confirms the new application: post the form, follow the way back. */
async function connectCodehost(api: Api, org: string): Promise<void> {
  const { action, manifest } = await api.post<{ action: string; manifest: string }>(`/v1/orgs/${org}/codehost/connect`);
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ manifest }),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`The code host was not connected: ${await response.text()}`);
}

async function unlessTaken(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
  }
}

async function beginChange(api: Api, { org, product, issue, memory, screen }: Journey): Promise<string> {
  const known = memory.get('run');
  if (known !== undefined) {
    screen.say(`Going on with the Change ${known}.`);
    return known;
  }
  const issueKey = memory.get('issueKey') ?? randomBytes(8).toString('hex');
  await memory.set('issueKey', issueKey);
  const opened = await api.post<{ number: number; url: string }>(`/v1/orgs/${org}/products/${product}/issues`, issue, {
    'idempotency-key': issueKey,
  });
  screen.say(`Opened the issue ${opened.url} "${issue.title}".`);
  const run = await api.post<RunView>(
    `/v1/orgs/${org}/agentworkflowruns`,
    { agentWorkflow: 'change', product, issue: opened.number },
    { 'idempotency-key': `run-${issueKey}` },
  );
  await memory.set('run', run.name);
  return run.name;
}

async function follow(api: Api, journey: Journey, name: string): Promise<Outcome> {
  const { org, screen, everyMs } = journey;
  for (;;) {
    const run = await api.get<RunView>(`/v1/orgs/${org}/agentworkflowruns/${name}`);
    const release = run.release ? await api.find<ReleaseView>(`/v1/orgs/${org}/releases/${run.release}`) : undefined;
    screen.show(run.strip);
    if (isOver(run, release)) return { run, release };
    await decideWhatWaits(api, journey, { run, release });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function decideWhatWaits(api: Api, { org, screen }: Journey, { run, release }: Outcome): Promise<void> {
  const guidance = run.status.steps.find(({ phase }) => phase === 'NeedsGuidance');
  if (guidance) {
    const text = await screen.ask(
      `${guidance.name} needs guidance: ${guidance.waitingFor?.what ?? guidance.verdict?.summary ?? ''}\nYour answer`,
    );
    if (text)
      await afterDecision(
        api.post(`/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${guidance.name}/guide`, { text }),
      );
    return;
  }
  const step = run.status.steps.find(({ phase }) => phase === 'Waiting');
  if (step) {
    const yes = await screen.confirm(`Merge ${run.status.pullRequest?.url ?? 'the Change'}?`);
    await afterDecision(
      api.post(`/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step.name}/${yes ? 'approve' : 'reject'}`, {}),
    );
    return;
  }
  const zone = release?.status.zones.find(({ phase }) => phase === 'WaitingForApproval');
  if (release && zone) {
    const yes = await screen.confirm(`Promote ${release.spec.version} to ${zone.name}?`);
    await afterDecision(
      api.post(`/v1/orgs/${org}/releases/${release.name}/zones/${zone.name}/${yes ? 'approve' : 'reject'}`, {}),
    );
  }
}

/** 409: somebody else decided meanwhile; the next look shows what. */
const afterDecision = unlessTaken;
