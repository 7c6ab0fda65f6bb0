import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiClient, createApiClient } from '../../../src/clients/api-client.ts';
import { reservePorts } from '../servers/reserve-ports.ts';
import { registerCodehost } from './codehost-owners.ts';

const projectDir = fileURLToPath(new URL('../../..', import.meta.url));
const portCount = 10;

/** A browser takes seconds of CPU time per platform, so a test that needs screenshots names one. */
export const withoutBrowser = { CHROMIUM_PATH: '/nonexistent/chromium' };
/** Prometheus and Alertmanager take CPU time too, so a test that needs metrics turns them on. */
export const withoutMetrics = { METRICS: 'off' };

export const rootUser = { email: 'root@example.com', password: 'correct horse battery staple' };
type Login = { email: string; password: string };

/** Runs `npm start` in a separate process tree with its own data directory and ports. */
export class TestPlatform {
  readonly port: number;
  readonly #dataDir: string;
  readonly #diskMiB: number | undefined;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(dataDir: string, port: number, diskMiB?: number) {
    this.#dataDir = dataDir;
    this.#diskMiB = diskMiB;
    this.port = port;
    registerCodehost({ codehostUrl: this.codehostUrl, codehostToken: async () => await this.codehostToken() });
  }

  /** With `diskMiB`, the data directory is a disk of that size, in a mount namespace of the platform. */
  static async start(
    environment: Record<string, string> = {},
    { diskMiB }: { diskMiB?: number } = {},
  ): Promise<TestPlatform> {
    const dataDir = join(await mkdtemp(join(tmpdir(), 'platform-')), 'data');
    const platform = new TestPlatform(dataDir, await reservePorts(portCount), diskMiB);
    await platform.start(environment);
    return platform;
  }

  get dataDir(): string {
    return this.#diskMiB === undefined ? this.#dataDir : join('/proc', String(this.pid), 'root', this.#dataDir);
  }

  /** The output of the platform since its last start. */
  get output(): string {
    return this.#output;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** The id of the running process. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get codehostUrl(): string {
    return `http://localhost:${this.port + 2}`;
  }

  zoneUrl(zone: string): string {
    return `http://${zone}.localhost:${this.port + 1}`;
  }

  async start(environment: Record<string, string> = {}): Promise<void> {
    const args = [
      join(projectDir, 'src/main/platform/main.ts'),
      '--port',
      String(this.port),
      '--data-dir',
      this.#dataDir,
    ];
    const [command = process.execPath, ...rest] = [...(await this.#mountDisk()), process.execPath, ...args];
    const { MODEL_BASE_URL: _, ...inherited } = process.env;
    const child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...withoutBrowser, ...withoutMetrics, ...environment },
    });
    this.#process = child;
    this.#output = '';
    const ready = new Promise<void>((resolve, reject) => {
      const readOutput = (chunk: Buffer): void => {
        this.#output += chunk.toString();
        if (this.#output.includes('Ready in')) resolve();
      };
      child.stdout.on('data', readOutput);
      child.stderr.on('data', readOutput);
      child.once('exit', (code) => reject(new Error(`The platform exited with ${code}: ${this.#output}`)));
    });
    await ready;
  }

  async #mountDisk(): Promise<string[]> {
    if (this.#diskMiB === undefined) return [];
    await mkdir(this.#dataDir, { recursive: true });
    const mount = `mount -t tmpfs -o size=${this.#diskMiB}m disk "$0" && exec "$@"`;
    return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, this.#dataDir];
  }

  /** Sends SIGKILL to the platform and to every process that it started. */
  async killTree(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of listDescendants(child.pid)) killProcess(pid);
    killProcess(child.pid);
    await ended;
  }

  async stop(): Promise<number | null> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    return code;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(dirname(this.#dataDir), { recursive: true, force: true, maxRetries: 5 });
  }

  /** Returns the API as the root user, who is created on the first call. */
  async signInAsRoot(): Promise<ApiClient> {
    return await signInAsRoot(this.url, this.dataDir);
  }

  async signIn(person: Login): Promise<ApiClient> {
    return await signIn(this.url, person);
  }

  /** Creates a person who signs in with a password; a token may not. */
  async createUser(person: Login): Promise<void> {
    const root = createApiClient(`${this.url}/api`, () => undefined);
    await root.post('/v1/access/users', person, await openSession(this.url));
  }

  /** Returns an API token of a person, by default of the root user. */
  async mintToken(person: Login = rootUser): Promise<string> {
    return await mintToken(this.url, person);
  }

  async codehostToken(): Promise<string> {
    return (await readFile(join(this.dataDir, 'codehost', 'token'), 'utf8')).trim();
  }
}

/** Returns the API at a URL as the root user, who is created while the data directory has a setup token. */
export async function signInAsRoot(url: string, dataDir: string): Promise<ApiClient> {
  const setupToken = await readFile(join(dataDir, 'setup-token'), 'utf8').catch(() => undefined);
  if (setupToken !== undefined) {
    const api = createApiClient(`${url}/api`, () => undefined);
    const headers = { 'x-service-setup-token': setupToken.trim() };
    await api.post('/v1/setup/root-user', rootUser, headers).catch(() => undefined);
  }
  return await signIn(url, rootUser);
}

async function signIn(url: string, person: Login): Promise<ApiClient> {
  const token = await mintToken(url, person);
  return createApiClient(`${url}/api`, () => token);
}

async function mintToken(url: string, person: Login): Promise<string> {
  const minting = createApiClient(`${url}/api`, () => undefined);
  const session = await openSession(url, person);
  const { token } = await minting.post<{ token: string }>('/v1/me/tokens', { label: 'test' }, session);
  return token;
}

/** Signs a person in with their password. Returns the headers of a request of their browser. */
export async function openSession(url: string, person: Login = rootUser): Promise<{ cookie: string; origin: string }> {
  const response = await fetch(`${url}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(person),
  });
  if (!response.ok) throw new Error(await response.text());
  return { cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '', origin: url };
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process exited in the meantime.
  }
}

function listDescendants(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number));
  const listBelow = (parent: number): number[] =>
    pairs.filter(([, other]) => other === parent).flatMap(([child = 0]) => [child, ...listBelow(child)]);
  return listBelow(pid);
}
