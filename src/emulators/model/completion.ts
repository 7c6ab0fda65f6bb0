import { randomUUID } from 'node:crypto';
import type { ScriptedTurn } from './scenario.ts';

/** This estimate is close to the count of a real tokenizer. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export type Completion = ReturnType<typeof createCompletion>;

/** Converts a turn to a response of the chat completions API. */
export function createCompletion(model: string, requestText: string, { content, toolCalls }: ScriptedTurn) {
  const calls = toolCalls.map(({ name, input }) => ({
    id: `call_${randomUUID()}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  const usage = {
    prompt_tokens: estimateTokens(requestText),
    completion_tokens: estimateTokens(content + JSON.stringify(calls)),
  };
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

/** Converts a completion to server-sent events, one per word. */
export function toEventStream({ id, created, model, choices, usage }: Completion): string {
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
