import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Message } from '../../src/integrations/models/models.ts';
import { stepPrefix, turnKey, type TurnPart, type TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import type {
  Conflict,
  PromptPart,
  ResponsePart,
  ResultsPart,
  StoredEvidence,
} from '../../src/rules/agents/transcript-parts.ts';
import type { Verdict } from '../../src/rules/changes/kinds.ts';

type TurnParts = { prompt: PromptPart; response: ResponsePart; results: ResultsPart };

export type Transcript = {
  /** The conversation including the recorded parts of the current turn. */
  messages: Message[];
  system: string;
  /** The conflict that the current round resolves. */
  conflict: Conflict | undefined;
  /** The start time of the current round. */
  roundStartedAt: string | undefined;
  /** True when the previous response called no tool. */
  wasReminded: boolean;
  /** The evidence after the last turn that changed it. */
  evidence: StoredEvidence | undefined;
};

/** Reads a step's conversation since it last started over from its blobs. */
export async function readTranscript(blobs: Blobs, ref: TurnRef): Promise<Transcript> {
  const keys = new Set(await blobs.list(stepPrefix(ref.uid, ref.step)));
  const read = async <P extends keyof TurnParts>(turn: TurnRef, part: P): Promise<TurnParts[P] | undefined> =>
    keys.has(turnKey(turn, part)) ? await readTurnPart(blobs, turn, part) : undefined;
  const allTurns = await Promise.all(
    Array.from({ length: ref.turn }, async (_, index) => {
      const turn = { ...ref, turn: index + 1 };
      return {
        prompt: await read(turn, 'prompt'),
        response: await read(turn, 'response'),
        results: await read(turn, 'results'),
      };
    }),
  );
  // A step that starts over keeps its earlier turns for people, but not for its agent.
  const restart = allTurns.findLastIndex(({ prompt }) => prompt?.trigger === 'restart');
  const turns = allTurns.slice(Math.max(0, restart));
  const prompts = turns.flatMap(({ prompt }) => prompt ?? []);
  const previous = turns.at(-2);
  return {
    messages: turns.flatMap(({ prompt, response, results }) =>
      [prompt, response, results].flatMap((part) => part?.messages ?? []),
    ),
    system: prompts[0]?.system ?? '',
    conflict: prompts.at(-1)?.conflict,
    roundStartedAt: prompts.at(-1)?.at,
    wasReminded: previous?.response?.toolCalls.length === 0 && !turns.at(-1)?.prompt,
    evidence: turns.flatMap(({ results }) => results?.evidence ?? []).at(-1),
  };
}

export async function readTurnPart<P extends keyof TurnParts>(
  blobs: Blobs,
  ref: TurnRef,
  part: P,
): Promise<TurnParts[P] | undefined> {
  const bytes = await blobs.find(turnKey(ref, part));
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as TurnParts[P]);
}

export async function saveTurnPart<P extends keyof TurnParts>(
  blobs: Blobs,
  ref: TurnRef,
  part: { [Name in P]: TurnParts[Name] },
): Promise<void> {
  for (const [name, value] of Object.entries(part)) {
    await blobs.put(turnKey(ref, name as TurnPart), Buffer.from(JSON.stringify(value)));
  }
}

/** Finds the full verdict of a step, which the status holds only in truncated form. */
export async function findLastVerdict(blobs: Blobs, uid: string, step: string): Promise<Verdict | undefined> {
  const keys = await blobs.list(stepPrefix(uid, step));
  const turns = keys.flatMap((key) => (key.endsWith('/results') ? [Number(key.split('/').at(-2))] : []));
  const last = Math.max(0, ...turns);
  return last > 0 ? (await readTurnPart(blobs, { uid, step, turn: last }, 'results'))?.verdict : undefined;
}
