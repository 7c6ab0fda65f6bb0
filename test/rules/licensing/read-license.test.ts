import { verifyAsync } from '@noble/ed25519';
import { describe, expect, it } from 'vitest';
import { createKeyPair } from '../../../src/main/license/issue-license.ts';
import { isSignedBy, readLicense, readPublicKey } from '../../../src/rules/licensing/read-license.ts';
import { createRandom, testSeed } from '../../support/sample.ts';
import vectors from './ed25519-vectors.json' with { type: 'json' };
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

describe('isSignedBy', () => {
  type Vector = [name: string, key: string, message: string, signature: string];

  const readHex = (...hex: string[]) => hex.map((digits) => Buffer.from(digits, 'hex')) as [Buffer, Buffer, Buffer];

  function isValid([, ...hex]: Vector): boolean {
    const [key, message, signature] = readHex(...hex);
    return isSignedBy(readPublicKey(key.toString('base64url')), message, signature);
  }

  /** The second implementation throws for a signature of another length, and follows ZIP 215 unless told not to. */
  async function isValidToNoble([, ...hex]: Vector, options = { zip215: false }): Promise<boolean> {
    const [key, message, signature] = readHex(...hex);
    return signature.length === 64 && (await verifyAsync(signature, message, key, options));
  }

  it.each(vectors.rfc8032.vectors as Vector[])(
    'accepts %s of RFC 8032, as a second implementation does',
    async (...v) => {
      expect([isValid(v), await isValidToNoble(v)]).toEqual([true, true]);
    },
  );

  it('knows all vectors of Wycheproof', () => {
    const ids = vectors.wycheproof.vectors.map(([id]) => id);
    expect(ids).toEqual(Array.from({ length: 151 }, (_, at) => at + 1));
    const results = Object.groupBy(vectors.wycheproof.vectors, ([, , , , , result]) => String(result));
    expect([results['valid']?.length, results['invalid']?.length]).toEqual([88, 63]);
  });

  it.each(vectors.wycheproof.vectors as [number, ...Vector, string][])(
    'judges test %i of Wycheproof (%s) as it must, and as a second implementation does',
    async (_id, ...rest) => {
      const [name, key, message, signature, result] = rest;
      const vector: Vector = [name, key, message, signature];
      const expected = result === 'valid';
      expect([isValid(vector), await isValidToNoble(vector)]).toEqual([expected, expected]);
    },
  );

  it('is stricter than ZIP 215, by which a point may be encoded in two ways', async () => {
    const judged = await Promise.all(
      (vectors.wycheproof.vectors as [number, ...Vector, string][]).map(async ([id, ...vector]) => {
        const [name, key, message, signature] = vector;
        const isValidByZip215 = await isValidToNoble([name, key, message, signature], { zip215: true });
        return { id, differs: isValidByZip215 !== isValid([name, key, message, signature]) };
      }),
    );
    expect(judged.filter(({ differs }) => differs).map(({ id }) => id)).toEqual([151]);
  });
});

describe('readPublicKey', () => {
  it.each(['', 'short', 'A'.repeat(44), `${'A'.repeat(42)}=`])('refuses %j', (text) => {
    expect(() => readPublicKey(text)).toThrow('32 bytes in base64url');
  });
});
