import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { maskSecrets } from '../../../src/integrations/telemetry/mask-secrets.ts';
import { createToken } from '../../../src/rules/access/token.ts';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

it.each([
  ['a token of the service', createToken(randomBytes(32))],
  ['a token of GitHub', `ghs_${letters.slice(0, 36)}`],
  ['a token of npm', `npm_${letters.slice(0, 36)}`],
  ['a token of Slack', `xoxb-123456789012-1234567890123-${letters.slice(0, 24)}`],
  ['a key of a model provider', `sk-ant-api03-${(letters + letters).slice(0, 93)}AA`],
  ['a database with a password', 'postgres://shop:hunter2hunter2@db/shop'],
])('masks %s and nothing else', async (_what, secret) => {
  const stars = '*'.repeat(secret.length);
  expect(await maskSecrets(`connected with ${secret} twice\n${secret}\nready`)).toBe(
    `connected with ${stars} twice\n${stars}\nready`,
  );
});

it('masks a private key line by line', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim();
  const masked = await maskSecrets(`before\n${key}\nafter`);
  expect(masked.split('\n')).toHaveLength(key.split('\n').length + 2);
  expect(masked).toMatch(/^before\n[*\n]+\nafter$/);
});

it('keeps texts that only look a little like secrets', async () => {
  const text = [
    'svc_short',
    'ghs_',
    'https://user@example.com/',
    'password: see the vault',
    '',
    '-----BEGIN CERTIFICATE-----',
  ];
  expect(await maskSecrets(text.join('\n'))).toBe(text.join('\n'));
});
