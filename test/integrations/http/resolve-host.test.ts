import { expect, it } from 'vitest';
import { pinnedLookup, resolveHost } from '../../../src/integrations/http/resolve-host.ts';

it.each([
  ['192.0.2.7', ['192.0.2.7']],
  ['[2001:db8::1]', ['2001:db8::1']],
  ['localhost', ['127.0.0.1']],
  ['shop.localhost', ['127.0.0.1']],
])('resolves %s without a resolver', async (host, addresses) => {
  expect(await resolveHost(host)).toEqual(addresses);
});

it.each(['localhost.invalid', 'notlocalhost.invalid', 'shop.invalid'])('asks the resolver for %s', async (host) => {
  await expect(resolveHost(host)).rejects.toMatchObject({ hostname: host });
});

it('returns the pinned addresses for every name, in the form that the caller asks for', () => {
  const answers: unknown[] = [];
  const record = (...answer: unknown[]): void => void answers.push(answer);
  const lookup = pinnedLookup(['192.0.2.7', '2001:db8::1']);
  lookup('rebinding.example', { all: true }, record);
  lookup('rebinding.example', {}, record);
  pinnedLookup(['2001:db8::1'])('rebinding.example', { all: false }, record);
  expect(answers).toEqual([
    [
      null,
      [
        { address: '192.0.2.7', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ],
    ],
    [null, '192.0.2.7', 4],
    [null, '2001:db8::1', 6],
  ]);
});
