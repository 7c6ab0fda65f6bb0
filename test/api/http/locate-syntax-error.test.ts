import { expect, it } from 'vitest';
import { locateSyntaxError } from '../../../api/http/locate-syntax-error.ts';

it.each([
  ['{"name": "a",}', 'syntax error at line 1, column 14'],
  ['{"name":\n tru}', 'unexpected "}"'],
  ['{"name": "a', 'syntax error at line 1, column 12'],
  ['{"name" 1,\n\n}', 'syntax error at line 1, column 9'],
  ['{\n"name" 1}', 'syntax error at line 2, column 8'],
  ['[', 'unexpected end'],
  [' \n', 'it is empty'],
])('locates the error in %j', (text, location) => {
  expect(locateSyntaxError(text)).toBe(location);
});
