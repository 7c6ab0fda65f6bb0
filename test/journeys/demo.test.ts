import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { call, finish, turn, write } from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import { withoutMetrics } from '../support/platform/test-platform.ts';
import { reservePorts } from '../support/servers/reserve-ports.ts';

const run = promisify(execFile);
const demo = fileURLToPath(new URL('../../src/main/demo/main.ts', import.meta.url));

type DemoResult = { code: number | null; out: string; err: string };
type Summary = {
  run: string;
  pullRequest: string;
  mergeCommit: string;
  version: string;
  digest: string;
  zones: Record<string, string>[];
};

function startDemo(
  args: string[],
  environment: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<DemoResult> } {
  const { MODEL_BASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [demo, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...withoutMetrics, ...environment },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, out, err })) };
}

async function createTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

const parseSummary = ({ out }: DemoResult): Summary => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Summary;

it('resumes the Change of an interrupted run and prints one summary line', async () => {
  const args = [
    '--yes',
    '--exit',
    '--json',
    '--data-dir',
    await createTempFolder(),
    '--port',
    String(await reservePorts(10)),
  ];
  const first = startDemo(args);
  await new Promise<void>((resolve) =>
    first.child.stderr?.on('data', (chunk: Buffer) => chunk.toString().includes('Pull request #') && resolve()),
  );
  first.child.kill('SIGKILL');
  await first.ended;

  const second = await startDemo(args).ended;
  expect(second.err).toContain('Resuming the Change');
  expect(second.code, second.err).toBe(0);
  const summary = parseSummary(second);
  expect(Object.keys(summary)).toEqual(['run', 'pullRequest', 'mergeCommit', 'version', 'digest', 'zones']);
  expect(summary.zones.map((zone) => Object.keys(zone))).toEqual([
    ['name', 'address', 'phase', 'startedAt', 'healthyAt', 'verifiedAt'],
    ['name', 'address', 'phase', 'startedAt', 'healthyAt', 'verifiedAt'],
  ]);
  expect(summary).toMatchObject({ version: 'v0.1.0', zones: [{ phase: 'Verified' }, { phase: 'Verified' }] });
});

it('works with another repository and model, and prints the question of its next Change', async () => {
  const folder = await createTempFolder();
  const repo = join(folder, 'Their Site');
  await run('git', ['init', '--quiet', '--initial-branch', 'trunk', repo]);
  await writeFile(join(repo, 'index.html'), '<h1>Their site</h1>');
  await run('git', ['-C', repo, 'add', '.']);
  await run('git', [
    '-C',
    repo,
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.com',
    'commit',
    '--quiet',
    '-m',
    'site',
  ]);
  const issue = join(folder, 'issue.md');
  await writeFile(issue, '# Say goodbye\n\nThe headline should be a farewell.\n');
  const approve = [finish('approved', 'It does what the issue asks for.')];
  const model = await startModel({
    port: 0,
    scenarios: [
      {
        name: 'goodbye',
        matches: (text) => text.includes('The headline should be a farewell.'),
        roles: {
          implementer: [
            turn('Reading.', call('read_file', { path: 'index.html' })),
            turn('Writing.', write('index.html', '<h1>Goodbye</h1>')),
            finish('done', 'Done.'),
          ],
          'code-reviewer': approve,
          'test-reviewer': approve,
        },
      },
      {
        name: 'question',
        matches: (text) => text.includes('Choose a colour'),
        roles: { implementer: [finish('needs-guidance', 'Which colour?')] },
      },
    ],
  });
  onTestFinished(async () => await model.close());
  const args = [
    '--repo',
    repo,
    '--issue',
    issue,
    '--yes',
    '--exit',
    '--json',
    '--data-dir',
    join(folder, 'data'),
    '--port',
    String(await reservePorts(10)),
  ];
  const ended = await startDemo(args, { MODEL_BASE_URL: model.url, MODEL_NAME: 'theirs', MODEL_API_KEY: 'secret-key' })
    .ended;
  expect(ended.code, ended.err).toBe(0);
  expect(parseSummary(ended).zones.map(({ name }) => name)).toEqual(['their-site-rc', 'their-site-prod']);
  expect(ended.out + ended.err).not.toContain('secret-key');
  expect(ended.err).not.toMatch(/rehearsal/i);
  const [, , , , ...rest] = args;
  const question = ['--repo', repo, '--issue', 'Choose a colour', ...rest];
  const asked = await startDemo(question, { MODEL_BASE_URL: model.url, MODEL_NAME: 'theirs', MODEL_API_KEY: 'k' })
    .ended;
  expect(asked.code, asked.err).toBe(1);
  expect(JSON.parse(asked.out)).toMatchObject({
    pullRequest: null,
    guidance: { step: 'implement', question: expect.stringContaining('Which colour?') },
  });
});

it('demands --yes without a terminal, before anything starts', async () => {
  const { code, err } = await startDemo(['--data-dir', '/nonexistent']).ended;
  expect(code).toBe(2);
  expect(err).toContain('Pass --yes');
});

it('reports an invalid command line in one line with the fix and exits with status 2', async () => {
  const { code, err } = await startDemo(['--prot', '1']).ended;
  expect(code).toBe(2);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(err).toContain('--port');
});
