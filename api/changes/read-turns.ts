import { z } from '@hono/zod-openapi';
import type { ResponsePart, PromptPart, ResultsPart } from '../../src/rules/agents/transcript-parts.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Message } from '../../src/integrations/models/models.ts';
import { stepPrefix, turnKey, type TurnPart, type TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import { Usage, Verdict } from '../../src/rules/changes/kinds.ts';

export const TurnView = z
  .object({
    turn: z.int().describe('Number of the turn, counted from 1.'),
    prompt: z
      .object({
        trigger: z.string().describe('What started the round of turns.'),
        text: z.string().describe('Text of the message, truncated if it is long.'),
      })
      .optional()
      .openapi({
        description: 'The message that starts a round of turns: the task, review comments or guidance.',
      }),
    text: z.string().describe('Text that the model wrote.'),
    toolCalls: z
      .array(
        z.object({
          name: z.string().describe('Name of the tool.'),
          input: z.unknown().describe('Arguments of the call.'),
        }),
      )
      .describe('Tools that the model called.'),
    results: z
      .array(
        z.object({
          name: z.string().describe('Name of the tool.'),
          text: z.string().describe('Output of the tool, truncated if it is long.'),
          isError: z.boolean().describe('Whether the call failed.'),
        }),
      )
      .describe('Results of the tool calls.'),
    verdict: Verdict.optional().describe('Result of the step, if the agent finished it in this turn.'),
    usage: Usage.optional().openapi({ description: 'Absent until the model has responded.' }),
    completedAt: z
      .string()
      .optional()
      .openapi({ description: 'Time at which the tool calls of the turn were completed.' }),
  })
  .openapi('Turn');
type TurnView = z.infer<typeof TurnView>;

/** Transcripts are for people to read, so long texts are truncated. */
const textCharactersMax = 8_000;
const inputTextCharactersMax = 2_000;
const inputCharactersMax = 16_000;

/** Returns the numbers of the turns of a step that are stored, completely or in part. */
export async function listTurns(blobs: Blobs, { uid, step }: Omit<TurnRef, 'turn'>): Promise<number[]> {
  const prefix = stepPrefix(uid, step);
  const keys = (await blobs.list(prefix)).map((key) => key.slice(prefix.length).split('/'));
  return [...new Set(keys.filter(([, part]) => part !== 'guidance').map(([turn]) => Number(turn)))];
}

/** Reads one turn; a turn in progress has only the parts that are stored so far. */
export async function readTurn(blobs: Blobs, ref: TurnRef): Promise<TurnView> {
  const read = async <Part>(part: TurnPart): Promise<Part | undefined> => {
    const bytes = await blobs.find(turnKey(ref, part));
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Part);
  };
  const [prompt, response, results] = await Promise.all([
    read<PromptPart>('prompt'),
    read<ResponsePart>('response'),
    read<ResultsPart>('results'),
  ]);
  return {
    turn: ref.turn,
    ...(prompt && { prompt: { trigger: prompt.trigger, text: truncate(prompt.messages.map(toText).join('\n\n')) } }),
    text: truncate(response?.text ?? ''),
    toolCalls: (response?.toolCalls ?? []).map(({ name, input }) => ({ name, input: truncateInput(input) })),
    results: (results?.messages ?? []).flatMap(toResults),
    ...(results?.verdict && { verdict: results.verdict }),
    ...(response && { usage: response.usage }),
    ...(results && { completedAt: results.at }),
  };
}

const toText = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');

function toResults(message: Message): TurnView['results'] {
  if (message.role !== 'tool') return [];
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return [];
    const { type, value } = { value: undefined, ...part.output };
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    return { name: part.toolName, text: truncate(text), isError: type.startsWith('error') };
  });
}

function truncate(text: string, charactersMax = textCharactersMax): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax)}\n[… ${text.length - charactersMax} more characters …]`;
}

/** Truncates the long texts of an input; an input that is still too long becomes a truncated JSON text. */
function truncateInput(input: unknown): unknown {
  const shortened = JSON.stringify(input ?? null, (_, value: unknown) =>
    typeof value === 'string' ? truncate(value, inputTextCharactersMax) : value,
  );
  return shortened.length <= inputCharactersMax
    ? (JSON.parse(shortened) as unknown)
    : truncate(shortened, inputCharactersMax);
}
