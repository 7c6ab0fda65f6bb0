import { RequestError } from '@octokit/request-error';
import { describe, expect, it } from 'vitest';
import { scopedAuth, translateTokenError } from '../../../src/integrations/codehost/scoped-auth.ts';

const refusal = (status: number, message = 'Refused'): RequestError =>
  new RequestError(message, status, { request: { method: 'GET', url: 'https://codehost.test/', headers: {} } });

const suspension = refusal(403, 'This installation has been suspended');

type GetToken = Parameters<typeof scopedAuth>[0];

/** Sends a request whose attempts have these results, and returns the headers of each attempt. */
async function send(getToken: GetToken, results: (string | Error)[]) {
  const sent: unknown[] = [];
  const request = Object.assign(
    async (endpoint: object) => {
      sent.push(structuredClone(endpoint));
      const result = results[sent.length - 1];
      if (result instanceof Error) throw result;
      return result;
    },
    { endpoint: { merge: (route: string, parameters: object) => ({ route, ...parameters, headers: {} }) } },
  );
  const result = await scopedAuth(getToken)().hook(request, 'GET /repos/{owner}/{repo}', { owner: 'acme' });
  return { result, sent };
}

const newToken: GetToken = async () => ({ token: 'token-1', createdAt: new Date().toISOString() });

describe('scopedAuth', () => {
  it('authenticates a request with the token', async () => {
    const { result, sent } = await send(newToken, ['found']);
    expect(result).toBe('found');
    expect(sent).toEqual([
      { route: 'GET /repos/{owner}/{repo}', owner: 'acme', headers: { authorization: 'token token-1' } },
    ]);
  });

  it('returns the token itself to those who ask for it', async () => {
    expect(await scopedAuth(newToken)()()).toMatchObject({ token: 'token-1' });
  });

  it('repeats a request whose new token a server of the code host does not know yet', async () => {
    const { result, sent } = await send(newToken, [refusal(401), 'found']);
    expect(result).toBe('found');
    expect(sent).toHaveLength(2);
  });

  it('replaces an older token that the code host refuses', async () => {
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    const getToken: GetToken = async ({ refresh } = {}) => ({ token: refresh ? 'new' : 'revoked', createdAt });
    const { result, sent } = await send(getToken, [refusal(401), 'found']);
    expect(result).toBe('found');
    expect(sent).toMatchObject(['revoked', 'new'].map((token) => ({ headers: { authorization: `token ${token}` } })));
    await expect(send(getToken, [refusal(401), refusal(401)])).rejects.toMatchObject({ status: 401 });
  });

  it('repeats no request after another refusal', async () => {
    await expect(send(newToken, [refusal(403), 'found'])).rejects.toMatchObject({ status: 403 });
  });

  it.each([
    ['the application was suspended', suspension, 'Unsuspend its installation'],
    ['the repo was archived', refusal(403, 'Repository was archived so is read-only.'), 'Unarchive it'],
    ['the issue is locked', refusal(403, 'Unable to create comment because issue is locked.'), 'Unlock it'],
    [
      'the address of the service is not allowed',
      refusal(
        403,
        'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
      ),
      'Add the address of the service',
    ],
  ])('says that %s', async (_, error, fix) => {
    await expect(send(newToken, [error, 'found'])).rejects.toMatchObject({
      reason: 'codehost-access-denied',
      message: expect.stringContaining(fix),
    });
  });
});

describe('translateTokenError', () => {
  it.each([
    ['a permission is missing', refusal(422, 'The permissions requested are not granted.'), 'lacks a permission'],
    ['the application was suspended', suspension, 'has suspended'],
  ])('says that %s', (_, error, message) => {
    expect(() => translateTokenError(error)).toThrow(
      expect.objectContaining({ reason: 'codehost-access-denied', message: expect.stringContaining(message) }),
    );
  });

  it('says that the repo does not exist', () => {
    const error = refusal(422, 'There is at least one repository that does not exist.');
    expect(() => translateTokenError(error)).toThrow(expect.objectContaining({ status: 404 }));
  });

  it.each([
    refusal(422, 'Something else'),
    refusal(403, 'The permissions requested are not granted to this repository.'),
    new Error('The repository: permissions requested'),
  ])('leaves any other error: %s', (error) => {
    expect(() => translateTokenError(error)).toThrow(error);
  });
});
