import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DockerfileParser, type From, type JSONInstruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
// The import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const node = dirname(process.execPath);

let stages: Map<string, { from: string; steps: { keyword: string; words: string[]; text: string }[] }>;
let folder: string;
/** The folder that stands for /app after the build stages. */
let app: string;

beforeAll(async () => {
  stages = await readStages();
  folder = await mkdtemp(join(tmpdir(), 'image-'));
  app = join(folder, 'app');
  for (const stage of ['app', 'ui']) await mkdir(join(folder, stage));
  await build('ui', join(folder, 'ui'));
  for (const name of ['packages', 'program']) await build(name, app);
}, 600_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function readStages(): Promise<typeof stages> {
  const found: typeof stages = new Map();
  let current: { from: string; steps: { keyword: string; words: string[]; text: string }[] } | undefined;
  for (const instruction of DockerfileParser.parse(
    await readFile(join(root, 'Dockerfile'), 'utf8'),
  ).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const from = instruction as From;
      current = { from: from.getImage() ?? '', steps: [] };
      found.set(from.getBuildStage() ?? '', current);
      continue;
    }
    const json = 'getJSONStrings' in instruction ? (instruction as JSONInstruction).getJSONStrings() : [];
    const words =
      json.length > 0
        ? json.map((text) => JSON.parse(text.getValue()) as string)
        : instruction.getArguments().map((word) => word.getValue());
    current?.steps.push({ keyword, words, text: instruction.getRawArgumentsContent() ?? '' });
  }
  return found;
}

