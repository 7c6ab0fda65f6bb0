import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createKeyPair, issueLicense } from '../../../src/main/license/issue-license.ts';
import { readLicense, readPublicKey } from '../../../src/rules/licensing/read-license.ts';

const run = promisify(execFile);
const now = new Date('2026-11-24T00:00:00Z');
const terms = { id: 'lic-1', customer: 'Tidewater', plan: 'team' };

/** Runs the vendor's tool; returns what it prints and its exit status. */
async function runTool(args: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  return await run(process.execPath, ['src/main/license/main.ts', ...args], { env: { PATH, ...env } }).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
  );
}

describe('issueLicense', () => {
  it('signs what the public half of its key pair verifies', () => {
    const { publicKey, privateKey } = createKeyPair();
    const license = issueLicense({ ...terms, days: '1', clusters: '2' }, { privateKey, now });
    expect(readLicense(license, [readPublicKey(publicKey)])).toEqual({
      claims: { ...terms, clusters: 2, iat: 1_795_478_400, exp: 1_795_564_800 },
    });
  });

  it.each([
    [{ plan: 'team' }, '--id, --customer and --plan'],
    [{ ...terms, days: 'ten' }, '--days must be a whole number, not "ten"'],
    [{ ...terms, days: '0' }, '--days must be at least 1. Without it, the license never expires.'],
    [{ ...terms, orgs: '-1' }, '--orgs must be a whole number'],
  ])('refuses %j', (wrong, message) => {
    const { privateKey } = createKeyPair();
    expect(() => issueLicense(wrong, { privateKey, now })).toThrow(message);
  });
});

it.each([['garbage'], ['a.b'], ['.']])(
  'names the variable of the private key "%s", and does not show it',
  (privateKey) => {
    expect(() => issueLicense(terms, { privateKey, now })).toThrow(
      new Error('LICENSE_PRIVATE_KEY is not a private key. Set it to one of "npm run --silent license -- keys".'),
    );
  },
);

describe('npm run license', () => {
  it('makes keys and a license that they verify', async () => {
    const { publicKey, privateKey } = JSON.parse((await runTool(['keys'])).stdout) as Record<string, string>;
    const args = ['issue', '--id', 'lic-1', '--customer', 'Tidewater', '--plan', 'team', '--skeleton'];
    const { stdout } = await runTool(args, { LICENSE_PRIVATE_KEY: privateKey ?? '' });
    expect(readLicense(stdout, [readPublicKey(publicKey ?? '')])).toHaveProperty('claims.skeleton', true);
  });

  it('says what is missing, with status 2', async () => {
    expect(await runTool(['issue'])).toMatchObject({ code: 2, stderr: expect.stringContaining('LICENSE_PRIVATE_KEY') });
    const args = ['issue', '--id', 'lic-1', '--customer', 'Tidewater', '--plan', 'team'];
    expect(await runTool(args, { LICENSE_PRIVATE_KEY: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Set LICENSE_PRIVATE_KEY/),
    });
    expect(await runTool([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm run --silent license -- keys'),
    });
  });
});
