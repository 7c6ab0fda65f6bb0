import { expect, it } from 'vitest';
import { formatMatchers, parseMatchers } from '../../../src/rules/slos/parse-matchers.ts';

it.each([
  ['code=~"5.."', 'code=~"5.."'],
  ["code = '500' ,path!=`/a\\d`", 'code="500", path!="/a\\\\d"'],
  ['code="a\\"b\\\\"', 'code="a\\"b\\\\"'],
  ['code!~"2..",', 'code!~"2.."'],
  ['by="x"', 'by="x"'],
  ['path="é😀}"', 'path="é😀}"'],
  ['path=""', 'path=""'],
  [
    'path=~`/\\d{2,1000}z{3}y{4,}[[\\]]\\x{41}\\pL\\\\1\\-\\z`',
    'path=~"/\\\\d{2,1000}z{3}y{4,}[[\\\\]]\\\\x{41}\\\\pL\\\\\\\\1\\\\-\\\\z"',
  ],
])('prints %s as %s', (text, printed) => {
  const parsed = parseMatchers(text);
  expect('matchers' in parsed ? formatMatchers(parsed.matchers) : parsed.violation).toBe(printed);
});

it.each([
  ['', /matchers of named labels only/],
  ['code', /cannot be parsed/],
  ['code=~"5.."} or vector(1) #', /cannot be parsed/],
  ['code=~"5.."} or vector(1', /cannot be parsed|only/],
  ['code="x"}[5m', /cannot be parsed/],
  ['code="x"} + metric{a="b"', /must contain label matchers only/],
  ['code="x" # comment', /cannot be parsed/],
  ['"metric"', /named labels only/],
  ['"a.b"="c"', /named labels only/],
  ['x="a" or y="b"', /cannot be parsed/],
  ['__name__="secret"', /must not match the label "__name__"/],
  ['namespace="other"', /must not match the label "namespace"/],
  ['le="1"', /must not match the label "le"/],
  ['code=~"(("', /not a valid regular expression/],
  ['code=~"(?=5)"', /RE2 does not support/],
  ['code="\\x41"', /escape .* not supported/],
  ['code=~"5\\\\Z"', /RE2 does not support/],
  ['code=~`\\u0035..`', /RE2 does not support/],
  ['code=~`\\1`', /RE2 does not support/],
  ['code=~`\\xZ`', /RE2 does not support/],
  ['code=~"[]"', /RE2 does not support/],
  ['code=~"[^]"', /RE2 does not support/],
  ['code=~"5{1001}"', /RE2 does not support/],
  ['code=~"5{1,1001}"', /RE2 does not support/],
])('rejects %s', (text, violation) => {
  const parsed = parseMatchers(text);
  expect('violation' in parsed ? parsed.violation : parsed.matchers).toMatch(violation);
});
