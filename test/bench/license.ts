// Measures how many licenses per second are verified and read. The baseline verifies the same signature alone.
import { createKeyPair, issueLicense } from '../../src/main/license/issue-license.ts';
import { isSignedBy, readLicense, readPublicKey } from '../../src/rules/licensing/read-license.ts';
import { formatTable, isMissed, type Row } from './table.ts';

const perSecondMin = 5_000;
const { publicKey, privateKey } = createKeyPair();
const key = readPublicKey(publicKey);
const terms = { id: 'lic-1', customer: 'Tidewater', plan: 'team', orgs: '3', days: '365' };
const license = issueLicense(terms, { privateKey, now: new Date() });
const [, claims = '', signature = ''] = license.split('.');
const [message, bytes] = [Buffer.from(claims), Buffer.from(signature, 'base64url')];

/** Returns the calls per second of the fastest of several rounds, by the time of the processor that this one got. */
function measure(call: () => void): number {
  const callsPerRound = 2_000;
  const rounds = Array.from({ length: 8 }, () => {
    const startedAt = process.cpuUsage();
    for (let count = 0; count < callsPerRound; count += 1) call();
    const { user, system } = process.cpuUsage(startedAt);
    return (callsPerRound * 1_000_000) / (user + system);
  });
  return Math.max(...rounds);
}

const row: Row = {
  what: 'licenses verified and read',
  baseline: measure(() => void isSignedBy(key, message, bytes)),
  service: measure(() => void readLicense(license, [key])),
  unit: '/s',
  atLeast: perSecondMin,
};
process.stdout.write(formatTable([row]));
if (isMissed(row)) process.exitCode = 1;
