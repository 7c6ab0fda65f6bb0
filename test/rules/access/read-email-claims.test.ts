import { expect, it } from 'vitest';
import { readEmailClaims } from '../../../src/rules/access/read-email-claims.ts';

const ada = 'ada@example.com';

it.each<[string, (Record<string, unknown> | undefined)[], string | undefined, boolean]>([
  ['an address that a document verifies', [{ email: ada, email_verified: true }], ada, true],
  ['an address without a statement', [{ email: ada }], ada, false],
  [
    'a statement about another address',
    [{ email: ada }, { email: 'old@example.com', email_verified: true }],
    ada,
    false,
  ],
  ['a statement of another document', [{ email: ada }, { email: ada, email_verified: true }], ada, true],
  [
    'the first of two statements',
    [
      { email: ada, email_verified: false },
      { email: ada, email_verified: true },
    ],
    ada,
    false,
  ],
  ['a statement in words', [{ email: ada, email_verified: 'true' }], ada, false],
  [
    'a statement in words and one in JSON',
    [
      { email: ada, email_verified: 'true' },
      { email: ada, email_verified: true },
    ],
    ada,
    true,
  ],
  ['no first document', [undefined, { email: ada, email_verified: true }], ada, true],
  ['a statement without an address', [{ email_verified: true }], undefined, false],
  [
    'an address that is no text',
    [
      { email: 7, email_verified: true },
      { email: ada, email_verified: true },
    ],
    undefined,
    false,
  ],
])('reads %s', (_, documents, email, emailVerified) => {
  expect(readEmailClaims(...documents)).toEqual({ email, emailVerified });
});
