import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  finish,
  runCommand as command,
  turn as says,
  write,
  type Scenario,
  type ScriptedTurn,
} from '../../../src/emulators/model/scenario.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { artifactDataKey, toArtifactId } from '../../../src/rules/changes/evidence.ts';
import { AgentWorkflowRunKind, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { ConfigMapKind, type ConfigMap } from '../../../src/kinds/kubernetes.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const branch = 'service/change-hello-7';
const ref = { namespace: 'org-acme', name: 'change-hello-7' };
const folder = '.service/artifacts';
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

async function startScripted(roles: Record<string, ScriptedTurn[]>): Promise<AgentRunHarness> {
  const scenarios: Scenario[] = [{ name: 'scripted', matches: () => true, roles }];
  const run = await startAgentRunHarness({ title: 'Anything' }, scenarios);
  open.push(run);
  const status = createRunStatus(changeAgentWorkflow.steps, '2026-01-01T00:00:00Z');
  await run.deps.store.updateStatus(AgentWorkflowRunKind, ref, () => status);
  return run;
}

async function readStep(run: AgentRunHarness, name = 'implement'): Promise<StepStatus> {
  const { status } = await run.deps.store.get(AgentWorkflowRunKind, ref);
  return status?.steps.find((step) => step.name === name) as StepStatus;
}

const artifacts = async (run: AgentRunHarness): Promise<ConfigMap[]> =>
  (await run.deps.store.list(ConfigMapKind)).items;
const readText = (map: ConfigMap | undefined): string =>
  Buffer.from(map?.binaryData?.[artifactDataKey] ?? '', 'base64').toString();
const done = finish('done', 'It is done.');
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('publishes the evidence folder when the step ends, with types by content, and commits none of it', async () => {
  const make = [
    `mkdir -p ${folder}/deep`,
    `cd ${folder}`,
    `echo ${png} | base64 -d > shot.txt`,
    `printf '{"passed": 3}' > result.html`,
    'echo "<svg onload=alert(1)>" > deep/page.svg',
    String.raw`printf '\033[32mok\033[0m\n' > test.log`,
    String.raw`printf '\001\002\000' > core`,
    String.raw`printf '%%PDF-1.4\n' > paper`,
  ].join(' && ');
  const run = await startScripted({ implementer: [says('Look.', command(make), write('new.txt', 'new')), done] });
  await run.runTurn({ step: 'implement', turn: 1 });
  expect(await artifacts(run)).toEqual([]);
  await run.runTurn({ step: 'implement', turn: 2 });

  const { evidence = [], skippedEvidence } = await readStep(run);
  expect(evidence.map(({ name, type, sizeBytes }) => [name, type, sizeBytes])).toEqual([
    ['core', 'application/octet-stream', 3],
    ['deep/page.svg', 'image/svg+xml', 22],
    ['paper', 'application/pdf', 9],
    ['result.html', 'application/json', 13],
    ['shot.txt', 'image/png', 70],
    ['test.log', 'text/plain', 12],
  ]);
  expect(skippedEvidence).toBeUndefined();
  const kept = await artifacts(run);
  expect(new Set(kept.map(({ metadata }) => metadata.name))).toEqual(
    new Set(evidence.map(({ artifact }) => toArtifactId(artifact))),
  );
  expect(kept.every(({ metadata }) => metadata.ownerReferences?.[0]?.uid === run.uid)).toBe(true);
  expect(run.git('diff', '--name-only', 'main', branch)).toBe('new.txt');
  await run.deps.store.delete(AgentWorkflowRunKind, ref);
  expect(await artifacts(run)).toEqual([]);
});

it('creates no second artifact when a turn is repeated, even on another host', async () => {
  const run = await startScripted({
    implementer: [
      says('Look.', command(`mkdir -p ${folder} && echo seen > ${folder}/seen.txt`), write('a', 'a')),
      done,
    ],
  });
  await run.runTurn({ step: 'implement', turn: 1 });
  rmSync(run.deps.checkoutsDir, { recursive: true });
  await run.runTurn({ step: 'implement', turn: 2 });
  const [first] = await artifacts(run);
  expect(readText(first)).toBe('seen\n');
  await run.runTurn({ step: 'implement', turn: 2 }, { checkoutsDir: join(run.folder, 'other') });
  expect((await artifacts(run)).map(({ metadata }) => metadata)).toEqual([first?.metadata]);
});

it('restores the files in a recreated checkout', async () => {
  const run = await startScripted({
    implementer: [
      says('Look.', command(`mkdir -p ${folder} && echo one > ${folder}/one.txt`)),
      says('Look again.', command(`cat ${folder}/one.txt && echo two > ${folder}/two.txt`), write('a', 'a')),
      done,
    ],
  });
  await run.runTurn({ step: 'implement', turn: 1 });
  rmSync(run.deps.checkoutsDir, { recursive: true });
  await run.runTurn({ step: 'implement', turn: 2 });
  await run.runTurn({ step: 'implement', turn: 3 });
  expect((await readStep(run)).evidence?.map(({ name }) => name)).toEqual(['one.txt', 'two.txt']);
});

it('replaces changed files and deletes removed files in a later round', async () => {
  const run = await startScripted({
    'test-reviewer': [
      says('Look.', command(`mkdir -p ${folder} && cd ${folder} && echo old > same.txt && echo x > gone.txt`)),
      finish('changes-requested', 'Not yet.'),
      says('Look again.', command(`cd ${folder} && echo new > same.txt && rm gone.txt`)),
      finish('approved', 'Fine.'),
    ],
  });
  for (const turn of [1, 2]) await run.runTurn({ step: 'review-tests', turn });
  const before = await readStep(run, 'review-tests');
  expect(before.evidence).toHaveLength(2);
  await run.runTurn({ step: 'review-tests', turn: 3, trigger: 'start' });
  await run.runTurn({ step: 'review-tests', turn: 4 });
  const after = await readStep(run, 'review-tests');
  expect(after.evidence).toEqual([before.evidence?.find(({ name }) => name === 'same.txt')]);
  expect((await artifacts(run)).map(readText)).toEqual(['new\n']);
});

it('keeps at most 12 files of 700 KB, and reports the others with the limit to the agent', async () => {
  const make = [
    `mkdir -p ${folder} && cd ${folder}`,
    'head -c 716801 /dev/zero > a-large.bin',
    'truncate -s 100G a-sparse.bin 2>/dev/null || truncate -s 900M a-sparse.bin',
    'head -c 716800 /dev/zero > b-just.bin',
    'for i in $(seq 10 25); do echo $i > file-$i.txt; done',
  ].join('\n');
  const run = await startScripted({ implementer: [says('Look.', command(make), write('a', 'a')), done] });
  for (const turn of [1, 2]) await run.runTurn({ step: 'implement', turn });
  const { evidence = [], skippedEvidence = [] } = await readStep(run);
  expect(evidence.map(({ name }) => name)).toEqual([
    'b-just.bin',
    ...Array.from({ length: 11 }, (_, index) => `file-${index + 10}.txt`),
  ]);
  expect(skippedEvidence).toEqual([
    { name: 'a-large.bin', reason: 'It is larger than 700 KB.' },
    { name: 'a-sparse.bin', reason: 'It is larger than 700 KB.' },
    ...[21, 22, 23, 24, 25].map((at) => ({
      name: `file-${at}.txt`,
      reason: 'A step can have at most 12 evidence files.',
    })),
  ]);
  const results = await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 1 }, 'results'));
  expect(Buffer.from(results ?? '').toString()).toContain('Not kept as evidence: a-large.bin');
});

