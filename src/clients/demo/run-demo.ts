import { randomBytes } from 'node:crypto';
import { type ApiClient, ApiProblem, createApiClient } from '../api-client.ts';
import type { DemoState } from './demo-state.ts';
import type { Terminal } from './terminal.ts';
import { type ReleaseView, type RunView, isChangeFinished } from './views.ts';

export type DemoOptions = {
  /** `http://localhost:8080/api` */
  baseUrl: string;
  setupToken: () => Promise<string>;
  /** The token of the owner at the code host, who registers the app of the org. */
  codehostToken: string;
  org: string;
  product: string;
  repo: string;
  issue: { title: string; body: string };
  state: DemoState;
  terminal: Terminal;
  pollIntervalMs: number;
};

export type DemoResult = { run: RunView; release: ReleaseView | undefined };

/** Drives one Change from an issue to production through the API. An interrupted demo resumes its Change. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const api = await signIn(options);
  await ensureProduct(api, options);
  const run = await ensureChange(api, options);
  return await followChange(api, options, run);
}

async function signIn({ baseUrl, setupToken, state, terminal }: DemoOptions): Promise<ApiClient> {
  let token = state.get('token');
  const api = createApiClient(baseUrl, () => token);
  if (token !== undefined) return api;
  const email = 'root@example.com';
  const { rootUser } = await api.get<{ rootUser: boolean }>('/v1/setup');
  const password = state.get('password') ?? randomBytes(18).toString('base64url');
  if (rootUser && state.get('password') === undefined)
    throw new Error(
      'The data directory already has a root user. Pass an API token of that user in DEMO_TOKEN, or use another --data-dir.',
    );
  await state.set('password', password);
  if (!rootUser)
    await api.post('/v1/setup/root-user', { email, password }, { 'x-service-setup-token': await setupToken() });
  const cookie = await createSession(baseUrl, { email, password });
  const minted = await api.post<{ token: string }>(
    '/v1/me/tokens',
    { label: 'demo' },
    { cookie, origin: new URL(baseUrl).origin },
  );
  token = minted.token;
  await state.set('token', token);
  terminal.printLine(`Signed in as ${email} (the password is in ${state.file}).`);
  return api;
}

async function createSession(baseUrl: string, credentials: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
    body: JSON.stringify(credentials),
  });
  if (!response.ok) throw new ApiProblem(response.status, `Sign-in returned ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function ensureProduct(
  api: ApiClient,
  { org, product, repo, codehostToken, terminal }: DemoOptions,
): Promise<void> {
  if (!(await api.find(`/v1/orgs/${org}`))) {
    await ignoreConflict(api.post('/v1/orgs', { name: org }));
    terminal.printLine(`Created the org ${org}.`);
  }
  const { connected } = await api.get<{ connected: boolean }>(`/v1/orgs/${org}/codehost`);
  if (!connected) {
    await connectCodehost(api, org, codehostToken);
    terminal.printLine(`Connected ${org} to the code host.`);
  }
  if (!(await api.find(`/v1/orgs/${org}/products/${product}`))) {
    await ignoreConflict(api.post(`/v1/orgs/${org}/products`, { name: product, spec: { repos: [repo] } }));
    terminal.printLine(`Created the Product ${product} with the repo ${repo}.`);
  }
}

/** Posts the form and follows the redirect as the same person, who confirms the new application. */
async function connectCodehost(api: ApiClient, org: string, codehostToken: string): Promise<void> {
  const { action, manifest } = await api.post<{ action: string; manifest: string }>(`/v1/orgs/${org}/codehost/connect`);
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ manifest }),
    headers: { authorization: `Bearer ${codehostToken}` },
    redirect: 'manual',
  });
  const callback = URL.parse(response.headers.get('location') ?? '');
  if (!callback) throw new Error(`The code host was not connected: ${await response.text()}`);
  await api.get(`${callback.pathname.replace(/^\/api/, '')}${callback.search}`);
}

