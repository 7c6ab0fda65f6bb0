import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createAgentActivities, type TurnOutcome } from '../../../activities/agents.ts';
import { atBoundary } from '../../../activities/at-boundary.ts';
import {
  call,
  edit,
  finish,
  run as command,
  turn as says,
  write,
  type RehearsedTurn,
} from '../../../src/local/model/example.ts';
import { agentDeps } from '../../support/agent-deps.ts';
import { type Watch, watchedDeps } from './watched-deps.ts';

export const turnsOfStep = 30;
export const issue = { title: 'Thirty turns' };
const folderOfEvidence = '.service/artifacts';

/** Reads, writes, edits, commands, and several of them at once; every kind six times. */
export function thirtyTurns(): RehearsedTurn[] {
  const turns = Array.from({ length: turnsOfStep - 1 }, (_, index) => {
    const turn = index + 1;
    const note = write(`notes/${turn}.txt`, `turn ${turn}`);
    const seen = `${folderOfEvidence}/seen-${turn}.txt`;
    const kinds = [
      [call('list_files'), call('read_file', { path: 'app.js' }), call('search', { pattern: 'Hello' })],
      [write('edited.txt', `turn ${turn}`), note],
      [edit('edited.txt', `turn ${turn - 1}`, `turn ${turn}, edited`)],
      [command(`echo ${turn} >> log.txt; wc -l < log.txt`)],
      [
        note,
        command(`cat log.txt edited.txt; mkdir -p ${folderOfEvidence}; echo ${turn} > ${seen}`),
        command('ls notes'),
      ],
    ];
    return says(`Turn ${turn}.`, ...(kinds[turn % kinds.length] ?? []));
  });
  return [...turns, finish('done', 'All is written.')];
}

/** Everything that a turn of the step touches is in the folder; `at` is what its clock says. */
export type OneTurn = { folder: string; modelUrl: string; turn: number; at: string };

export async function takeOneTurn({ folder, modelUrl, turn, at }: OneTurn, watch?: Watch): Promise<TurnOutcome> {
  const deps = { ...agentDeps(folder, { modelUrl, issue }), now: () => new Date(at) };
  const activities = atBoundary(createAgentActivities(watch ? watchedDeps(deps, numbered(watch)) : deps));
  const input = { org: 'acme', run: 'change-hello-7', step: 'implement', turn };
  try {
    const opening = turn === 1 ? { opening: 'start' as const } : {};
    return await new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(activities.agentTurn, {
      ...input,
      ...opening,
    });
  } finally {
    await deps.store.close();
  }
}

function numbered(watch: Watch): Watch {
  const times = new Map<string, number>();
  return async (point, getInto) => {
    const time = (times.get(point) ?? 0) + 1;
    times.set(point, time);
    await watch(time === 1 ? point : `${point}, time ${time}`, getInto);
  };
}

/** Points that are inside the code host: its hooks of these names wait there for as long as they are told to. */
export const pointsOfPush: Record<string, string> = { 'in a push': 'pre-receive', pushed: 'post-receive' };

export const holdHook = `#!/bin/sh
hook=$(basename "$0")
[ -e "../hold-$hook" ] || exit 0
held="../held-$hook-$$"
: > "$held"
while [ -e "../hold-$hook" ]; do sleep 0.02; done
rm "$held"
`;

/** As many pushes wait there; none ever will when the folder is gone. */
export async function untilHeld(folder: string, hook: string, count = 1): Promise<void> {
  const heldNow = async (): Promise<number> =>
    (await readdir(folder)).filter((name) => name.startsWith(`held-${hook}`)).length;
  while (existsSync(folder) && (await heldNow()) < count) await pause(10);
}
