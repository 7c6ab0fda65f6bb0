// Takes the same turn in worlds of their own, each up to its point, and dies when all have come there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import { type OneTurn, pointsOfPush, takeOneTurn, untilHeld } from './thirty-turns.ts';

export type DyingTurn = OneTurn & { point: string };

const turns = JSON.parse(process.argv[2] ?? '') as DyingTurn[];
await Promise.all(turns.map(comeTo));
kill(pid, 'SIGKILL');
// A signal to oneself may take a moment.
await new Promise(() => {});

async function comeTo({ point, ...turn }: DyingTurn): Promise<void> {
  const hook = pointsOfPush[point];
  if (hook) writeFileSync(join(turn.folder, `hold-${hook}`), '');
  const come = Promise.withResolvers<void>();
  const taken = takeOneTurn(turn, async (name, getInto) => {
    if (name !== point) return;
    await getInto?.();
    come.resolve();
    await new Promise(() => {});
  });
  const never = taken.then(() => {
    throw new Error(`Turn ${turn.turn} never came to "${point}".`);
  });
  await Promise.race([come.promise, never, ...(hook ? [untilHeld(turn.folder, hook)] : [])]);
}
