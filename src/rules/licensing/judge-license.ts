import type { LicenseReading } from './read-license.ts';

export const licenseStates = ['evaluation', 'licensed', 'expired', 'invalid'] as const;

export type LicenseVerdict = {
  state: (typeof licenseStates)[number];
  message: string;
  id?: string;
  customer?: string;
  plan?: string;
  issuedAt?: string;
  expiresAt?: string;
  /** The limits are for information; absent means that there is no limit. */
  orgsMax?: number;
  clustersMax?: number;
};

const dayMs = 24 * 60 * 60_000;
const daysOfNotice = 30;

/** Decides the state of the installation's license, which is undefined if none is installed. No state locks anything. */
export function judgeLicense(reading: LicenseReading | undefined, now: Date): LicenseVerdict {
  if (!reading)
    return {
      state: 'evaluation',
      message: 'No license is installed. Contact the vendor for one. Everything runs fully.',
    };
  if ('violation' in reading) return { state: 'invalid', message: `${reading.violation} Everything keeps running.` };
  const { id, customer, plan, iat, exp, orgs, clusters, skeleton = false } = reading.claims;
  const holder = { id, customer, plan, issuedAt: toIsoTime(iat) };
  if (skeleton) return { state: 'licensed', message: 'The license has no limits and never expires.', ...holder };
  const limits = {
    ...(orgs !== undefined && { orgsMax: orgs }),
    ...(clusters !== undefined && { clustersMax: clusters }),
  };
  if (exp === undefined) return { state: 'licensed', message: 'The license never expires.', ...holder, ...limits };
  const details = { ...holder, ...limits, expiresAt: toIsoTime(exp) };
  const leftMs = exp * 1000 - now.getTime();
  if (leftMs > 0) return { state: 'licensed', message: describeExpiry(details.expiresAt, leftMs), ...details };
  const message = `The license expired at ${details.expiresAt}. Everything keeps running. Install a new license when you have one.`;
  return { state: 'expired', message, ...details };
}

function describeExpiry(expiresAt: string, leftMs: number): string {
  const days = Math.floor(leftMs / dayMs);
  if (days >= daysOfNotice) return `The license expires at ${expiresAt}.`;
  const left = days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return `The license expires ${left}, at ${expiresAt}. Everything keeps running then.`;
}

const toIsoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
