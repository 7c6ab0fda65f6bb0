import { z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { runPrefix, turnKey, type TurnPart, type TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import type { PromptPart, ResultsPart } from '../../src/rules/agents/transcript-parts.ts';
import { Verdict } from '../../src/rules/changes/kinds.ts';

export const RoundView = z
  .object({
    step: z.string().describe('Name of the step.'),
    trigger: z.string().describe('What started the round: the start of the step, a review, guidance or a conflict.'),
    firstTurn: z.int().describe('Number of the first turn.'),
    turns: z.int().describe('Number of turns so far.'),
    startedAt: z.string().optional().describe('Time at which the round started.'),
    finishedAt: z.string().optional().describe('Time of its last completed turn, if the agent ended the round.'),
    outcome: Verdict.shape.outcome.optional().describe('Result with which the agent ended the round.'),
    conflict: z
      .object({
        head: z.string().describe('Commit of the branch.'),
        base: z.string().describe('Commit of the base branch that was merged into it.'),
        files: z.array(z.string()).describe('Paths with conflicts.'),
      })
      .optional()
      .describe('The conflict that the round resolves.'),
  })
  .openapi('Round');
type RoundView = z.infer<typeof RoundView>;

/** Each round reads two blobs. A step has a few rounds, so only a broken run has more. */
export const roundsMax = 200;

/** Finds the rounds of all steps by the prompts that started them. */
export async function readRounds(blobs: Blobs, uid: string, steps: readonly string[]): Promise<RoundView[]> {
  const prefix = runPrefix(uid);
  const parts = (await blobs.list(prefix)).map((key) => key.slice(prefix.length).split('/'));
  const partsByStep = Map.groupBy(parts, ([name]) => name);
  const rounds = steps.flatMap((step) => {
    const ofStep = (partsByStep.get(step) ?? []).filter(([, turn]) => /^\d+$/.test(turn ?? ''));
    const toTurns = (names: readonly string[]): number[] =>
      [...new Set(ofStep.filter(([, , part]) => names.includes(part ?? '')).map(([, turn]) => Number(turn)))].toSorted(
        (first, second) => first - second,
      );
    const turns = toTurns(['prompt', 'response', 'results']);
    return toTurns(['prompt']).map((firstTurn, index, starts) => {
      const end = starts[index + 1] ?? Infinity;
      return { step, turns: turns.filter((turn) => turn >= firstTurn && turn < end) };
    });
  });
  return await Promise.all(rounds.slice(0, roundsMax).map(async (round) => await readRound(blobs, uid, round)));
}

async function readRound(
  blobs: Blobs,
  uid: string,
  { step, turns }: { step: string; turns: number[] },
): Promise<RoundView> {
  const [first = 1, last = first] = [turns[0], turns.at(-1)];
  const [prompt, results] = await Promise.all([
    readPart<PromptPart>(blobs, { uid, step, turn: first }, 'prompt'),
    readPart<ResultsPart>(blobs, { uid, step, turn: last }, 'results'),
  ]);
  const { conflict } = prompt ?? {};
  return defined({
    step,
    trigger: prompt?.trigger ?? 'start',
    firstTurn: first,
    turns: turns.length,
    startedAt: prompt?.at,
    finishedAt: results?.verdict && results.at,
    outcome: results?.verdict?.outcome,
    conflict: conflict && { head: conflict.branchSha, base: conflict.baseSha, files: conflict.files },
  });
}

async function readPart<Part>(blobs: Blobs, ref: TurnRef, part: TurnPart): Promise<Part | undefined> {
  const bytes = await blobs.find(turnKey(ref, part));
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Part);
}
