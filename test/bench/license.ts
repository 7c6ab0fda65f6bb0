// Measures how many licenses per second are verified and read. The baseline verifies the same signature alone.
import { verify } from 'node:crypto';
import { createKeyPair, issueLicense } from '../../src/main/license/issue-license.ts';
import { readLicense, readPublicKey } from '../../src/rules/licensing/read-license.ts';

const goalPerSecond = 5_000;
const { publicKey, privateKey } = createKeyPair();
const key = readPublicKey(publicKey);
const terms = { id: 'lic-1', customer: 'Tidewater', plan: 'team', orgs: '3', days: '365' };
const license = issueLicense(terms, { privateKey, now: new Date() });
const [, claims = '', signature = ''] = license.split('.');
const [message, bytes] = [Buffer.from(claims), Buffer.from(signature, 'base64url')];

/** Returns the calls per second of the fastest of several rounds, because other programs slow some of them down. */
function measure(call: () => void): number {
  const callsPerRound = 2_000;
  const rounds = Array.from({ length: 8 }, () => {
    const start = performance.now();
    for (let count = 0; count < callsPerRound; count += 1) call();
    return (callsPerRound * 1_000) / (performance.now() - start);
  });
  return Math.round(Math.max(...rounds));
}

const baseline = measure(() => void verify(null, message, key, bytes));
const read = measure(() => void readLicense(license, [key]));
process.stdout.write(`a signature alone    ${baseline} per second\n`);
process.stdout.write(
  `a whole license      ${read} per second (${(read / baseline).toFixed(2)}×, goal > ${goalPerSecond})\n`,
);
