import type { Usage } from '../../rules/changes/kinds.ts';
import type { ModelResponse, Message, ToolCall } from './models.ts';

/** Providers reject other characters in tool names when the conversation is sent back. */
const invalidToolNameCharacters = /[^A-Za-z0-9_-]/g;
const nameCharactersMax = 64;

/**
 * Makes a response valid to send back: invalid tool names, duplicate ids and inputs that are not objects would make
 * providers reject every later request. The calls keep their errors.
 */
export function sanitizeResponse({ messages, toolCalls, text, usage }: ModelResponse): ModelResponse {
  const taken = new Set<string>();
  const calls = toolCalls.map((call): ToolCall => {
    const id = toUniqueId(call.id, taken);
    return { ...call, id, name: toToolName(call.name) };
  });
  let at = 0;
  const nextCall = (): ToolCall | undefined => calls[at++];
  return {
    messages: messages.map((message) => replaceToolCalls(message, nextCall)),
    toolCalls: calls,
    text,
    // A negative count would raise the budgets.
    usage: sanitizeUsage(usage),
  };
}

function sanitizeUsage(usage: Usage): Usage {
  const inputTokens = toTokenCount(usage.inputTokens);
  const cached = Math.min(toTokenCount(usage.cachedInputTokens ?? 0), inputTokens);
  return {
    inputTokens,
    outputTokens: toTokenCount(usage.outputTokens),
    ...(cached > 0 && { cachedInputTokens: cached }),
  };
}

function replaceToolCalls(message: Message, nextCall: () => ToolCall | undefined): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const content = message.content.map((part) => {
    const call = part.type === 'tool-call' ? nextCall() : undefined;
    if (part.type !== 'tool-call' || !call) return part;
    return { ...part, toolCallId: call.id, toolName: call.name, input: isObject(part.input) ? part.input : {} };
  });
  return { ...message, content };
}

function toUniqueId(modelId: string, taken: Set<string>): string {
  let id = modelId || 'call';
  for (let number = taken.size + 1; taken.has(id); number += 1) id = `${modelId || 'call'}-${number}`;
  taken.add(id);
  return id;
}

const toToolName = (name: string): string =>
  name.replaceAll(invalidToolNameCharacters, '_').slice(0, nameCharactersMax) || 'unnamed';

const isObject = (input: unknown): boolean => typeof input === 'object' && input !== null && !Array.isArray(input);

const toTokenCount = (tokens: number): number => (Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0);
