import { expect, it } from 'vitest';
import { toPublicText } from '../../../src/rules/status-page/to-public-text.ts';

it('keeps what readers see, and removes what reorders or hides text', () => {
  expect(toPublicText('  One\n two \u202Eevil\u200B\u0000 \u0007x ')).toBe('One\n two evil x');
  expect(toPublicText('👩‍🔧 ‘fine’ <b>')).toBe('👩‍🔧 ‘fine’ <b>');
});
