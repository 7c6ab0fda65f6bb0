// Runs the same turn in several folders, each up to its checkpoint, and kills itself when all have reached it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import { type TurnOptions, pushHooks, runOneTurn, waitUntilHeld } from './thirty-turns.ts';

export type KilledTurn = TurnOptions & { point: string };

const turns = JSON.parse(process.argv[2] ?? '') as KilledTurn[];
await Promise.all(turns.map(runToPoint));
kill(pid, 'SIGKILL');
// The signal arrives asynchronously.
await new Promise(() => {});

async function runToPoint({ point, ...turn }: KilledTurn): Promise<void> {
  const hook = pushHooks[point];
  if (hook) writeFileSync(join(turn.folder, `hold-${hook}`), '');
  const reached = Promise.withResolvers<void>();
  const turnResult = runOneTurn(turn, async (name, runHalfway) => {
    if (name !== point) return;
    await runHalfway?.();
    reached.resolve();
    await new Promise(() => {});
  });
  const missed = turnResult.then(() => {
    throw new Error(`Turn ${turn.turn} never reached "${point}".`);
  });
  await Promise.race([reached.promise, missed, ...(hook ? [waitUntilHeld(turn.folder, hook)] : [])]);
}
