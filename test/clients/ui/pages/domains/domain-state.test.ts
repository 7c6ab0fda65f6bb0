import { expect, it } from 'vitest';
import {
  formatZoneFile,
  toDomainState,
  toNextCheck,
} from '../../../../../src/clients/ui/pages/domains/domain-state.ts';

const lastCheckedAt = '2026-11-19T14:00:00.000Z';

it.each([
  ['WaitingForDns', '2026-11-19T14:01:00.000Z'],
  ['Verified', '2026-11-19T14:30:00.000Z'],
  ['Failed', '2026-11-19T14:30:00.000Z'],
] as const)('a domain in the state %s is checked again at %s', (state, next) => {
  expect(toNextCheck({ state, lastCheckedAt })).toBe(next);
});

it('shows a verified domain whose record is missing as a warning', () => {
  expect(toDomainState({ state: 'Verified' })).toEqual(['done', 'Verified']);
  expect(toDomainState({ state: 'Verified', absentSince: lastCheckedAt })).toEqual(['warn', 'Record is missing']);
});

it('writes records as lines of a zone file', () => {
  const purpose = 'traffic';
  expect(
    formatZoneFile([
      { type: 'TXT', name: '_service.a.test', value: 'service-verify=t', purpose },
      { type: 'CNAME', name: '*.a.test', value: 'ingress.test', purpose },
      { type: 'A', name: 'a.test', value: '192.0.2.1', purpose },
    ]),
  ).toBe(
    '_service.a.test. 300 IN TXT "service-verify=t"\n*.a.test. 300 IN CNAME ingress.test.\na.test. 300 IN A 192.0.2.1\n',
  );
});
