import { expect, it } from 'vitest';
import { locateSyntaxError } from '../../../api/http/locate-syntax-error.ts';

it.each([
  ['{"name": "a",}', 'syntax error at line 1, column 14'],
  ['{"name":\n tru}', 'unexpected "}"'],
  ['{"name": "a', 'syntax error at line 1, column 12'],
  ['', 'it is empty'],
])('locates the error in %j', (text, location) => {
  expect(locateSyntaxError(text)).toBe(location);
});
