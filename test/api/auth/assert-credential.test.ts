import { expect, it } from 'vitest';
import { assertCredential, type RequiredCredential } from '../../../api/auth/assert-credential.ts';
import type { ApiToken } from '../../../src/rules/access/kinds.ts';

type Spec = Pick<ApiToken['spec'], 'use'> & { signInMethod?: ApiToken['spec']['signInMethod'] };
const token: Spec = { use: 'token' };
const password: Spec = { use: 'session', signInMethod: 'password' };
const codehost: Spec = { use: 'session', signInMethod: 'codehost' };
const oidc: Spec = { use: 'session', signInMethod: 'oidc' };
const zone: Spec = { use: 'zone-session', signInMethod: 'password' };

it.each<[RequiredCredential, Spec[], Spec[], string]>([
  ['any', [token, password, codehost, oidc], [], ''],
  ['session', [password, codehost, oidc], [token, zone], 'session-required'],
  ['password-session', [password], [token, codehost, oidc, zone], 'password-session-required'],
])('requires the credential "%s"', (required, accepted, rejected, reason) => {
  const check = (spec: Spec) => () => assertCredential(required, { spec } as ApiToken);
  for (const spec of accepted) expect(check(spec)).not.toThrow();
  for (const spec of rejected) expect(check(spec)).toThrow(expect.objectContaining({ reason }));
});

it('says that a session began at the code host', () => {
  const check = (spec: Spec) => () => assertCredential('password-session', { spec } as ApiToken);
  expect(check(codehost)).toThrow(/^Your session began at the code host\. This requires/);
  expect(check(oidc)).toThrow(/^This requires/);
});
