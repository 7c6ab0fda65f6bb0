import { expect, it } from 'vitest';
import { listIssuerFindings } from '../../../src/rules/cloud-accounts/list-issuer-findings.ts';

it.each([
  ['https://delivery.example.com/oidc', []],
  ['https://acme.github.io/oidc', []],
  ['https://8.8.8.8/oidc', []],
  ['http://delivery.example.com/oidc', ['https']],
  ['https://delivery.example.com:8443/oidc', ['port 8443']],
  ['https://localhost/oidc', ['localhost is not a public host']],
  ['https://delivery/oidc', ['delivery is not a public host']],
  ['https://delivery.internal/oidc', ['delivery.internal is not a public host']],
  ['https://10.1.2.3/oidc', ['10.1.2.3 is not a public host']],
  ['https://[::1]/oidc', ['::1 is not a public host']],
  ['http://127.0.0.1:8080/oidc', ['https', '127.0.0.1', 'port 8080']],
])('%s: %j', (issuer, expected) => {
  const findings = listIssuerFindings(issuer);
  expect(findings.map(({ message }) => message)).toEqual(expected.map((text) => expect.stringContaining(text)));
  for (const { fix } of findings) expect(fix).toContain('PUBLIC_URL');
});