async function ignoreConflict(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
  }
}

async function ensureChange(api: ApiClient, { org, product, issue, state, terminal }: DemoOptions): Promise<string> {
  const startedRun = state.get('run');
  if (startedRun !== undefined) {
    terminal.printLine(`Resuming the Change ${startedRun}.`);
    return startedRun;
  }
  const issueKey = state.get('issueKey') ?? randomBytes(8).toString('hex');
  await state.set('issueKey', issueKey);
  const opened = await api.post<{ number: number; url: string }>(`/v1/orgs/${org}/products/${product}/issues`, issue, {
    'idempotency-key': issueKey,
  });
  terminal.printLine(`Opened the issue ${opened.url} "${issue.title}".`);
  const run = await api.post<RunView>(
    `/v1/orgs/${org}/agentworkflowruns`,
    { agentWorkflow: 'change', product, issue: opened.number },
    { 'idempotency-key': `run-${issueKey}` },
  );
  await state.set('run', run.name);
  return run.name;
}

async function followChange(api: ApiClient, options: DemoOptions, name: string): Promise<DemoResult> {
  const { org, terminal, pollIntervalMs } = options;
  for (;;) {
    const run = await api.get<RunView>(`/v1/orgs/${org}/agentworkflowruns/${name}`);
    const release = run.release ? await api.find<ReleaseView>(`/v1/orgs/${org}/releases/${run.release}`) : undefined;
    terminal.showStages(run.progress);
    if (isChangeFinished(run, release)) return { run, release };
    await answerPendingDecision(api, options, { run, release });
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
}

type PendingDecision = DemoResult & { org: string; terminal: Terminal };

async function answerPendingDecision(
  api: ApiClient,
  { org, terminal }: DemoOptions,
  { run, release }: DemoResult,
): Promise<void> {
  const pending = { org, terminal, run, release };
  if (await answerGuidance(api, pending)) return;
  if (await answerApproval(api, pending)) return;
  await answerPromotion(api, pending);
}

async function answerGuidance(api: ApiClient, { org, terminal, run }: PendingDecision): Promise<boolean> {
  const step = run.status.steps.find(({ phase }) => phase === 'NeedsGuidance');
  if (!step) return false;
  const question = step.waitingFor?.message ?? step.verdict?.summary ?? '';
  const text = await terminal.ask(`${step.name} needs guidance: ${question}\nYour answer`);
  const path = `/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step.name}/guide`;
  if (text) await ignoreAlreadyDecided(api.post(path, { text }));
  return true;
}

async function answerApproval(api: ApiClient, { org, terminal, run }: PendingDecision): Promise<boolean> {
  const step = run.status.steps.find(({ phase }) => phase === 'Waiting');
  if (!step) return false;
  const { pullRequest } = run.status;
  const yes = await terminal.confirm(`Merge ${pullRequest?.url ?? 'the Change'}?`);
  const path = `/v1/orgs/${org}/agentworkflowruns/${run.name}/steps/${step.name}/${yes ? 'approve' : 'reject'}`;
  await ignoreAlreadyDecided(api.post(path, pullRequest ? { headSha: pullRequest.headSha } : {}));
  return true;
}

async function answerPromotion(api: ApiClient, { org, terminal, release }: PendingDecision): Promise<void> {
  const zone = release?.status.zones.find(({ phase }) => phase === 'WaitingForApproval');
  if (!release || !zone) return;
  const yes = await terminal.confirm(`Promote ${release.spec.version} to ${zone.name}?`);
  const path = `/v1/orgs/${org}/releases/${release.name}/zones/${zone.name}/${yes ? 'approve' : 'reject'}`;
  await ignoreAlreadyDecided(api.post(path, {}));
}

/** A 409 means that another person already decided; the next poll shows the decision. */
const ignoreAlreadyDecided = ignoreConflict;
