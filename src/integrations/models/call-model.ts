import { generateText, jsonSchema, type LanguageModel, tool, type ToolSet } from 'ai';
import type { Adapter } from './adapter.ts';
import type { ModelResponse, Message, ModelRequest, ToolDefinition } from './models.ts';
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
  const assistantMessages: Message[] = response.messages.filter(({ role }) => role === 'assistant');
  const isEmpty = assistantMessages.every(({ content }) => content.length === 0);
  return {
    // Providers reject a conversation that contains an empty message.
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
