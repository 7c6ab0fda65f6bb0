import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getuid, pid } from 'node:process';
import { expect, it } from 'vitest';
import { listHierarchies, removeStaleControlGroups } from '../../../src/integrations/sandbox/control-group.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';

const limits = { memoryBytes: 1_000, processes: 7 };
const list = async (files: Record<string, string>) => {
  const root = await createFolder(files);
  const toRelative = (path: string): string => path.replace(root, '');
  return listHierarchies(root).map(({ root: path, files: build }) => [toRelative(path), build(limits)]);
};
const controllers = 'cgroup.subtree_control';

it('limits processes and memory together where the groups are one tree', async () => {
  expect(await list({ [controllers]: 'cpu memory pids\n' })).toEqual([['', { 'pids.max': '7', 'memory.max': '1000' }]]);
});

it.each(['cpu memory\n', 'cpu pids\n', '\n'])('uses no tree that cannot limit both: %j', async (text) => {
  expect(await list({ [controllers]: text })).toEqual([]);
});

it('uses each tree that exists where every resource has its own', async () => {
  const pids = ['/pids', { 'pids.max': '7' }];
  const memory = ['/memory', { 'memory.limit_in_bytes': '1000' }];
  expect(await list({ [join('pids', 'cgroup.procs')]: '', [join('memory', 'cgroup.procs')]: '' })).toEqual([
    pids,
    memory,
  ]);
  expect(await list({ [join('memory', 'cgroup.procs')]: '' })).toEqual([memory]);
  expect(await list({})).toEqual([]);
});

/** A number that no process has, because it is above the largest limit of Linux. */
const endedPid = 2 ** 22 + 1;
const isRoot = getuid?.() === 0;

it.runIf(isRoot)('removes the groups of services that have ended, and no others', async () => {
  const kept = [`delivery-sandbox-${pid}-1`, `other-${endedPid}-1`, 'delivery-sandbox-'];
  const stale = [`delivery-sandbox-${endedPid}-1`, `delivery-sandbox-${endedPid}-22`];
  const root = await createFolder({ [controllers]: 'memory pids\n' });
  for (const name of [...kept, ...stale]) mkdirSync(join(root, name));
  removeStaleControlGroups(root);
  expect(readdirSync(root).sort()).toEqual([controllers, ...kept].sort());
});
