import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createAgentActivities, type TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import {
  call,
  edit,
  finish,
  runCommand as command,
  turn as says,
  write,
  type ScriptedTurn,
} from '../../../src/emulators/model/scenario.ts';
import { createAgentDeps } from '../../support/changes/agent-deps.ts';
import { type Checkpoint, withCheckpoints } from './with-checkpoints.ts';

export const turnCount = 30;
export const issue = { title: 'Thirty turns' };
const evidenceFolder = '.service/artifacts';

/** Builds turns that read, write, edit, run commands, and do several of these; each kind occurs six times. */
export function buildThirtyTurns(): ScriptedTurn[] {
  const turns = Array.from({ length: turnCount - 1 }, (_, index) => {
    const turn = index + 1;
    const note = write(`notes/${turn}.txt`, `turn ${turn}`);
    const seen = `${evidenceFolder}/seen-${turn}.txt`;
    const kinds = [
      [call('list_files'), call('read_file', { path: 'app.js' }), call('search', { pattern: 'Hello' })],
      [write('edited.txt', `turn ${turn}`), note],
      [edit('edited.txt', `turn ${turn - 1}`, `turn ${turn}, edited`)],
      [command(`echo ${turn} >> log.txt; wc -l < log.txt`)],
      [
        note,
        command(`cat log.txt edited.txt; mkdir -p ${evidenceFolder}; echo ${turn} > ${seen}`),
        command('ls notes'),
      ],
    ];
    return says(`Turn ${turn}.`, ...(kinds[turn % kinds.length] ?? []));
  });
  return [...turns, finish('done', 'All is written.')];
}

/** The folder holds everything that a turn uses; `at` is the time of its clock. */
export type TurnOptions = { folder: string; modelUrl: string; turn: number; at: string };

export async function runOneTurn(
  { folder, modelUrl, turn, at }: TurnOptions,
  watch?: Checkpoint,
): Promise<TurnOutcome> {
  const deps = { ...createAgentDeps(folder, { modelUrl, issue }), now: () => new Date(at) };
  const activities = wrapActivities(createAgentActivities(watch ? withCheckpoints(deps, numberRepeats(watch)) : deps));
  const input = { org: 'acme', run: 'change-hello-7', step: 'implement', turn };
  try {
    const trigger = turn === 1 ? { trigger: 'start' as const } : {};
    return await new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(activities.runAgentTurn, {
      ...input,
      ...trigger,
    });
  } finally {
    await deps.store.close();
  }
}

function numberRepeats(watch: Checkpoint): Checkpoint {
  const times = new Map<string, number>();
  return async (point, runHalfway) => {
    const time = (times.get(point) ?? 0) + 1;
    times.set(point, time);
    await watch(time === 1 ? point : `${point}, time ${time}`, runHalfway);
  };
}

/** Checkpoints inside the code host: its git hook of this name waits while the hold file exists. */
export const pushHooks: Record<string, string> = { 'in a push': 'pre-receive', pushed: 'post-receive' };

export const holdHookScript = `#!/bin/sh
hook=$(basename "$0")
[ -e "../hold-$hook" ] || exit 0
held="../held-$hook-$$"
: > "$held"
while [ -e "../hold-$hook" ]; do sleep 0.02; done
rm "$held"
`;

/** Waits until the given number of pushes is held, or the folder is deleted. */
export async function waitUntilHeld(folder: string, hook: string, count = 1): Promise<void> {
  const countHeld = async (): Promise<number> =>
    (await readdir(folder)).filter((name) => name.startsWith(`held-${hook}`)).length;
  while (existsSync(folder) && (await countHeld()) < count) await pause(10);
}
