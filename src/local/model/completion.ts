import { randomUUID } from 'node:crypto';
import type { RehearsedTurn } from './example.ts';

/** About what a real tokenizer would count. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

export type Completion = ReturnType<typeof completion>;

/** A turn in the shape of the chat completions protocol. */
export function completion(model: string, asked: string, { says, calls }: RehearsedTurn) {
  const toolCalls = calls.map(({ name, input }) => ({
    id: `call_${randomUUID()}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  const usage = { prompt_tokens: tokens(asked), completion_tokens: tokens(says + JSON.stringify(toolCalls)) };
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: says, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) },
        finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

/** The same as server-sent events, in a few pieces. */
export function streamed({ id, created, model, choices, usage }: Completion): string {
  const [choice] = choices;
  if (!choice) return '';
  const { content, tool_calls: calls = [] } = choice.message;
  const pieces = [
    { delta: { role: 'assistant', content: '' } },
    ...content.split(/(?<= )/).map((word) => ({ delta: { content: word } })),
    ...calls.map((call, index) => ({ delta: { tool_calls: [{ index, ...call }] } })),
    { delta: {}, finish_reason: choice.finish_reason },
  ].map((piece) => ({ choices: [{ index: 0, finish_reason: null, ...piece }] }));
  const events = [...pieces, { choices: [], usage }].map((piece) => {
    return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...piece })}\n\n`;
  });
  return `${events.join('')}data: [DONE]\n\n`;
}
