import type { ModelMessage } from 'ai';

/** One message of a conversation, as it is kept in the transcript. */
export type Message = ModelMessage;

export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };

/** `problem` says why the call is not even well-formed: broken JSON, or a tool that does not exist. */
export type ToolCall = { id: string; name: string; input: unknown; problem?: string };

export type Answer = {
  messages: Message[];
  text: string;
  toolCalls: ToolCall[];
  usage: { inputTokens: number; outputTokens: number };
};

export type Question = {
  system: string;
  messages: Message[];
  tools: ToolDefinition[];
  signal?: AbortSignal | undefined;
};

/** One model of a provider. Refused as `unavailable` when the same question may succeed later. */
export type Model = { readonly name: string; answer(question: Question): Promise<Answer> };

export type ToolResult = { call: ToolCall; text: string; isError: boolean };

/** The message that answers the tool calls of the message before it. */
export function toolResultsMessage(results: ToolResult[]): Message {
  return {
    role: 'tool',
    content: results.map(({ call, text, isError }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: isError ? 'error-text' : 'text', value: text },
    })),
  };
}
