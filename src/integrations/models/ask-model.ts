import { generateText, jsonSchema, type LanguageModel, tool, type ToolSet } from 'ai';
import type { Adapter } from './adapter.ts';
import type { Answer, Message, Question, ToolDefinition } from './models.ts';
import { usableAnswer } from './usable-answer.ts';
import { errorText } from './provider-error.ts';

/** An answer, and what was written to the provider's cache for the next. */
export type RawAnswer = Answer & { cacheWriteTokens: number };

type Asking = { model: LanguageModel; options: Adapter['options']; timeoutMs: number };

export async function askModel(
  { model, options, timeoutMs }: Asking,
  { system, messages, tools, signal }: Question,
): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const result = await generateText({
    model,
    instructions: system,
    messages,
    tools: declared(tools),
    ...(options && { providerOptions: options }),
    // Temporal asks again; asking here too would multiply the two.
    maxRetries: 0,
    abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const { cacheWriteTokens, ...answer } = answerOf(result);
  return { ...usableAnswer(answer), cacheWriteTokens };
}

/** Without `execute`, and without validation: what is wrong with a call is for the model to read, not a failure. */
function declared(tools: ToolDefinition[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

type Generated = Awaited<ReturnType<typeof generateText>>;

function answerOf({ response, text, toolCalls, usage }: Generated): RawAnswer {
  const said: Message[] = response.messages.filter(({ role }) => role === 'assistant');
  const isEmpty = said.every(({ content }) => content.length === 0);
  const cached = usage.inputTokenDetails.cacheReadTokens ?? 0;
  return {
    // Providers refuse a conversation with an empty message in it.
    messages: isEmpty ? [{ role: 'assistant', content: '(no answer)' }] : said,
    text,
    toolCalls: toolCalls.map((call) => ({
      id: call.toolCallId,
      name: call.toolName,
      input: call.input,
      ...('error' in call && call.error !== undefined && { problem: errorText(call.error) }),
    })),
    usage: {
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
      ...(cached > 0 && { cachedInputTokens: cached }),
    },
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
}
