import type { Usage } from '../../rules/changes/kinds.ts';
import type { Answer, Message, ToolCall } from './models.ts';

/** What providers take for the name of a tool when the conversation comes back to them. */
const unfit = /[^A-Za-z0-9_-]/g;
const nameCharactersMax = 64;

/**
 * An answer that can be sent back: what a model made up (names no provider takes, an id twice, input that is no
 * object) would have each later question of the conversation refused. The calls still say what is wrong.
 */
export function usableAnswer({ messages, toolCalls, text, usage }: Answer): Answer {
  const taken = new Set<string>();
  const calls = toolCalls.map((call): ToolCall => {
    const id = ownId(call.id, taken);
    return { ...call, id, name: fitName(call.name) };
  });
  let at = 0;
  const nextCall = (): ToolCall | undefined => calls[at++];
  return {
    messages: messages.map((message) => withCalls(message, nextCall)),
    toolCalls: calls,
    text,
    // A count below nothing would lift the limits.
    usage: usableUsage(usage),
  };
}

function usableUsage(usage: Usage): Usage {
  const inputTokens = count(usage.inputTokens);
  const cached = Math.min(count(usage.cachedInputTokens ?? 0), inputTokens);
  return { inputTokens, outputTokens: count(usage.outputTokens), ...(cached > 0 && { cachedInputTokens: cached }) };
}

function withCalls(message: Message, nextCall: () => ToolCall | undefined): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const content = message.content.map((part) => {
    const call = part.type === 'tool-call' ? nextCall() : undefined;
    if (part.type !== 'tool-call' || !call) return part;
    return { ...part, toolCallId: call.id, toolName: call.name, input: isObject(part.input) ? part.input : {} };
  });
  return { ...message, content };
}

function ownId(given: string, taken: Set<string>): string {
  let id = given || 'call';
  while (taken.has(id)) id = `${given || 'call'}-${taken.size + 1}`;
  taken.add(id);
  return id;
}

const fitName = (name: string): string => name.replaceAll(unfit, '_').slice(0, nameCharactersMax) || 'unnamed';

const isObject = (input: unknown): boolean => typeof input === 'object' && input !== null && !Array.isArray(input);

const count = (tokens: number): number => (Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0);
