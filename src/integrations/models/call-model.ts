import { type AssistantModelMessage, generateText, jsonSchema, type LanguageModel, tool, type ToolSet } from 'ai';
import type { Adapter } from './adapter.ts';
import type { ModelResponse, ModelRequest, ToolDefinition } from './models.ts';
import { sanitizeResponse } from './sanitize-response.ts';
import { toErrorText } from './provider-error.ts';

/** A response, with the tokens that were written to the provider's cache. */
export type RawModelResponse = ModelResponse & { cacheWriteTokens: number };

type CallOptions = { model: LanguageModel; options: Adapter['providerOptions']; timeoutMs: number };

export async function callModel(
  { model, options, timeoutMs }: CallOptions,
  { system, messages, tools, signal }: ModelRequest,
): Promise<RawModelResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const result = await generateText({
    model,
    ...toWellFormed({ instructions: system, messages }),
    tools: toToolSet(tools),
    ...(options && { providerOptions: options }),
    // Temporal retries the activity, so retries here would multiply.
    maxRetries: 0,
    abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const { cacheWriteTokens, ...response } = toRawResponse(result);
  return { ...sanitizeResponse(response), cacheWriteTokens };
}

/** A cut text may end in half of a surrogate pair, and providers reject its JSON, now and in every later request. */
const toWellFormed = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))) as T;

/** The tools have no `execute` and no validation: an invalid call is an error that the model reads, not a failure. */
function toToolSet(tools: ToolDefinition[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

type Generated = Awaited<ReturnType<typeof generateText>>;

function toRawResponse({ response, text, toolCalls, usage }: Generated): RawModelResponse {
  const assistantMessages = response.messages.flatMap((message) =>
    message.role === 'assistant' ? [withoutBlankTexts(message)] : [],
  );
  const isEmpty = assistantMessages.every(hasNoAnswer);
  return {
    // Providers reject a conversation that contains an empty message, or one of reasoning only.
    messages: isEmpty ? [{ role: 'assistant', content: '(no answer)' }] : assistantMessages,
    text,
    toolCalls: toolCalls.map((call) => ({
      id: call.toolCallId,
      name: call.toolName,
      input: call.input,
      ...('error' in call && call.error !== undefined && { error: toErrorText(call.error) }),
    })),
    usage: {
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
      cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    },
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
}

/** Providers reject a text of white space. One with options carries something else, such as a signature. */
function withoutBlankTexts(message: AssistantModelMessage): AssistantModelMessage {
  const { content } = message;
  if (typeof content === 'string') return message;
  const isBlank = (part: (typeof content)[number]): boolean =>
    part.type === 'text' && part.text.trim() === '' && part.providerOptions === undefined;
  return { ...message, content: content.filter((part) => !isBlank(part)) };
}

const hasNoAnswer = ({ content }: AssistantModelMessage): boolean =>
  typeof content === 'string' ? content.trim() === '' : content.every(({ type }) => type === 'reasoning');
