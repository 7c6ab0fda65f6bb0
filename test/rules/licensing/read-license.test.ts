import { verify } from 'node:crypto';
import { verifyAsync } from '@noble/ed25519';
import { describe, expect, it } from 'vitest';
import { createKeyPair } from '../../../src/main/license/issue-license.ts';
import { readLicense, readPublicKey } from '../../../src/rules/licensing/read-license.ts';
import { createRandom, testSeed } from '../../support/sample.ts';
import { issue, signClaims, vendorKey } from './license-fixture.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';

describe('readLicense', () => {
  it('reads the claims of a license that one of the keys has signed', () => {
    const other = readPublicKey(createKeyPair().publicKey);
    const license = issue({ days: '30', orgs: '3', clusters: '2' });
    expect(readLicense(license, [other, vendorKey])).toEqual({
      claims: {
        id: 'lic-1',
        customer: 'Tidewater',
        plan: 'team',
        orgs: 3,
        clusters: 2,
        iat: 1_793_491_200,
        exp: 1_796_083_200,
      },
    });
    expect(readLicense(license, [other])).toEqual({ violation: expect.stringContaining('does not verify') });
    expect(readLicense(license, [])).toEqual({ violation: expect.stringContaining('no public key') });
  });

  it('ignores white space around a license that was written by hand', () => {
    expect(readLicense(` \t${issue()}\r\n`, [vendorKey])).toHaveProperty('claims');
  });

  it('refuses a license with any other character at any position', () => {
    const license = issue();
    const draw = createRandom(testSeed);
    for (let at = 0; at < license.length; at += 1) {
      const others = alphabet.replace(license[at] ?? '', '');
      const changed = license.slice(0, at) + others[draw(others.length)] + license.slice(at + 1);
      expect(readLicense(changed, [vendorKey]), `TEST_SEED=${testSeed}: ${changed}`).toHaveProperty('violation');
    }
  });

  it('refuses each flipped bit of the signature, and spare bits that decode to the same bytes', () => {
    const [prefix, claims, signature = ''] = issue().split('.');
    const bytes = Buffer.from(signature, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(readLicense(`${prefix}.${claims}.${flipped.toString('base64url')}`, [vendorKey])).toHaveProperty(
        'violation',
      );
    }
    const last = alphabet.indexOf(signature.at(-1) ?? '');
    const spare = signature.slice(0, -1) + alphabet[last + 1];
    expect(Buffer.from(spare, 'base64url')).toEqual(bytes);
    expect(readLicense(`${prefix}.${claims}.${spare}`, [vendorKey])).toHaveProperty('violation');
  });

  it.each([
    ['', 'starts with "lic1."'],
    ['lic2.e30.AAAA', 'starts with "lic1."'],
    ['lic1.', 'not complete'],
    ['lic1.e30', 'not complete'],
    ['lic1.e30.AAAA', 'not complete'],
    [`lic1.e30.${'A'.repeat(86)}.AAAA`, 'not complete'],
    [`lic1.e30=.${'A'.repeat(86)}`, 'not complete'],
    [`lic1.e30.${'A'.repeat(43)} ${'A'.repeat(43)}`, 'not complete'],
    [`lic1.e30.${'A'.repeat(86)}`, 'does not verify'],
  ])('says of %j that it %s', (text, violation) => {
    expect(readLicense(text, [vendorKey])).toEqual({ violation: expect.stringContaining(violation) });
  });

  it.each([
    ['{', 'claims'],
    ['[]', 'claims'],
    ['{"id":"a","customer":"b","plan":"c"}', 'iat'],
    ['{"id":"a","customer":"b","plan":"c","iat":1e300}', 'iat'],
    ['{"id":"a","customer":"b","plan":"c","iat":1,"exp":"never"}', 'exp'],
    ['{"id":"a","customer":"b","plan":"c","iat":1,"orgs":-1}', 'orgs'],
  ])('names the invalid claims of the signed %j', async (json, claim) => {
    const reading = readLicense(await signClaims(Buffer.from(json)), [vendorKey]);
    expect(reading).toEqual({ violation: expect.stringContaining(`is not valid: ${claim}`) });
  });

  it('accepts claims that it does not know, which a later version of the vendor may add', async () => {
    const json = '{"id":"a","customer":"b","plan":"c","iat":1,"region":"eu"}';
    expect(readLicense(await signClaims(Buffer.from(json)), [vendorKey])).toHaveProperty('claims.plan', 'c');
  });
});

describe('the signatures', () => {
  /** The secret keys, public keys, messages and signatures of RFC 8032, section 7.1, tests 1 to 3. */
  const vectors = [
    [
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ].map((vector) => vector.map((hex) => Buffer.from(hex, 'hex'))) as [Buffer, Buffer, Buffer][];

  it.each(vectors)('verify as RFC 8032 says, and as a second implementation does', async (key, message, signature) => {
    const publicKey = readPublicKey(key.toString('base64url'));
    expect(verify(null, message, publicKey, signature)).toBe(true);
    expect(await verifyAsync(signature, message, key)).toBe(true);
    const order = 0x10n ** 63n + 0x14def9dea2f79cd65812631a5cf5d3edn;
    const malleable = Buffer.from(signature);
    let scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    for (let at = 32; at < 64; at += 1, scalar >>= 8n) malleable[at] = Number(scalar & 0xffn);
    expect(verify(null, message, publicKey, malleable)).toBe(false);
    expect(await verifyAsync(malleable, message, key)).toBe(false);
  });
});

describe('readPublicKey', () => {
  it.each(['', 'short', 'A'.repeat(44), `${'A'.repeat(42)}=`])('refuses %j', (text) => {
    expect(() => readPublicKey(text)).toThrow('32 bytes in base64url');
  });
});
