import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { buildProbe, toNames, ProbeKind } from '../../contracts/store/probe.ts';
import { createTemporaryFile } from '../create-temporary-file.ts';

const program = path.join(import.meta.dirname, 'writer-process.ts');
const namespace = 'org-acme';

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function waitForSuccess(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  expect(await once(child, 'exit')).toEqual([0, null]);
}

it('is created once when several processes open it at the same time', async () => {
  const file = await createTemporaryFile();
  const created = ['a', 'b', 'c', 'd'];
  await Promise.all(created.map((name) => waitForSuccess(start(file, 'create', name))));
  const store = openSqliteStore({ file });
  expect(toNames((await store.list(ProbeKind)).items)).toEqual(created);
  await store.close();
});

it('loses no update of three processes that write the same object', async () => {
  const file = await createTemporaryFile();
  const store = openSqliteStore({ file });
  await store.create(ProbeKind, buildProbe(namespace, 'counter'));
  await Promise.all([1, 2, 3].map(() => waitForSuccess(start(file, 'increment', 'counter'))));
  expect((await store.get(ProbeKind, { namespace, name: 'counter' })).status).toEqual({ count: 600 });
  await store.close();
});

it('yields each write of another process to a watch, in order', async () => {
  const file = await createTemporaryFile();
  const store = openSqliteStore({ file });
  await store.create(ProbeKind, buildProbe(namespace, 'counter'));
  const events = store.watch(ProbeKind, { name: 'counter', signal: AbortSignal.timeout(60_000) });
  const child = waitForSuccess(start(file, 'increment', 'counter'));
  const counts: number[] = [];
  for await (const { object } of events) {
    counts.push(object.status?.count ?? 0);
    if (counts.length === 200) break;
  }
  expect(counts).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  await child;
  await store.close();
});

it('keeps all accepted writes of a process that was killed', async () => {
  const file = await createTemporaryFile();
  const store = openSqliteStore({ file });
  await store.create(ProbeKind, buildProbe(namespace, 'owner'));
  await store.close();
  const accepted: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const child = start(file, 'create-forever', 'owner', String(round));
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    let seen = 0;
    for await (const line of lines) {
      accepted.push(line);
      if ((seen += 1) === 50) child.kill('SIGKILL');
    }
    const reopened = openSqliteStore({ file });
    const { items } = await reopened.list(ProbeKind, { namespace });
    expect(toNames(items)).toEqual(expect.arrayContaining(accepted));
    expect(items.length - accepted.length).toBeLessThanOrEqual(2 + round);
    await reopened.close();
  }
});
