import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiClient } from '../../../src/clients/api-client.ts';
import type { ReleaseView, RunView } from '../../../src/clients/demo/views.ts';
import { getOwnerAuthorization } from './codehost-owners.ts';
import type { CodehostAccess } from './codehost-reader.ts';
import { waitUntil } from './wait-until.ts';
import { runGit } from '../run-git.ts';

const sampleFolder = fileURLToPath(new URL('../../../src/emulators/sample/hello', import.meta.url));

/** The default zones of a Product, with a production that tests can request without a session. */
export const toPublicZones = (product: string) => [
  { name: `${product}-rc`, promotionPolicy: 'automatic' },
  { name: `${product}-prod`, promotionPolicy: 'after-approval' },
];

/** Creates the org "acme" and connects it to the embedded code host. */
export async function createAcmeOrg(api: ApiClient): Promise<void> {
  await api.post('/v1/orgs', { name: 'acme' });
  await connectToCodehost(api, 'acme');
}

export async function connectToCodehost(api: ApiClient, org: string): Promise<void> {
  const { action, manifest } = await api.post<{ action: string; manifest: string }>(`/v1/orgs/${org}/codehost/connect`);
  const response = await fetch(action, {
    method: 'POST',
    headers: { authorization: await getOwnerAuthorization(action) },
    body: new URLSearchParams({ manifest }),
    redirect: 'manual',
  });
  const callback = URL.parse(response.headers.get('location') ?? '');
  if (!callback) throw new Error(await response.text());
  await api.get(`${callback.pathname.replace(/^\/api/, '')}${callback.search}`);
}

/** Creates a Product in a new repo that holds the sample, with the given files on top. */
export async function createProduct(
  platform: CodehostAccess,
  api: ApiClient,
  { name, files = {} }: { name: string; files?: Record<string, string> },
): Promise<void> {
  await pushRepo(platform, { fullName: `acme/${name}`, files });
  const verify = { timeoutSeconds: 2 };
  const zones = [
    { name: `${name}-rc`, promotionPolicy: 'automatic', verify },
    { name: `${name}-prod`, promotionPolicy: 'after-approval', verify },
  ];
  await api.post('/v1/orgs/acme/products', { name, spec: { repos: [`acme/${name}`], delivery: { zones } } });
}

export async function pushRepo(
  platform: CodehostAccess,
  { fullName, files = {} }: { fullName: string; files?: Record<string, string> },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'push-'));
  const git = async (...args: string[]): Promise<unknown> => await runGit(folder, ...args);
  try {
    await cp(sampleFolder, folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
    await git('init', '--quiet', '--initial-branch', 'main');
    await git('add', '--all');
    await git('commit', '--quiet', '-m', 'The app');
    const host = new URL(platform.codehostUrl);
    await git('push', '--quiet', `http://owner:${await platform.codehostToken()}@${host.host}/${fullName}.git`, 'main');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function openIssue(
  api: ApiClient,
  product: string,
  issue: { title: string; body?: string; labels?: string[] },
): Promise<number> {
  const { number } = await api.post<{ number: number }>(`/v1/orgs/acme/products/${product}/issues`, {
    body: '',
    ...issue,
  });
  return number;
}

/** Opens an issue with that title and starts a Change on it. */
export async function startChange(
  api: ApiClient,
  product: string,
  title: string,
  agentWorkflow = 'change',
): Promise<string> {
  const issue = await openIssue(api, product, { title });
  const { name } = await api.post<RunView>('/v1/orgs/acme/agentworkflowruns', {
    agentWorkflow,
    product,
    issue,
  });
  return name;
}

export const getRun = async (api: ApiClient, run: string): Promise<RunView> =>
  await api.get(`/v1/orgs/acme/agentworkflowruns/${run}`);
export const getRelease = async (api: ApiClient, release: string): Promise<ReleaseView> =>
  await api.get(`/v1/orgs/acme/releases/${release}`);

export const waitForRunPhase = async (api: ApiClient, run: string, phase: string): Promise<RunView> =>
  await waitUntil(
    async () => await getRun(api, run),
    ({ status }) => status.phase === phase,
  );

export const waitForStepPhase = async (
  api: ApiClient,
  run: string,
  { step, phase }: { step: string; phase: string },
): Promise<RunView> =>
  await waitUntil(
    async () => await getRun(api, run),
    ({ status }) => status.steps.some((one) => one.name === step && one.phase === phase),
  );

export const waitForReleasePhase = async (api: ApiClient, release: string, phase: string): Promise<ReleaseView> =>
  await waitUntil(
    async () => await getRelease(api, release),
    ({ status }) => status.phase === phase,
  );

export const waitForZonePhase = async (
  api: ApiClient,
  release: string,
  { zone, phase }: { zone: string; phase: string },
): Promise<ReleaseView> =>
  await waitUntil(
    async () => await getRelease(api, release),
    ({ status }) => status.zones.some((one) => one.name === zone && one.phase === phase),
  );

/** Approves the head that the run shows. */
export async function approveRunStep(api: ApiClient, run: string, step = 'approve-change'): Promise<RunView> {
  const { pullRequest } = (await getRun(api, run)).status;
  const body = pullRequest ? { headSha: pullRequest.headSha } : {};
  return await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/approve`, body);
}

export const approveZone = async (api: ApiClient, release: string, zone: string): Promise<ReleaseView> =>
  await api.post(`/v1/orgs/acme/releases/${release}/zones/${zone}/approve`, {});

/** Approves the step or zone that waits, if any. Returns the phase of the Release, or of the run before it has one. */
export async function approvePending(api: ApiClient, run: string): Promise<string> {
  const view = await getRun(api, run);
  if (view.status.steps.some(({ phase }) => phase === 'Waiting')) await approveRunStep(api, run).catch(() => undefined);
  const release = view.release && (await getRelease(api, view.release));
  if (!release) return view.status.phase;
  const zone = release.status.zones.find(({ phase }) => phase === 'WaitingForApproval');
  if (zone) await approveZone(api, release.name, zone.name).catch(() => undefined);
  return release.status.phase;
}

/** Requests a zone on loopback, because not every system resolves `*.localhost`. */
export async function requestZone(address: string, path: string): Promise<{ status: number; body: string }> {
  const { host, port } = new URL(address);
  return await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    }).on('error', reject);
  });
}
