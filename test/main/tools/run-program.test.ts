import { expect, it } from 'vitest';
import { runProgram } from '../../../src/main/tools/run-program.ts';

const run = async (script: string, silenceMs: number) =>
  await runProgram('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin' }, silenceMs });

it('returns the output, and whether the program succeeded', async () => {
  expect(await run('echo one; echo two', 60_000)).toEqual({ ok: true, output: 'one\ntwo' });
  expect(await run('echo broken; exit 3', 60_000)).toEqual({ ok: false, output: 'broken' });
});

it('kills a program that prints nothing for too long, and says so', async () => {
  const result = await run('echo started; exec sleep 600', 1_000);
  expect(result).toEqual({ ok: false, output: 'started\nIt was ended after 1 s without output.' });
});

it('lets a program that prints something now and then take as long as it needs', async () => {
  const { ok, output } = await run('for i in 1 2 3 4 5 6; do sleep 0.5; echo $i; done', 2_000);
  expect([ok, output]).toEqual([true, '1\n2\n3\n4\n5\n6']);
});

it('reports a program that cannot be started', async () => {
  const result = await runProgram('/nonexistent/program', [], { env: {}, silenceMs: 60_000 });
  expect(result).toMatchObject({ ok: false, output: expect.stringContaining('ENOENT') as string });
});
