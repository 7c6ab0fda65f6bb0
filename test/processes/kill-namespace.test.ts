import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createNamespaceKiller } from '../../src/processes/kill-namespace.ts';

/** Starts a script in place of bwrap, whose output closes when no process holds it, with the pipe of its information as file descriptor 3. */
const start = (script: string): ChildProcess =>
  spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });

it('kills the first process of the namespace, which outlives bwrap early in its start', async () => {
  const bwrap = start(`sleep 300 3>&- & echo "{ \\"child-pid\\": $! }" >&3; exec 3>&-; echo started; wait`);
  const kill = createNamespaceKiller(bwrap, 3);
  await once(bwrap.stdout!, 'data');
  kill();
  await once(bwrap, 'close');
});

it('waits until bwrap tells which process it has started', async () => {
  const bwrap = start(`sleep 300 3>&- & echo "{ \\"child-pid\\": $! }" >&3; exec 3>&-; wait`);
  createNamespaceKiller(bwrap, 3)();
  await once(bwrap, 'close');
});

it('kills bwrap when it tells of no process', async () => {
  const bwrap = start('exec 3>&-; exec sleep 300');
  createNamespaceKiller(bwrap, 3)();
  await once(bwrap, 'close');
  expect(bwrap.signalCode).toBe('SIGKILL');
});