/** Runs the COPY and RUN instructions of a stage in a local folder, because no container engine is available. */
async function build(name: string, target: string): Promise<void> {
  for (const { keyword, words, text } of stages.get(name)?.steps ?? []) {
    // Only files of another stage, which is always "ui", have absolute paths.
    if (keyword === 'COPY' && words.at(-2)?.startsWith('/')) {
      const [from = '', to = ''] = words.slice(-2);
      await cp(join(folder, 'ui', from.replace(/^\/app\//, '')), join(target, to), { recursive: true });
    } else if (keyword === 'COPY') {
      const to = words.at(-1) ?? '';
      for (const from of words.slice(0, -1)) {
        const isFolder = (await stat(join(root, from))).isDirectory();
        const filter = (path: string): boolean => !path.startsWith(join(root, 'src/emulators'));
        await cp(join(root, from), isFolder ? join(target, to) : join(target, to, from), { recursive: true, filter });
      }
    }
    if (keyword === 'RUN') {
      const { HOME = '', PATH = '', NODE_EXTRA_CA_CERTS } = process.env;
      // A machine whose npm has not cached the packages may reach their registry through a proxy with an authority of its own.
      const trusted = NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
      await run('sh', ['-c', text], {
        cwd: target,
        env: { HOME, PATH: `${node}:${PATH}`, npm_config_prefer_offline: 'true', ...trusted },
        maxBuffer: 64 << 20,
      });
    }
  }
}

/** Returns the instructions of a target with that keyword, including those of the stages that it is based on. */
function listInstructions(target: string, keyword: string): { words: string[] }[] {
  const stage = stages.get(target);
  if (!stage) return [];
  return [...listInstructions(stage.from, keyword), ...stage.steps.filter((step) => step.keyword === keyword)];
}

/** Starts a target as an unprivileged user with a read-only root file system and writable volumes. */
function start(target: string, environment: Record<string, string>, data: string): ChildProcess {
  const read = (keyword: string): Record<string, string> =>
    Object.fromEntries(listInstructions(target, keyword).flatMap(({ words }) => words.map((word) => word.split('='))));
  const buildArguments = read('ARG');
  const variables = Object.entries(read('ENV')).map(([name, value]) => [
    name,
    value.replace(/^\$\{(\w+)\}$/, (_match, argument: string) => buildArguments[argument] ?? ''),
  ]);
  const set = { ...Object.fromEntries(variables), HOST: '127.0.0.1', PATH: '/node:/usr/bin:/bin', ...environment };
  const system = ['/usr', '/bin', '/lib', '/lib64', '/etc'].flatMap((path) => ['--ro-bind-try', path, path]);
  const last = (keyword: string): string[] => listInstructions(target, keyword).at(-1)?.words ?? [];
  const command = [...last('ENTRYPOINT'), ...last('CMD')].filter((word) => !['tini', '--'].includes(word));
  return spawn(
    'bwrap',
    system.concat(
      ['--ro-bind', node, '/node', '--ro-bind', app, '/app', '--proc', '/proc', '--dev', '/dev'],
      ['--tmpfs', '/tmp', '--bind', data, '/data', '--remount-ro', '/', '--chdir', '/app', '--die-with-parent'],
      ['--unshare-user', '--uid', '65534', '--gid', '65534', '--unshare-pid', '--as-pid-1', '--clearenv'],
      Object.entries(set).flatMap(([name, value]) => ['--setenv', name, String(value)]),
      command,
    ),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

describe('the Dockerfile', () => {
  it('passes the linter, and every image runs as an unprivileged user', async () => {
    expect(validate(await readFile(join(root, 'Dockerfile'), 'utf8'), { instructionWorkdirRelative: 2 })).toEqual([]);
    for (const target of ['api', 'worker', 'agents', 'gate'])
      expect(listInstructions(target, 'USER').at(-1)?.words).toEqual(['65534:65534']);
    expect(listInstructions('browser', 'USER').at(-1)?.words).toEqual(['65532:65532']);
  });

  it('installs only the packages that each image needs', () => {
    const installed = (target: string): string[] =>
      listInstructions(target, 'RUN').flatMap(({ words }) =>
        words.filter((word) => ['git', 'bubblewrap', 'chromium'].includes(word)),
      );
    expect(['api', 'worker', 'gate', 'agents', 'browser'].map((target) => installed(target).toSorted())).toEqual([
      [],
      [],
      [],
      ['bubblewrap', 'git'],
      ['bubblewrap', 'chromium'],
    ]);
  });
});

describe('the images', () => {
  it('contain no development packages and no second Node', async () => {
    const has = async (name: string): Promise<boolean> =>
      await stat(join(app, 'node_modules', name)).then(
        () => true,
        () => false,
      );
    expect(await has('hono')).toBe(true);
    for (const name of ['vitest', 'typescript', 'node', 'node-bin-linux-x64'])
      expect(await has(name), name).toBe(false);
  });

  it('run as an unprivileged user with a read-only root file system, and stop cleanly', async () => {
    const data = join(folder, 'data');
    await mkdir(data);
    const address = inject('temporalAddress') ?? '';
    for (const target of ['api', 'worker', 'agents', 'browser']) {
      const port = String(await reservePort());
      const program = start(target, { TEMPORAL_ADDRESS: address, PORT: port }, data);
      let output = '';
      program.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      program.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(program, 'exit');
      const readReadiness = async (): Promise<string> => {
        if (program.exitCode !== null) return output;
        return await (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).text();
      };
      const ready = '[+] store ok\n[+] workflows ok\n[+] accepting ok';
      await waitUntil(readReadiness, (text) => text === ready || program.exitCode !== null, 60_000);
      expect(await readReadiness(), target).toBe(ready);
      const [inside] = (await run('pgrep', ['-P', String(program.pid)])).stdout.trim().split('\n');
      process.kill(Number(inside), 'SIGTERM');
      expect([target, await ended, output.includes('Bundling')]).toEqual([target, [0, null], false]);
    }
  }, 180_000);

  it('serve a zone as its gate without any access to the store or Temporal', async () => {
    const data = join(folder, 'gate');
    await mkdir(data);
    const port = await reservePort();
    const away = 'http://127.0.0.1:9';
    const zone = { ZONE: 'shop-rc', ZONE_ADDRESS: 'https://shop-rc.example.com', APP_URL: away };
    const program = start('gate', { ...zone, API_URL: away, PUBLIC_URL: away, PORT: String(port) }, data);
    const ended = once(program, 'exit');
    const readStatus = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/`)).status;
    expect(await waitUntil(readStatus, (status) => status === 503, 60_000)).toBe(503);
    const [inside] = (await run('pgrep', ['-P', String(program.pid)])).stdout.trim().split('\n');
    process.kill(Number(inside), 'SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
