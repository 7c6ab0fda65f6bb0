import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import {
  type ProviderErrorContext,
  toErrorText,
  toProviderError,
} from '../../../src/integrations/models/provider-error.ts';
import { ServiceError } from '../../../src/errors.ts';

const context: ProviderErrorContext = {
  model: 'large',
  endpoint: 'https://models.example',
  settingNames: { apiKey: 'apiKey', model: 'model', baseUrl: 'baseUrl' },
  keyField: 'apiKey',
};

/** Builds the error of a request that the provider answered with a status, or did not answer. */
function buildError(statusCode: number | undefined, more: { message?: string; headers?: Record<string, string> } = {}) {
  const { message = 'Something is wrong.', headers: responseHeaders = {} } = more;
  const request = { message, url: 'https://models.example/v1', requestBodyValues: {}, responseHeaders };
  return new APICallError(statusCode === undefined ? request : { ...request, statusCode });
}

const translate = (error: unknown) => {
  const { reason, message, errors, retryAfterMs } = toProviderError(error, context);
  return { reason, message, pointer: errors[0]?.pointer, retryAfterMs };
};

describe('the error of a provider', () => {
  it.each([
    [400, 'Incorrect API key provided', 'model-provider-key-rejected', '/apiKey'],
    [400, 'Unknown parameter', 'model-request-rejected', '/model'],
    [422, 'No API key in the example', 'model-request-rejected', '/model'],
    [401, '', 'model-provider-key-rejected', '/apiKey'],
    [403, '', 'model-provider-key-rejected', '/apiKey'],
    [402, '', 'model-provider-payment-required', '/apiKey'],
    [404, 'The model "large" does not exist', 'model-request-rejected', '/model'],
    [404, 'Not found', 'model-request-rejected', '/baseUrl'],
    [400, 'Not found', 'model-request-rejected', '/model'],
    [200, '', 'model-provider-unavailable', '/baseUrl'],
    [399, '', 'model-provider-unavailable', '/baseUrl'],
    [undefined, '', 'model-provider-unavailable', '/baseUrl'],
  ])('%s "%s" is %s at %s', (status, text, reason, pointer) => {
    expect(translate(buildError(status, { message: text }))).toMatchObject({ reason, pointer });
  });

  it.each([
    [400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130412 tokens."],
    [400, 'prompt is too long: 210334 tokens > 200000 maximum'],
    [400, 'Input is too long for requested model.'],
    [400, 'The input token count (1048712) exceeds the maximum number of tokens allowed (1048576).'],
    [400, 'Your input exceeds the context window of this model.'],
    [413, 'Request exceeds the maximum size'],
  ])('%s "%s" says that the conversation is too long', (status, text) => {
    expect(translate(buildError(status, { message: text }))).toMatchObject({
      reason: 'model-request-rejected',
      message: `The model "large" at https://models.example cannot take a conversation of this length (${status}). Let the step start over, or use a model with a larger context window.`,
      pointer: '/model',
    });
  });

  it.each([408, 409, 425, 429, 500, 503])('%i can be retried, and names no field', (status) => {
    expect(translate(buildError(status))).toMatchObject({ reason: 'model-provider-unavailable', pointer: undefined });
  });

  it.each<[headers: Record<string, string>, retryAfterMs: number | undefined]>([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': '86400' }, 3_600_000],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('with the headers %j is retried after %s ms', (headers, retryAfterMs) => {
    expect(translate(buildError(429, { headers })).retryAfterMs).toBe(retryAfterMs);
  });

  it('accepts a date until which to wait', () => {
    const at = new Date(Date.now() + 120_000).toUTCString();
    const { retryAfterMs = 0 } = translate(buildError(503, { headers: { 'retry-after': at } }));
    expect(retryAfterMs).toBeGreaterThan(60_000);
    expect(retryAfterMs).toBeLessThanOrEqual(120_000);
  });

  it('names the error of the connection, and nothing else of it', () => {
    const refused = new Error('connect to 10.0.0.7', {
      cause: Object.assign(new Error('inside'), { code: 'ECONNREFUSED' }),
    });
    const error = Object.assign(buildError(undefined), { cause: refused });
    expect(translate(error).message).toBe(
      'The model "large" at https://models.example cannot be reached (ECONNREFUSED). Check baseUrl.',
    );
    const odd = Object.assign(buildError(undefined), { code: 'the key is sk-1' });
    expect(translate(odd).message).toContain('cannot be reached. Check');
  });

  it('never contains the answer of the provider', () => {
    for (const status of [200, 400, 401, 402, 404, 422, 429, 500])
      expect(translate(buildError(status, { message: 'sk-secret' })).message).not.toContain('sk-secret');
  });

  it('is a refusal to connect when the destination is not allowed', () => {
    const refusal = new ServiceError('destination-not-allowed', 'The address is not public.');
    const error = new Error('fetch failed', { cause: new Error('wrapped', { cause: refusal }) });
    expect(translate(error)).toMatchObject({
      reason: 'destination-not-allowed',
      pointer: '/baseUrl',
      message: 'The model "large" was not asked. The address is not public.',
    });
  });

  it('is an unusable response when the library fails otherwise', () => {
    expect(translate(new Error('Cannot parse'))).toMatchObject({ pointer: '/baseUrl', retryAfterMs: undefined });
  });
});

it('writes an error as its message and anything else as text', () => {
  expect([toErrorText(new Error('Broken.')), toErrorText('plain'), toErrorText(undefined)]).toEqual([
    'Broken.',
    'plain',
    'undefined',
  ]);
});
