import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, tool, type ToolSet } from 'ai';
import { ServiceError } from '../../errors.ts';
import type { Answer, Message, Model, ToolDefinition } from './models.ts';
import { patientFetch } from './patient-fetch.ts';
import { usableAnswer } from './usable-answer.ts';

export type OpenAiCompatibleOptions = {
  /** Ends in `/v1` with most providers. */
  baseUrl: string;
  name: string;
  apiKey: string;
  /** No answer takes longer from a provider that still works on it. */
  answerTimeoutMs?: number;
};

const defaultAnswerTimeoutMs = 15 * 60_000;
/** Far more than any model writes. */
const answerBytesMax = 16 * 1024 * 1024;
/** A provider that says "tomorrow" is asked again sooner: it may have been given more by then. */
const retryAfterMsMax = 60 * 60_000;

/** Any endpoint that speaks the chat completions protocol. */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const { baseUrl, name, apiKey, answerTimeoutMs = defaultAnswerTimeoutMs } = options;
  const fetch = patientFetch({ timeoutMs: answerTimeoutMs, bytesMax: answerBytesMax });
  const provider = createOpenAICompatible({ name: 'model', baseURL: baseUrl, apiKey, fetch });
  const withoutKey = (text: string): string => (apiKey ? text.replaceAll(apiKey, '[key]') : text).slice(0, 1000);

  return {
    name,
    async answer({ system, messages, tools, signal }) {
      const timeout = AbortSignal.timeout(answerTimeoutMs);
      try {
        const result = await generateText({
          model: provider.chatModel(name),
          instructions: system,
          messages,
          tools: declared(tools),
          // Temporal asks again; asking here too would multiply the two.
          maxRetries: 0,
          abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        return usableAnswer(answerOf(result));
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw translate(error, { name, baseUrl, withoutKey });
      }
    },
  };
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

function answerOf({ response, text, toolCalls, usage }: Generated): Answer {
  const said: Message[] = response.messages.filter(({ role }) => role === 'assistant');
  const isEmpty = said.every(({ content }) => content.length === 0);
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
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
  };
}

type Asked = { name: string; baseUrl: string; withoutKey: (text: string) => string };

function translate(error: unknown, { name, baseUrl, withoutKey }: Asked): Error {
  const model = `The model "${name}" at ${baseUrl}`;
  if (!APICallError.isInstance(error)) {
    return new ServiceError('unavailable', `${model} gave no usable answer: ${withoutKey(errorText(error))}`);
  }
  const { statusCode, responseHeaders } = error;
  if (statusCode === 401 || statusCode === 403) {
    const fix = 'Check MODEL_API_KEY, and that the key may use this model.';
    return new ServiceError('forbidden', `${model} refused the key (${statusCode}). ${fix}`);
  }
  const said = withoutKey([error.message, ...causeOf(error)].join(': '));
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && ![408, 409, 425, 429].includes(statusCode)) {
    const fix = 'Check MODEL_BASE_URL and MODEL_NAME, and that the model can use tools.';
    return new ServiceError('invalid', `${model} refused the request (${statusCode}): ${said}. ${fix}`);
  }
  const retryAfterMs = retryAfter(responseHeaders);
  const message = `${model} did not answer (${statusCode ?? 'no connection'}): ${said}`;
  return new ServiceError('unavailable', message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) return waitable(ms);
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? waitable(waitMs) : undefined;
}

const waitable = (ms: number): number => Math.min(Math.max(0, ms), retryAfterMsMax);

const causeOf = ({ cause }: Error): string[] => (cause instanceof Error ? [cause.message] : []);

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
