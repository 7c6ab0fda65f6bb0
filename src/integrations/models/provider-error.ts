import { APICallError } from 'ai';
import { type FieldError, ServiceError } from '../../errors.ts';

/** What was asked, and what its settings are called by those who set them. */
export type Asked = {
  model: string;
  address: string;
  settings: { apiKey: string; model: string; baseUrl: string };
  /** The field that a refused key was given in. */
  keyField: string;
  secrets: string[];
};

/** An outage is retried by the provider's clock, but a step does not stand still for longer than this without asking. */
const retryAfterMsMax = 60 * 60_000;
const passing = new Set([408, 409, 425, 429]);

/** What a provider answers, as a refusal: which setting it is about, or that asking again may help. */
export function providerRefusal(error: unknown, asked: Asked): ServiceError {
  const model = `The model "${asked.model}" at ${asked.address}`;
  if (!APICallError.isInstance(error))
    return noAnswer(asked, `gave no usable answer: ${tellable(errorText(error), asked)}`);
  const { statusCode, responseHeaders } = error;
  const cause = error.cause instanceof Error ? [error.cause.message] : [];
  const said = tellable([error.message, ...cause].join(': '), asked);
  if (statusCode === undefined) return noAnswer(asked, `cannot be reached: ${said}`);
  if (statusCode < 400) return noAnswer(asked, `gave no usable answer (${statusCode}): ${said}`);
  if (statusCode === 402) {
    return refused(
      'forbidden',
      `${model} asks for payment (402): ${said}. Add credit for ${asked.settings.apiKey}, or use another.`,
      {
        pointer: `/${asked.keyField}`,
        detail: 'belongs to an account without credit',
      },
    );
  }
  if (statusCode === 401 || statusCode === 403 || (statusCode === 400 && /api.?key/i.test(error.message))) {
    const fix = `Check ${asked.settings.apiKey}, and that the key may use this model.`;
    return refused('forbidden', `${model} refused the key (${statusCode}). ${fix}`, {
      pointer: `/${asked.keyField}`,
      detail: `is refused by the provider (${statusCode})`,
    });
  }
  if (statusCode < 500 && !passing.has(statusCode)) return notAsAsked({ statusCode, said, model }, asked);
  const retryAfterMs = retryAfter(responseHeaders);
  return new ServiceError(
    'unavailable',
    `${model} did not answer (${statusCode}): ${said}`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

function notAsAsked(
  { statusCode, said, model }: { statusCode: number; said: string; model: string },
  { settings }: Asked,
): ServiceError {
  const fix = `Check ${settings.baseUrl} and ${settings.model}, and that the model can use tools.`;
  // An address that is wrong answers 404 too, but in no words about a model.
  const isAddress = statusCode === 404 && !/model/i.test(said);
  return refused('invalid', `${model} refused the request (${statusCode}): ${said}. ${fix}`, {
    pointer: isAddress ? '/baseUrl' : '/model',
    detail: `is refused by the provider (${statusCode}): ${said}`,
  });
}

const noAnswer = ({ model, address }: Asked, what: string): ServiceError =>
  new ServiceError('unavailable', `The model "${model}" at ${address} ${what}`, {
    errors: [{ pointer: '/baseUrl', detail: what }],
  });

const refused = (code: 'forbidden' | 'invalid', message: string, error: FieldError): ServiceError =>
  new ServiceError(code, message, { errors: [error] });

/** Providers repeat what they were sent. */
const tellable = (text: string, { secrets }: Asked): string =>
  secrets.reduce((told, secret) => (secret ? told.replaceAll(secret, '[key]') : told), text).slice(0, 1000);

function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  const wait = Number.isFinite(ms) ? ms : waitOf(headers?.['retry-after']);
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), retryAfterMsMax) : undefined;
}

/** Seconds, or a date. */
function waitOf(value: string | undefined): number {
  if (value === undefined) return Number.NaN;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
