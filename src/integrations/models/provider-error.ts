import { APICallError } from 'ai';
import { type FieldError, findConnectionErrorCode, isServiceError, type Reason, ServiceError } from '../../errors.ts';

/** The model and endpoint of the request, with the names of the settings for error messages. */
export type ProviderErrorContext = {
  model: string;
  endpoint: string;
  settingNames: { apiKey: string; model: string; baseUrl: string };
  /** The field of a rejected key. */
  keyField: string;
};

/** The delay of the provider is respected up to this limit, so that a step does not wait longer without a retry. */
const retryAfterMsMax = 60 * 60_000;
const retryableStatuses = new Set([408, 409, 425, 429]);

/**
 * Translates an error of a provider: it names the wrong setting, or tells that a retry may help. The text never contains
 * the response, which may be the key, or confidential text of another system that the base URL names.
 */
export function toProviderError(error: unknown, context: ProviderErrorContext): ServiceError {
  const model = `The model "${context.model}" at ${context.endpoint}`;
  const refusal = findRefusal(error);
  if (refusal) return refusedDestinationError(refusal, context);
  const check = `Check ${context.settingNames.baseUrl}.`;
  if (!APICallError.isInstance(error)) return noResponseError(context, `returned no usable response. ${check}`);
  const { statusCode, responseHeaders } = error;
  if (statusCode === undefined) return noResponseError(context, `cannot be reached${describeCode(error)}. ${check}`);
  if (statusCode < 400) return noResponseError(context, `returned no usable response (${statusCode}). ${check}`);
  if (statusCode === 402) {
    return settingError(
      'model-provider-payment-required',
      `${model} requires payment (402). Add credit for ${context.settingNames.apiKey}, or use another key.`,
      {
        pointer: `/${context.keyField}`,
        detail: 'belongs to an account without credit',
      },
    );
  }
  if (statusCode === 401 || statusCode === 403 || (statusCode === 400 && /api.?key/i.test(error.message))) {
    const fix = `Check ${context.settingNames.apiKey} and its access to this model.`;
    return settingError('model-provider-key-rejected', `${model} rejected the key (${statusCode}). ${fix}`, {
      pointer: `/${context.keyField}`,
      detail: `was rejected by the provider (${statusCode})`,
    });
  }
  if (statusCode < 500 && !retryableStatuses.has(statusCode)) return rejectedRequestError(error, context);
  const retryAfterMs = findRetryAfterMs(responseHeaders);
  return new ServiceError(
    'model-provider-unavailable',
    `${model} is unavailable (${statusCode}).`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

/** Providers have no common code for a conversation that exceeds the context window of the model. */
const isTooLong = ({ statusCode, message }: APICallError): boolean =>
  statusCode === 413 ||
  (statusCode === 400 &&
    /context (length|window)|(prompt|input) is too long|token count .{0,100}exceeds/i.test(message));

function rejectedRequestError(
  error: APICallError,
  { model, endpoint, settingNames }: ProviderErrorContext,
): ServiceError {
  const { statusCode, message } = error;
  const named = `The model "${model}" at ${endpoint}`;
  if (isTooLong(error)) {
    const fix = 'Let the step start over, or use a model with a larger context window.';
    const refused = `${named} cannot take a conversation of this length (${statusCode}).`;
    return settingError('model-request-rejected', `${refused} ${fix}`, {
      pointer: '/model',
      detail: 'has a context window that is too small for the conversation',
    });
  }
  const fix = `Check ${settingNames.baseUrl} and ${settingNames.model}, and that the model supports tools.`;
  // A wrong base URL also returns 404, but its message does not mention a model.
  const isWrongUrl = statusCode === 404 && !/model/i.test(message);
  return settingError('model-request-rejected', `${named} rejected the request (${statusCode}). ${fix}`, {
    pointer: isWrongUrl ? '/baseUrl' : '/model',
    detail: `was rejected by the provider (${statusCode})`,
  });
}

const refusedDestinationError = ({ reason, message }: ServiceError, context: ProviderErrorContext): ServiceError =>
  settingError(reason, `The model "${context.model}" was not asked. ${message}`, {
    pointer: '/baseUrl',
    detail: message,
  });

const noResponseError = ({ model, endpoint }: ProviderErrorContext, detail: string): ServiceError =>
  new ServiceError('model-provider-unavailable', `The model "${model}" at ${endpoint} ${detail}`, {
    errors: [{ pointer: '/baseUrl', detail }],
  });

const settingError = (reason: Reason, message: string, error: FieldError): ServiceError =>
  new ServiceError(reason, message, { errors: [error] });

/** Returns the refusal to connect, which the libraries wrap in errors of their own. */
function findRefusal(error: unknown): ServiceError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isServiceError(at)) return at;
  return undefined;
}

/** Names the error of the connection, such as ECONNREFUSED. */
function describeCode(error: unknown): string {
  const code = findConnectionErrorCode(error);
  return code === undefined ? '' : ` (${code})`;
}

function findRetryAfterMs(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  const wait = Number.isFinite(ms) ? ms : parseRetryAfterMs(headers?.['retry-after']);
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), retryAfterMsMax) : undefined;
}

/** The header contains seconds or a date. */
function parseRetryAfterMs(value: string | undefined): number {
  if (value === undefined) return Number.NaN;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
}

export function toErrorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
