import { expect, it } from 'vitest';
import { parseAuthChallenges } from '../../../src/integrations/registries/auth-challenge.ts';

it.each([
  ['', []],
  ['Negotiate', []],
  ['Basic', [{ scheme: 'basic', parameters: {} }]],
  ['basic realm="a, Bearer b"', [{ scheme: 'basic', parameters: { realm: 'a, Bearer b' } }]],
  [
    'Bearer realm="https://auth.test/token",service="registry.test",scope="repository:a:pull,push"',
    [
      {
        scheme: 'bearer',
        parameters: { realm: 'https://auth.test/token', service: 'registry.test', scope: 'repository:a:pull,push' },
      },
    ],
  ],
  ['Bearer REALM="x"', [{ scheme: 'bearer', parameters: { realm: 'x' } }]],
  ['Bearer realm=https://auth.test/token', [{ scheme: 'bearer', parameters: { realm: 'https://auth.test/token' } }]],
  [
    'Basic realm="x\\"y", Bearer realm="z"',
    [
      { scheme: 'basic', parameters: { realm: 'x"y' } },
      { scheme: 'bearer', parameters: { realm: 'z' } },
    ],
  ],
])('parses %s', (header, expected) => {
  expect(parseAuthChallenges(header)).toEqual(expected);
});

it('ignores what follows after 4096 characters', () => {
  expect(parseAuthChallenges(`Basic realm="x",${' '.repeat(4096)}Bearer realm="y"`)).toEqual([
    { scheme: 'basic', parameters: { realm: 'x' } },
  ]);
});

it('parses a long hostile header in linear time', () => {
  const before = process.threadCpuUsage();
  parseAuthChallenges(`Bearer ${'a="'.repeat(20_000)}`);
  parseAuthChallenges(`Basic ${' ,'.repeat(20_000)}`);
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
});
