import type { Schemas } from '../../api/generated/openapi.ts';
import type { State } from '../../parts/phase-state.ts';

export type Domain = Schemas['Domain'];
export type Checks = NonNullable<Domain['status']['checks']>;
type Mark = [state: State, words: string];

export const kinds: Record<Domain['spec']['kind'], string> = {
  platform: 'Platform',
  managed: 'Managed',
  external: 'Your domain',
};

export function toDomainState({ state, absentSince, removalMessage }: Domain['status']): Mark {
  if (removalMessage !== undefined) return ['working', 'Being removed'];
  if (state === 'Verified') return absentSince === undefined ? ['done', 'Verified'] : ['warn', 'Record is missing'];
  return state === 'Failed' ? ['failed', 'Not verified'] : ['waiting', 'Waiting for DNS'];
}

export const ownershipMarks: Record<Checks['ownership']['verdict'], Mark> = {
  verified: ['done', 'Proven'],
  missing: ['failed', 'Missing'],
  'wrong-value': ['failed', 'Wrong value'],
  unknown: ['idle', 'Not known'],
};
export const trafficMarks: Record<Checks['traffic']['verdict'], Mark> = {
  connected: ['done', 'Reaches the service'],
  elsewhere: ['failed', 'Leads elsewhere'],
  proxied: ['warn', 'Goes through a proxy'],
  unresolved: ['warn', 'Does not resolve yet'],
  unknown: ['idle', 'Not known'],
};
export const certificateMarks: Record<Checks['certificates']['verdict'], Mark> = {
  allowed: ['done', 'Allowed'],
  blocked: ['failed', 'Blocked by CAA'],
  unknown: ['idle', 'Not known'],
};

const minuteMs = 60_000;

/** The time of the next check: each minute while the service waits for the records, and then each half hour. */
export function toNextCheck({ state, lastCheckedAt }: Domain['status']): string | undefined {
  if (lastCheckedAt === undefined) return undefined;
  return new Date(Date.parse(lastCheckedAt) + (state === 'WaitingForDns' ? 1 : 30) * minuteMs).toISOString();
}

/** The records as the lines of a zone file, which many DNS providers import. */
export const formatZoneFile = (records: Domain['records']): string =>
  records
    .map(({ type, name, value }) => {
      const data = type === 'TXT' ? `"${value}"` : type === 'CNAME' ? `${value}.` : value;
      return `${name}. 300 IN ${type} ${data}\n`;
    })
    .join('');