it('collects only regular files of the folder: no link, pipe, socket or path to another folder', async () => {
  const make = [
    `mkdir -p ${folder} && cd ${folder}`,
    'ln -s /etc/passwd passwd; ln -s ../../../git/config config; ln -s ../../../../../../../store.db store',
    'ln -s / root; ln -s .. up; mkfifo pipe; ln -s loop loop',
    `node -e "require('net').createServer().listen('socket', () => process.exit(0))"; touch socket`,
    'mknod disk b 8 0; mknod null c 1 3',
    String.raw`touch "$(printf 'new\nline')" "$(printf '\377\376')" "$(printf 'a\342\200\256gnp.exe')"`,
    'echo fine > fine.txt; ln fine.txt hard.txt; chmod 000 fine.txt',
  ].join('\n');
  const run = await startScripted({ implementer: [says('Plant.', command(make), write('a', 'a')), done] });
  for (const turn of [1, 2]) await run.runTurn({ step: 'implement', turn });
  const { evidence = [], skippedEvidence = [] } = await readStep(run);
  const kept = evidence.map(({ name }) => name).filter((name) => name !== 'socket');
  expect(kept).toEqual(['fine.txt', 'hard.txt']);
  const skipped = new Set(skippedEvidence.map(({ name }) => name));
  for (const name of ['passwd', 'config', 'store', 'root', 'up', 'pipe', 'loop', 'new�line', 'a�gnp.exe'])
    expect(skipped, name).toContain(name);
  expect((await artifacts(run)).map(readText).filter(Boolean)).toEqual(['fine\n', 'fine\n']);
});

