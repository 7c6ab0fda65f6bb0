import { expect, it } from 'vitest';
import { toAudience, toIssuer, toKeysUrl, toSubject } from '../../../src/rules/cloud-accounts/identity-token.ts';
import { awsSpec, googleSpec } from '../../support/servers/test-cloud.ts';

it('names the installation, the org and the cloud', () => {
  const issuer = toIssuer('https://delivery.example.com');
  expect(issuer).toBe('https://delivery.example.com/api/v1/cloud-identity/oidc');
  expect(toKeysUrl(issuer)).toBe(`${issuer}/jwks`);
  expect(toSubject('acme')).toBe('org:acme');
  expect(toAudience(awsSpec)).toBe('sts.amazonaws.com');
  expect(toAudience(googleSpec)).toBe(`https://iam.googleapis.com/${googleSpec.workloadIdentityProvider}`);
});
