import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Api } from '../../src/clients/http.ts';
import type { ReleaseView, RunView } from '../../src/clients/demo/views.ts';
import type { TestPlatform } from './platform.ts';

const run = promisify(execFile);
const sample = fileURLToPath(new URL('../../src/local/sample/hello', import.meta.url));

/** Whose code host it is. */
type CodehostAccess = Pick<TestPlatform, 'codehostUrl' | 'codehostToken'>;

/** The org that tests build on, connected to the embedded code host. */
export async function createAcme(api: Api): Promise<void> {
  await api.post('/v1/orgs', { name: 'acme' });
  await connectToCodehost(api, 'acme');
}

export async function connectToCodehost(api: Api, org: string): Promise<void> {
  const { action, manifest } = await api.post<{ action: string; manifest: string }>(`/v1/orgs/${org}/codehost/connect`);
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ manifest }),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(await response.text());
}

/** A Product of the sample in a repo of its own, with files written over it. */
export async function createProduct(
  platform: CodehostAccess,
  api: Api,
  { name, files = {} }: { name: string; files?: Record<string, string> },
): Promise<void> {
  await pushRepo(platform, { fullName: `acme/${name}`, files });
  const verify = { withinSeconds: 2 };
  const zones = [
    { name: `${name}-rc`, arrival: 'automatic', verify },
    { name: `${name}-prod`, arrival: 'after-approval', verify },
  ];
  await api.post('/v1/orgs/acme/products', { name, spec: { repos: [`acme/${name}`], delivery: { zones } } });
}

export async function pushRepo(
  platform: CodehostAccess,
  { fullName, files = {} }: { fullName: string; files?: Record<string, string> },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'push-'));
  const git = async (...args: string[]): Promise<unknown> =>
    await run('git', ['-C', folder, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args]);
  try {
    await cp(sample, folder, { recursive: true });
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
  api: Api,
  product: string,
  issue: { title: string; body?: string; labels?: string[] },
): Promise<number> {
  const { number } = await api.post<{ number: number }>(`/v1/orgs/acme/products/${product}/issues`, {
    body: '',
    ...issue,
  });
  return number;
}

/** Starts the catalog's Change on a new issue of that title. */
export async function startChange(api: Api, product: string, title: string): Promise<string> {
  const issue = await openIssue(api, product, { title });
  const { name } = await api.post<RunView>('/v1/orgs/acme/agentworkflowruns', {
    agentWorkflow: 'change',
    product,
    issue,
  });
  return name;
}

export const getRun = async (api: Api, run: string): Promise<RunView> =>
  await api.get(`/v1/orgs/acme/agentworkflowruns/${run}`);
export const getRelease = async (api: Api, release: string): Promise<ReleaseView> =>
  await api.get(`/v1/orgs/acme/releases/${release}`);

/** Looks until the view is as wanted; says what it was at last when it never is. */
export async function until<T>(look: () => Promise<T>, isWanted: (view: T) => boolean, withinMs = 60_000): Promise<T> {
  let last: unknown;
  for (
    const giveUpAt = Date.now() + withinMs;
    Date.now() < giveUpAt;
    await new Promise((resolve) => setTimeout(resolve, 100))
  ) {
    try {
      const view = await look();
      if (isWanted(view)) return view;
      last = view;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(
    `Not as wanted within ${withinMs} ms: ${last instanceof Error ? last.message : JSON.stringify(last, null, 1)}`,
  );
}

export const runIs = async (api: Api, run: string, phase: string): Promise<RunView> =>
  await until(
    async () => await getRun(api, run),
    ({ status }) => status.phase === phase,
  );

export const stepIs = async (
  api: Api,
  run: string,
  { step, phase }: { step: string; phase: string },
): Promise<RunView> =>
  await until(
    async () => await getRun(api, run),
    ({ status }) => status.steps.some((one) => one.name === step && one.phase === phase),
  );

export const releaseIs = async (api: Api, release: string, phase: string): Promise<ReleaseView> =>
  await until(
    async () => await getRelease(api, release),
    ({ status }) => status.phase === phase,
  );

export const zoneIs = async (
  api: Api,
  release: string,
  { zone, phase }: { zone: string; phase: string },
): Promise<ReleaseView> =>
  await until(
    async () => await getRelease(api, release),
    ({ status }) => status.zones.some((one) => one.name === zone && one.phase === phase),
  );

export const approve = async (api: Api, run: string, step = 'approve-change'): Promise<RunView> =>
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/approve`, {});

export const approveZone = async (api: Api, release: string, zone: string): Promise<ReleaseView> =>
  await api.post(`/v1/orgs/acme/releases/${release}/zones/${zone}/approve`, {});

/** Approves whatever waits, as a person would who keeps looking; answers the phase of the Release, once there is one. */
export async function decide(api: Api, run: string): Promise<string> {
  const view = await getRun(api, run);
  if (view.status.steps.some(({ phase }) => phase === 'Waiting')) await approve(api, run).catch(() => undefined);
  const release = view.release && (await getRelease(api, view.release));
  if (!release) return view.status.phase;
  const zone = release.status.zones.find(({ phase }) => phase === 'WaitingForApproval');
  if (zone) await approveZone(api, release.name, zone.name).catch(() => undefined);
  return release.status.phase;
}

/** What the address of a zone answers; `*.localhost` is loopback. */
export async function ask(address: string, path: string): Promise<{ status: number; body: string }> {
  const { host, port } = new URL(address);
  return await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    }).on('error', reject);
  });
}

/** What the code host itself holds, read past the service. */
export class CodehostFacts {
  readonly platform: CodehostAccess;

  constructor(platform: CodehostAccess) {
    this.platform = platform;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.platform.codehostUrl}/api/v3${path}`, {
      headers: { authorization: `Bearer ${await this.platform.codehostToken()}` },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  pulls = async (repo: string) =>
    await this.get<{ number: number; state: string; merged_at: string | null; head: { ref: string } }[]>(
      `/repos/${repo}/pulls?state=all&per_page=100`,
    );
  commits = async (repo: string) =>
    await this.get<{ sha: string; commit: { message: string } }[]>(`/repos/${repo}/commits?per_page=100`);
  tags = async (repo: string) => await this.get<{ name: string; commit: { sha: string } }[]>(`/repos/${repo}/tags`);
  releases = async (repo: string) => await this.get<{ tag_name: string }[]>(`/repos/${repo}/releases`);
}