it('saves nothing when the evidence folder is a link to a folder of the host', async () => {
  const plant = `rm -rf .service; mkdir .service; ln -s ../../../.. ${folder}`;
  const calls = [command(plant), write('a', 'a'), ...done.toolCalls];
  const run = await startScripted({ implementer: [says('Plant and finish.', ...calls)] });
  await run.runTurn({ step: 'implement', turn: 1 });
  expect(run.git('diff', '--name-only', 'main', branch).split('\n')).not.toContain('.service');
  expect(await readStep(run)).toMatchObject({
    skippedEvidence: [{ name: '.service/artifacts', reason: 'It is not a folder.' }],
  });
  expect(await artifacts(run)).toEqual([]);
});

it('never commits evidence, even when the repo tracks and unignores the folder', async () => {
  const run = await startScripted({
    implementer: [
      says(
        'Change.',
        command(`ls -R .service; echo changed > ${folder}/tracked.txt; echo new > ${folder}/new.txt`),
        write('a', 'a'),
      ),
      says('Go on.', command(`cat ${folder}/new.txt`), write('b', 'b')),
      done,
    ],
  });
  await run.pushAsUser('main', (clone) => {
    mkdirSync(join(clone, folder), { recursive: true });
    writeFileSync(join(clone, folder, 'tracked.txt'), 'tracked');
    writeFileSync(join(clone, '.gitignore'), '!.service/\n!.service/artifacts/\n');
  });
  for (const turn of [1, 2, 3]) await run.runTurn({ step: 'implement', turn });
  expect(run.git('diff', '--name-only', 'main', branch).split('\n')).toEqual(['a', 'b']);
  const { evidence = [] } = await readStep(run);
  expect(evidence.map(({ name }) => name)).toContain('new.txt');
});

it('fails a turn whose evidence cannot be stored', async () => {
  const make = `mkdir -p ${folder} && echo 1 > ${folder}/result.txt`;
  const run = await startScripted({ implementer: [says('Look.', command(make)), done] });
  const put: typeof run.deps.blobs.put = async (key, bytes) => {
    if (Buffer.from(bytes).toString() === '1\n') throw new Error('The blob store is full.');
    await run.deps.blobs.put(key, bytes);
  };
  const turn = run.runTurn({ step: 'implement', turn: 1 }, { blobs: { ...run.deps.blobs, put } });
  await expect(turn).rejects.toThrow('The blob store is full.');
});
