import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  decisionViolation,
  readProof,
  type SignedDecision,
  signDecision,
} from '../../../src/rules/access/decisions.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const at = '2026-11-22T10:00:00.000Z';
const signed: SignedDecision = {
  action: 'approveStep',
  scope: { org: 'acme', run: 'change-hello-1' },
  decision: { run: 'change-hello-1', step: 'approve', by: 'ada@example.com', role: 'member', headSha: 'c0ffee' },
  at,
};
const { at: _at, ...expected } = signed;
const proof = signDecision(privateKey, signed);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const withUnusedBit = (character: string): string => alphabet.charAt(alphabet.indexOf(character) + 1);
const judge = (changed: object = {}, now = at): string | undefined =>
  decisionViolation(readProof(publicKey, proof), { ...expected, ...changed }, new Date(now));

describe('decisionViolation', () => {
  it('accepts the decision that was signed, whatever the order of its fields', () => {
    expect(judge()).toBeUndefined();
    const reversed = Object.fromEntries(Object.entries(signed.decision).toReversed());
    expect(judge({ decision: { ...reversed, note: undefined } })).toBeUndefined();
  });

  it.each([
    ['another action', { action: 'rejectStep' }],
    ['another org', { scope: { org: 'evil', run: 'change-hello-1' } }],
    ['another run', { scope: { org: 'acme', run: 'change-hello-2' } }],
    ['a scope with more fields', { scope: { ...signed.scope, zone: 'hello-prod' } }],
    ['another step', { decision: { ...signed.decision, step: 'approve-2' } }],
    ['another person', { decision: { ...signed.decision, by: 'root@example.com' } }],
    ['another head', { decision: { ...signed.decision, headSha: 'bad' } }],
    ['no head', { decision: { ...signed.decision, headSha: undefined } }],
    ['an added field', { decision: { ...signed.decision, note: 'Fine.' } }],
  ])('refuses a signature for %s', (_case, changed) => {
    expect(judge(changed)).toBe('its signature belongs to another decision');
  });

  it('refuses a signature that is older than the longest absence of a worker, or from the future', () => {
    expect(judge({}, '2026-11-22T10:09:59.000Z')).toBeUndefined();
    expect(judge({}, '2026-11-22T10:10:01.000Z')).toContain('too long ago');
    expect(judge({}, '2026-11-22T09:58:59.000Z')).toContain('too long ago');
    const timeless = readProof(publicKey, signDecision(privateKey, { ...signed, at: 'soon' }));
    expect(decisionViolation(timeless, expected, new Date(at))).toContain('too long ago');
  });
});

describe('readProof', () => {
  it('returns the decision of a proof that the key signed', () => {
    expect(readProof(publicKey, proof)).toEqual(signed);
  });

  const [payload = '', signature = ''] = proof.split('.');
  const forged = Buffer.from(JSON.stringify({ ...signed, decision: { by: 'root@example.com' } })).toString('base64url');
  it.each([
    ['no proof', undefined],
    ['an empty text', ''],
    ['no signature', payload],
    ['an empty signature', `${payload}.`],
    ['the signature of another payload', `${forged}.${signature}`],
    ['a changed signature', `${payload}.${Buffer.alloc(64).toString('base64url')}`],
    ['a third part', `${proof}.${signature}`],
    ['padding after the signature', `${proof}==`],
    ['a line break in the signature', `${proof}\n`],
    // 86 characters hold 516 bits, and a signature has 512.
    ['other unused bits at the end of the signature', `${proof.slice(0, -1)}${withUnusedBit(proof.slice(-1))}`],
    ['the key of another installation', signDecision(generateKeyPairSync('ed25519').privateKey, signed)],
  ])('returns nothing for %s', (_case, text) => {
    expect(readProof(publicKey, text)).toBeUndefined();
  });
});
