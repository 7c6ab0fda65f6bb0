import { z } from '@hono/zod-openapi';
import type { AnswerPart, OpeningPart, ResultsPart } from '../../activities/agents/transcript.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Message } from '../../src/integrations/models/models.ts';
import { stepPrefix, turnKey, type TurnPart, type TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import { Usage, Verdict } from '../../src/rules/changes/kinds.ts';

export const TurnView = z
  .object({
    turn: z.int(),
    opening: z.object({ reason: z.string(), text: z.string() }).optional().openapi({
      description: 'What a round of turns begins with: the task, a review’s objections, a person’s guidance.',
    }),
    text: z.string(),
    toolCalls: z.array(z.object({ name: z.string(), input: z.unknown() })),
    results: z.array(z.object({ name: z.string(), text: z.string(), isError: z.boolean() })),
    verdict: Verdict.optional(),
    usage: Usage.optional().openapi({ description: 'Absent while the model has not answered yet.' }),
    at: z.string().optional().openapi({ description: 'When its tools had run.' }),
  })
  .openapi('Turn');
type TurnView = z.infer<typeof TurnView>;

/** A page is for people to read; the whole of a file or an output is in the branch, or in no view at all. */
const textCharactersMax = 8_000;
const inputTextCharactersMax = 2_000;
const inputCharactersMax = 16_000;

/** The turns of a step after a given one, each as far as it has come. */
export async function readTurns(
  blobs: Blobs,
  { uid, step }: Omit<TurnRef, 'turn'>,
  { after, limit }: { after: number; limit: number },
): Promise<{ items: TurnView[]; continue?: string }> {
  const prefix = stepPrefix(uid, step);
  const keys = (await blobs.list(prefix)).map((key) => key.slice(prefix.length).split('/'));
  const turns = new Set(keys.filter(([, part]) => part !== 'guidance').map(([turn]) => Number(turn)));
  const left = [...turns].filter((turn) => turn > after).toSorted((one, other) => one - other);
  const page = left.slice(0, limit);
  const items = await Promise.all(page.map(async (turn) => await readTurn(blobs, { uid, step, turn })));
  const last = page.at(-1);
  return { items, ...(last !== undefined && left.length > page.length && { continue: String(last) }) };
}

async function readTurn(blobs: Blobs, ref: TurnRef): Promise<TurnView> {
  const read = async <Part>(part: TurnPart): Promise<Part | undefined> => {
    const bytes = await blobs.find(turnKey(ref, part));
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Part);
  };
  const [opening, answer, results] = await Promise.all([
    read<OpeningPart>('opening'),
    read<AnswerPart>('answer'),
    read<ResultsPart>('results'),
  ]);
  return {
    turn: ref.turn,
    ...(opening && { opening: { reason: opening.reason, text: bounded(opening.messages.map(textOf).join('\n\n')) } }),
    text: bounded(answer?.text ?? ''),
    toolCalls: (answer?.toolCalls ?? []).map(({ name, input }) => ({ name, input: boundedInput(input) })),
    results: (results?.messages ?? []).flatMap(resultsIn),
    ...(results?.verdict && { verdict: results.verdict }),
    ...(answer && { usage: answer.usage }),
    ...(results && { at: results.at }),
  };
}

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');

function resultsIn(message: Message): TurnView['results'] {
  if (message.role !== 'tool') return [];
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return [];
    const { type, value } = { value: undefined, ...part.output };
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    return { name: part.toolName, text: bounded(text), isError: type.startsWith('error') };
  });
}

function bounded(text: string, charactersMax = textCharactersMax): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax)}\n[… ${text.length - charactersMax} more characters …]`;
}

/** The input with its long texts cut; as a text where it is long all the same. */
function boundedInput(input: unknown): unknown {
  const cut = JSON.stringify(input ?? null, (_, value: unknown) =>
    typeof value === 'string' ? bounded(value, inputTextCharactersMax) : value,
  );
  return cut.length <= inputCharactersMax ? (JSON.parse(cut) as unknown) : bounded(cut, inputCharactersMax);
}
