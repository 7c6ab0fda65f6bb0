import { describe, expect, it } from 'vitest';
import { findAppId, findHeader, parseSenderHints } from '../../../api/intake/sender-hints.ts';

const hints = (body: unknown, headers: Record<string, string> = {}) =>
  parseSenderHints(headers, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

describe('parseSenderHints', () => {
  it.each([
    ['the owner of the repository', { repository: { id: 1, full_name: 'Acme/shop' } }, ['acme']],
    ['the organization', { organization: { login: 'Globex', id: 2 } }, ['globex']],
    ['the account of the installation', { installation: { id: 3, account: { login: 'initech' } } }, ['initech']],
    ['each account once', { repository: { full_name: 'acme/a' }, organization: { login: 'acme' } }, ['acme']],
    ['no account of another object', { sender: { login: 'mallory' } }, []],
  ])('names %s', (_, body, expected) => {
    expect(hints(body).accounts).toEqual(expected);
  });

  it('reads a form too', () => {
    const form = new URLSearchParams({ payload: JSON.stringify({ repository: { full_name: 'acme/shop' } }) });
    expect(hints(form.toString()).accounts).toEqual(['acme']);
  });

  it('looks only at the first objects of a name, and only near its key', () => {
    const many = Array.from({ length: 9 }, (_, index) => `"repository":{"full_name":"org-${index}/a"}`).join();
    expect(hints(many).accounts).toEqual(Array.from({ length: 8 }, (_, index) => `org-${index}`));
    expect(hints(`"repository":{"x":"${'x'.repeat(5_000)}","full_name":"acme/a"}`).accounts).toEqual([]);
  });

  it('looks only at the first and last bytes of a large body', () => {
    const named = (name: string): string => `"repository":{"full_name":"${name}/a"}`;
    const gap = 'x'.repeat(300 * 1024);
    expect(hints([named('first'), gap, named('between'), gap, named('last')].join()).accounts).toEqual([
      'first',
      'last',
    ]);
  });
});

describe('findAppId', () => {
  it('reads the header of any code host product, in any case', () => {
    expect(findAppId({ 'X-GitHub-Hook-Installation-Target-ID': '42' })).toBe('42');
    expect(findAppId({ 'x-gitea-hook-installation-target-id': '7' })).toBe('7');
    expect(findAppId({ 'x-github-event': 'push' })).toBeUndefined();
  });

  it('ignores a value that is no plain word', () => {
    const name = /^x-id$/;
    expect(findHeader({ 'x-id': 'a'.repeat(100) }, name)).toBe('a'.repeat(100));
    for (const value of ['', 'a b', '../a', 'a'.repeat(101)])
      expect(findHeader({ 'x-id': value }, name)).toBeUndefined();
  });
});
