import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Message, ToolCall } from '../../src/integrations/models/models.ts';
import type { Opening } from '../../src/rules/agents/openings.ts';
import { stepPrefix, turnKey, type TurnPart, type TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import type { EvidenceSkipped, Usage, Verdict } from '../../src/rules/changes/kinds.ts';

/** The commits that a conflict is about: they stay the same for the whole round, whatever moves meanwhile. */
export type Conflict = { branchSha: string; baseSha: string; files: string[]; at: string };

export type OpeningPart = { system?: string; messages: Message[]; reason: Opening; conflict?: Conflict; at?: string };
export type AnswerPart = {
  messages: Message[];
  toolCalls: ToolCall[];
  text: string;
  usage: Usage;
  /** Which model it was, and when. */
  model?: string;
  at?: string;
};
/** What the step's evidence folder held after a turn; the bytes are blobs of their own, by their hash. */
export type KeptEvidence = {
  files: { name: string; type: string; sizeBytes: number; hash: string }[];
  skipped: EvidenceSkipped[];
};
/** `evidence` is there when the turn changed it. */
export type ResultsPart = {
  messages: Message[];
  verdict?: Verdict;
  changed: boolean;
  at: string;
  evidence?: KeptEvidence;
};
type Parts = { opening: OpeningPart; answer: AnswerPart; results: ResultsPart };

export type Transcript = {
  /** The conversation up to and with this turn's own parts, so far as they exist. */
  messages: Message[];
  system: string;
  /** Of the round that this turn belongs to. */
  conflict: Conflict | undefined;
  /** When that round began. */
  openedAt: string | undefined;
  /** The turn before answered without calling a tool. */
  wasReminded: boolean;
  /** As the last turn that changed it left it. */
  evidence: KeptEvidence | undefined;
};

/** Reads a step's conversation from its blobs. */
export async function readTranscript(blobs: Blobs, at: TurnRef): Promise<Transcript> {
  const keys = new Set(await blobs.list(stepPrefix(at.uid, at.step)));
  const read = async <P extends keyof Parts>(of: TurnRef, part: P): Promise<Parts[P] | undefined> =>
    keys.has(turnKey(of, part)) ? await readPart(blobs, of, part) : undefined;
  const turns = await Promise.all(
    Array.from({ length: at.turn }, async (_, index) => {
      const of = { ...at, turn: index + 1 };
      return {
        opening: await read(of, 'opening'),
        answer: await read(of, 'answer'),
        results: await read(of, 'results'),
      };
    }),
  );
  const openings = turns.flatMap(({ opening }) => opening ?? []);
  const before = turns.at(-2);
  return {
    messages: turns.flatMap(({ opening, answer, results }) =>
      [opening, answer, results].flatMap((part) => part?.messages ?? []),
    ),
    system: openings[0]?.system ?? '',
    conflict: openings.at(-1)?.conflict,
    openedAt: openings.at(-1)?.at,
    wasReminded: before?.answer?.toolCalls.length === 0 && !turns.at(-1)?.opening,
    evidence: turns.flatMap(({ results }) => results?.evidence ?? []).at(-1),
  };
}

export async function readPart<P extends keyof Parts>(
  blobs: Blobs,
  at: TurnRef,
  part: P,
): Promise<Parts[P] | undefined> {
  const bytes = await blobs.find(turnKey(at, part));
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Parts[P]);
}

export async function writePart<P extends keyof Parts>(
  blobs: Blobs,
  at: TurnRef,
  part: { [Name in P]: Parts[Name] },
): Promise<void> {
  for (const [name, value] of Object.entries(part)) {
    await blobs.put(turnKey(at, name as TurnPart), Buffer.from(JSON.stringify(value)));
  }
}

/** The last verdict of a step, whatever its status says now. */
export async function lastVerdict(blobs: Blobs, uid: string, step: string): Promise<Verdict | undefined> {
  const keys = await blobs.list(stepPrefix(uid, step));
  const turns = keys.flatMap((key) => (key.endsWith('/results') ? [Number(key.split('/').at(-2))] : []));
  const last = Math.max(0, ...turns);
  return last > 0 ? (await readPart(blobs, { uid, step, turn: last }, 'results'))?.verdict : undefined;
}
