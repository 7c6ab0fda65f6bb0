import { RequestError } from '@octokit/request-error';
import { describe, expect, it } from 'vitest';
import { findHttpStatus, mapErrors, orUndefined } from '../../../src/integrations/codehost/octokit-errors.ts';

const refusal = (status: number, message = 'Refused'): RequestError =>
  new RequestError(message, status, { request: { method: 'GET', url: 'https://codehost.test/', headers: {} } });
const fail = async (error: Error): Promise<never> => await Promise.reject(error);

describe('mapErrors', () => {
  it.each([
    [404, { reason: 'not-found', message: expect.stringContaining('does not have the repo acme/shop') }],
    [410, { reason: 'not-found' }],
    [401, { reason: 'codehost-access-denied' }],
    [409, { reason: 'codehost-conflict', message: 'The code host rejected the repo acme/shop: Refused' }],
    [422, { code: 'invalid', message: 'The code host rejected the repo acme/shop: Refused' }],
    [500, { reason: 'codehost-unreachable', message: expect.stringContaining('for the repo acme/shop: Refused') }],
    [503, { reason: 'codehost-unreachable' }],
  ])('translates a response with status %d', async (status, expected) => {
    await expect(mapErrors('the repo acme/shop', fail(refusal(status)))).rejects.toMatchObject(expected);
  });

  it.each([451, 403])('says that the code host blocks a repo, with status %d', async (status) => {
    const blocked = refusal(status, 'Repository access blocked');
    await expect(mapErrors('the repo acme/shop', fail(blocked))).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('The code host blocks access to the repo acme/shop.'),
    });
  });

  it.each([400, 403, 429, 499])('leaves a response with status %d to the retries', async (status) => {
    const error = refusal(status);
    await expect(mapErrors('the repo acme/shop', fail(error))).rejects.toBe(error);
  });

  it('leaves an error that is no response, and returns a result', async () => {
    const error = new TypeError('A fault');
    await expect(mapErrors('the repo acme/shop', fail(error))).rejects.toBe(error);
    expect(await mapErrors('the repo acme/shop', Promise.resolve('found'))).toBe('found');
  });
});

it('knows the status of responses only', () => {
  expect(findHttpStatus(refusal(409))).toBe(409);
  expect(findHttpStatus(Object.assign(new Error('A fault'), { status: 409 }))).toBeUndefined();
});

it('returns undefined for a 404 only', async () => {
  expect(await orUndefined(fail(refusal(404)))).toBeUndefined();
  expect(await orUndefined(Promise.resolve('found'))).toBe('found');
  await expect(orUndefined(fail(refusal(410)))).rejects.toMatchObject({ status: 410 });
});
