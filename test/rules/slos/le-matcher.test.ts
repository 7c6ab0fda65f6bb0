import { expect, it } from 'vitest';
import { toLeMatcher } from '../../../src/rules/slos/le-matcher.ts';

it.each([
  ['0.5', 'le="0.5"'],
  ['0.50', 'le="0.5"'],
  ['1', 'le=~"1|1[.]0"'],
  ['1.0', 'le=~"1|1[.]0"'],
  ['10', 'le=~"10|10[.]0"'],
  ['0.00005', 'le=~"0[.]00005|5e-05|5e-5"'],
  ['1000000', 'le=~"1000000|1000000[.]0|1e[+]06|1e[+]6"'],
  ['0.3', 'le="0.3"'],
])('matches the bucket of %s s as %s', (threshold, matcher) => expect(toLeMatcher(threshold)).toBe(matcher));
