import { expect, it } from 'vitest';
import { ownerCredentials } from '../../../src/main/platform/owner-credentials.ts';

const credentialsFor = ownerCredentials({ url: 'http://localhost:1920', userToken: 'secret' });

it('gives the token of the owner to the code host', async () => {
  expect(await credentialsFor('http://localhost:1920/acme/hello.git')).toBe('Basic b3duZXI6c2VjcmV0');
});

it.each([
  'http://localhost:19200/acme/hello.git',
  'http://localhost:1920.evil.test/acme/hello.git',
  'http://localhost:1920@evil.test/acme/hello.git',
  'https://localhost:1920/acme/hello.git',
  '/srv/acme/hello.git',
  'not a URL',
])('gives nothing to %s', async (url) => {
  expect(await credentialsFor(url)).toBeUndefined();
});

it('would give the token away if only the beginnings of URLs were compared', () => {
  expect('http://localhost:1920.evil.test/acme/hello.git'.startsWith('http://localhost:1920')).toBe(true);
});
