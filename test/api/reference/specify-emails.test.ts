import { expect, it } from 'vitest';
import { specifyEmails } from '../../../api/reference/specify-emails.ts';
import { emailPattern } from '../../../src/rules/names.ts';

it('adds the pattern to every e-mail address, and changes nothing else', () => {
  const email = { type: 'string', format: 'email' };
  const uri = { type: 'string', format: 'uri' };
  expect(specifyEmails({ anyOf: [email, uri], example: null, properties: { email, count: 1 } })).toEqual({
    anyOf: [{ ...email, pattern: emailPattern.source }, uri],
    example: null,
    properties: { email: { ...email, pattern: emailPattern.source }, count: 1 },
  });
});
