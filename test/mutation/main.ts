import { glob, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chooseMutants } from './choose-mutants.ts';
import { copyProject, listChanged } from './copy-project.ts';
import { isEquivalent } from './equivalent.ts';
import { findInvalid } from './find-invalid.ts';
import { listMutants, type Mutant } from './list-mutants.ts';
import { nearTests } from './near-tests.ts';
import type { Failure } from './runner-process.ts';
import { startRunner, type Runner } from './start-runner.ts';

type Outcome = { mutant: Mutant; result: 'killed' | 'survived' | 'equivalent' | 'refused'; by?: string };

const killedMin = 0.9;
const folders: Record<string, string> = {
  rules: 'src/rules',
  kinds: 'src/kinds',
  store: 'src/store',
  reconcile: 'src/reconcile',
  processes: 'src/processes',
  integrations: 'src/integrations',
  api: 'api',
  activities: 'activities',
  workflows: 'workflows',
};
/** The folders whose tests all need no server; the others start Temporal first. */
const withoutServers = ['rules', 'kinds', 'store', 'reconcile', 'processes'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '30' },
    'per-file': { type: 'string', default: '2' },
    verbose: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const show = ({ file, line, operator, code, replacement }: Mutant): string =>
  `${file}:${line} ${operator}: ${code}\n    → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 160)}`;

const copy = await copyProject(root);
// Ctrl+C also ends the runner, whose channel closes with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void rm(copy, { recursive: true, force: true }).finally(() => process.exit(1)));
try {
  const names = positionals.length > 0 ? positionals : Object.keys(folders);
  const changed = values.changed ? new Set(await listChanged(root)) : undefined;
  for (const name of names) await measureFolder(name, changed);
} finally {
  await rm(copy, { recursive: true, force: true, maxRetries: 5 });
}

async function measureFolder(name: string, changed: Set<string> | undefined): Promise<void> {
  const [room = '', ...below] = name.split('/');
  const top = folders[room];
  if (top === undefined) throw new Error(`"${room}" is not one of ${Object.keys(folders).join(', ')}.`);
  const folder = [top, ...below].join('/');
  const files = (await listFiles(`${folder}/**/*.ts`)).filter((file) => !changed || changed.has(file));
  const all: Mutant[] = [];
  for (const file of files.filter((one) => one.includes(values.only)))
    all.push(...listMutants(file, await readFile(join(root, file), 'utf8')));
  const chosen = chooseMutants(all, {
    seed: Number(values.seed),
    count: Number(values.count),
    perFile: Number(values['per-file']),
  });
  const startedAt = Date.now();
  // The tests of a folder with servers may include some that need none, such as those of the API reference.
  const project = withoutServers.includes(room) ? 'pure' : undefined;
  const runner = startRunner(copy, { testTimeoutMs: room === 'workflows' ? 60_000 : 30_000, project });
  try {
    const outcomes = await testMutants(chosen, runner);
    report(name, all.length, outcomes, Date.now() - startedAt);
  } finally {
    await runner.close();
  }
}

async function testMutants(mutants: Mutant[], runner: Runner): Promise<Outcome[]> {
  const tests = await listFiles('test/**/*.test.ts');
  const results = new Map<string, boolean>();
  /** A test that fails without a fault proves nothing. */
  const passesWithoutFault = async (test: string): Promise<boolean> => {
    const passes = results.get(test) ?? (await runner.run({ groups: [[test]] })) === undefined;
    if (!passes) print(`This test fails without a fault, so it proves nothing: ${test}`);
    results.set(test, passes);
    return passes;
  };
  const outcomes: Outcome[] = [];
  for (const mutant of mutants) {
    const outcome = await testMutant(mutant, { groups: nearTests(mutant.file, tests), runner, passesWithoutFault });
    outcomes.push(outcome);
    if (values.verbose)
      print(`${outcome.result} ${outcome.by === undefined ? '' : `by ${outcome.by}`} ${show(mutant)}`);
  }
  const survivors = outcomes.filter(({ result }) => result === 'survived').map(({ mutant }) => mutant);
  const invalid = await findInvalid(root, copy, survivors);
  const judged = outcomes.map((outcome) =>
    invalid.has(outcome.mutant) ? { ...outcome, result: 'refused' as const } : outcome,
  );
  for (const { mutant, result } of judged) if (result === 'survived') print(`SURVIVED ${show(mutant)}`);
  return judged;
}

type MutantTests = {
  groups: string[][];
  runner: Runner;
  passesWithoutFault: (test: string) => Promise<boolean>;
};

async function testMutant(mutant: Mutant, { groups, ...tools }: MutantTests): Promise<Outcome> {
  if (isEquivalent(mutant)) return { mutant, result: 'equivalent' };
  const failure = await tools.runner.run({ mutant, groups });
  if (failure === undefined) return { mutant, result: 'survived' };
  const { file: by } = failure;
  if (!groups.flat().includes(by) || (await isNoticed(mutant, failure, tools))) return { mutant, result: 'killed', by };
  const others = groups.map((group) => group.filter((test) => test !== by)).filter(({ length }) => length > 0);
  return await testMutant(mutant, { groups: others, ...tools });
}

/** On a busy machine a test may time out by itself, so it must time out again when it runs alone. */
async function isNoticed(
  mutant: Mutant,
  { file, hasTimedOut }: Failure,
  { runner, passesWithoutFault }: Omit<MutantTests, 'groups'>,
): Promise<boolean> {
  if (hasTimedOut && (await runner.run({ mutant, groups: [[file]] })) === undefined) return false;
  return await passesWithoutFault(file);
}

function report(name: string, available: number, outcomes: Outcome[], durationMs: number): void {
  const count = (result: Outcome['result']): number => outcomes.filter((outcome) => outcome.result === result).length;
  const decided = count('killed') + count('survived');
  const rate = decided === 0 ? 1 : count('killed') / decided;
  print(
    `${name}: seed ${values.seed}, ${outcomes.length} of ${available} mutants, ${count('killed')} of ${decided} killed = ${Math.round(rate * 100)} %` +
      ` (${count('equivalent')} equivalent, ${count('refused')} refused by the compiler or the linter), ${Math.round(durationMs / 1000)} s`,
  );
  if (rate < killedMin) process.exitCode = 1;
}

async function listFiles(pattern: string): Promise<string[]> {
  return (await Array.fromAsync(glob(pattern, { cwd: root }))).toSorted();
}
