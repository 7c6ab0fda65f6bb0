import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Api, createApi } from '../../src/clients/http.ts';

const projectDir = fileURLToPath(new URL('../..', import.meta.url));
const portsInARow = 8;

export const root = { email: 'root@example.com', password: 'correct horse battery staple' };

/** A platform as a person has it: a tree of processes of its own, on a folder and ports of its own. */
export class TestPlatform {
  readonly dataDir: string;
  readonly port: number;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(dataDir: string, port: number) {
    this.dataDir = dataDir;
    this.port = port;
  }

  static async start(environment: Record<string, string> = {}): Promise<TestPlatform> {
    const platform = new TestPlatform(await mkdtemp(join(tmpdir(), 'platform-')), await portsFree());
    await platform.start(environment);
    return platform;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  get codehostUrl(): string {
    return `http://localhost:${this.port + 2}`;
  }

  address(zone: string): string {
    return `http://${zone}.localhost:${this.port + 1}`;
  }

  async start(environment: Record<string, string> = {}): Promise<void> {
    const args = [join(projectDir, 'src/main/dev.ts'), '--port', String(this.port), '--data-dir', this.dataDir];
    const { MODEL_BASE_URL: _, ...inherited } = process.env;
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...environment },
    });
    this.#process = child;
    this.#output = '';
    const ready = new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        this.#output += chunk.toString();
        if (this.#output.includes('Ready in')) resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (code) => reject(new Error(`The platform ended with ${code}: ${this.#output}`)));
    });
    await ready;
  }

  /** kill -9 of every process that the platform has started, itself included. */
  async killTree(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of descendants(child.pid)) kill(pid);
    kill(child.pid);
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
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The API as the root user, made on the first call. */
  async asRoot(): Promise<Api> {
    return await asRoot(this.url, (await readFile(join(this.dataDir, 'setup-token'), 'utf8')).trim());
  }

  async signedIn(person: { email: string; password: string }): Promise<Api> {
    return await signedIn(this.url, person);
  }

  async codehostToken(): Promise<string> {
    return (await readFile(join(this.dataDir, 'codehost', 'token'), 'utf8')).trim();
  }
}

/** The API at an address as the root user, made on the first call. */
export async function asRoot(url: string, setupToken: string): Promise<Api> {
  const api = createApi(`${url}/api`, () => undefined);
  await api.post('/v1/setup/root-user', root, { 'x-service-setup-token': setupToken }).catch(() => undefined);
  return await signedIn(url, root);
}

async function signedIn(url: string, person: { email: string; password: string }): Promise<Api> {
  const response = await fetch(`${url}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(person),
  });
  if (!response.ok) throw new Error(await response.text());
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const minting = createApi(`${url}/api`, () => undefined);
  const { token } = await minting.post<{ token: string }>('/v1/me/tokens', { label: 'test' }, { cookie, origin: url });
  return createApi(`${url}/api`, () => token);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function descendants(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
  return [...children, ...children.flatMap(descendants)];
}

/** The first of a row of free ports; another process may still be faster, so rows are drawn far apart. */
export async function portsFree(): Promise<number> {
  for (;;) {
    const base = 20_000 + 10 * Math.floor(Math.random() * 1_200);
    const free = await Promise.all(Array.from({ length: portsInARow }, async (_, index) => await isFree(base + index)));
    if (free.every(Boolean)) return base;
  }
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
