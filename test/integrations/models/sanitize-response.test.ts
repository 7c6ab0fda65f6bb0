import { describe, expect, it } from 'vitest';
import type { Message, ModelResponse } from '../../../src/integrations/models/models.ts';
import { sanitizeResponse } from '../../../src/integrations/models/sanitize-response.ts';

type Call = { id: string; name: string; input: unknown; error?: string };
const usage = { inputTokens: 10, outputTokens: 5 };

const toPart = ({ id, name, input }: Call) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }) as const;
const toMessage = (calls: Call[]): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text: 'Reading.' }, ...calls.map(toPart)],
});
const sanitize = (calls: Call[], fields: Partial<ModelResponse> = {}): ModelResponse =>
  sanitizeResponse({ messages: [toMessage(calls)], toolCalls: calls, text: 'Reading.', usage, ...fields });

/** Returns the calls as the messages contain them. */
const readParts = ({ messages }: ModelResponse) =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((part) => part.type === 'tool-call'),
  );

describe('sanitizeResponse', () => {
  it('leaves a valid response as it is', () => {
    const calls = [{ id: 'c1', name: 'read_file', input: { path: 'a' } }];
    const response = { messages: [toMessage(calls)], toolCalls: calls, text: 'Reading.', usage };
    expect(sanitizeResponse(response)).toEqual(response);
  });

  it('gives calls of the same id, or without one, ids of their own', () => {
    const response = sanitize(['c1', 'c1', '', '', 'c1-2', 'c1'].map((id) => ({ id, name: 'read', input: {} })));
    const ids = response.toolCalls.map(({ id }) => id);
    expect(ids).toEqual(['c1', 'c1-2', 'call', 'call-4', 'c1-2-5', 'c1-6']);
    expect(readParts(response).map(({ toolCallId }) => toolCallId)).toEqual(ids);
  });

  it('ends when the id that it makes is taken as well', () => {
    const response = sanitize(['a', 'a-3', 'a', 'a'].map((id) => ({ id, name: 'read', input: {} })));
    expect(response.toolCalls.map(({ id }) => id)).toEqual(['a', 'a-3', 'a-4', 'a-5']);
  });

  it.each([
    ['read file!', 'read_file_'],
    ['', 'unnamed'],
    ['a'.repeat(65), 'a'.repeat(64)],
  ])('makes a valid name of %j', (name, expected) => {
    const response = sanitize([{ id: 'c1', name, input: {} }]);
    expect(response.toolCalls).toMatchObject([{ name: expected }]);
    expect(readParts(response)).toMatchObject([{ toolName: expected }]);
  });

  it.each([['text'], [null], [[1]], [7]])('sends the input %j back as an empty object, and keeps the call', (input) => {
    const response = sanitize([{ id: 'c1', name: 'read', input, error: 'invalid' }]);
    expect(response.toolCalls).toEqual([{ id: 'c1', name: 'read', input, error: 'invalid' }]);
    expect(readParts(response).map(({ input }) => input)).toEqual([{}]);
  });

  it('leaves messages without calls, texts and results of tools as they are', () => {
    const messages: Message[] = [
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [toPart({ id: 'extra', name: 'a b', input: 1 })] },
    ];
    expect(sanitize([], { messages }).messages).toEqual(messages);
  });

  it.each([
    [
      { inputTokens: -5, outputTokens: -1 },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { inputTokens: 1.6, outputTokens: 2.2 },
      { inputTokens: 2, outputTokens: 2 },
    ],
    [
      { inputTokens: Number.NaN, outputTokens: Infinity },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { inputTokens: 10, outputTokens: 1, cachedInputTokens: 20 },
      { inputTokens: 10, outputTokens: 1, cachedInputTokens: 10 },
    ],
    [
      { inputTokens: 10, outputTokens: 1, cachedInputTokens: 1 },
      { inputTokens: 10, outputTokens: 1, cachedInputTokens: 1 },
    ],
    [
      { inputTokens: 10, outputTokens: 1, cachedInputTokens: 0 },
      { inputTokens: 10, outputTokens: 1 },
    ],
  ])('corrects the counts %j', (counts, expected) => {
    expect(sanitize([], { usage: counts }).usage).toEqual(expected);
  });
});
