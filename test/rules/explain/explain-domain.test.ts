import { expect, it } from 'vitest';
import type { Domain, DomainChecks, DomainStatus } from '../../../src/rules/domains/kinds.ts';
import { explainDomain } from '../../../src/rules/explain/explain-domain.ts';

const check = { observed: ['service-verify=other'], server: 'ns1.example.com', at: '2026-01-01T00:00:00.000Z' };
const good: DomainChecks = {
  ownership: { ...check, verdict: 'verified', authoritative: true, message: 'The record is correct.' },
  traffic: { ...check, verdict: 'connected', message: 'It points to the ingress.' },
  certificates: { ...check, verdict: 'allowed', message: 'Certificates can be issued.' },
};
const aDomain = (status?: Partial<DomainStatus>) =>
  ({
    spec: { name: 'shop.example.com', kind: 'external', shared: false, token: 'secret-token' },
    ...(status && { status: { state: 'WaitingForDns', claimedAt: check.at, ...status } }),
  }) as Domain;

it('explains a verified domain in one item', () => {
  const items = explainDomain(aDomain({ state: 'Verified', checks: good }));
  expect(items).toMatchObject([{ state: 'done', rule: 'ownership-verified', message: 'The domain is verified.' }]);
  expect(items[0]).not.toHaveProperty('fix');
});

it('shows what was found instead of the TXT record, and never the token', () => {
  const message = 'Add the records at your DNS provider.';
  const ownership = { ...good.ownership, verdict: 'wrong-value' as const, message: 'Another value was found.' };
  const items = explainDomain(aDomain({ message, checks: { ...good, ownership } }));
  expect(items).toMatchObject([{ state: 'waiting', rule: 'ownership-wrong-value', message, fix: expect.any(String) }]);
  expect(items[0]?.facts).toContainEqual({ name: 'found', value: 'service-verify=other' });
  expect(JSON.stringify(items)).not.toContain('secret-token');
});

it('adds what is wrong with traffic and certificates', () => {
  const traffic = { ...good.traffic, verdict: 'elsewhere' as const, message: 'It points elsewhere.' };
  const certificates = { ...good.certificates, verdict: 'unknown' as const, message: 'No answer.' };
  const items = explainDomain(aDomain({ state: 'Verified', checks: { ...good, traffic, certificates } }));
  expect(items.slice(1)).toMatchObject([
    { state: 'failed', rule: 'traffic-elsewhere', message: 'It points elsewhere.' },
    { state: 'waiting', rule: 'certificates-unknown', message: 'No answer.' },
  ]);
});

it('names the platform admin for the records of a managed domain, which people cannot set', () => {
  const domain = aDomain({ state: 'Failed', checks: { ...good, traffic: { ...good.traffic, verdict: 'elsewhere' } } });
  const items = explainDomain({ ...domain, spec: { ...domain.spec, kind: 'managed' } });
  const fix = 'Ask a platform admin to check the DNS provider of the domain root, then check the domain again.';
  expect(items).toMatchObject([
    { state: 'failed', fix },
    { rule: 'traffic-elsewhere', fix },
  ]);
});

it('explains a domain that was never checked, and a failed one', () => {
  expect(explainDomain(aDomain())).toMatchObject([{ state: 'waiting', rule: 'ownership-unchecked' }]);
  expect(explainDomain(aDomain({ state: 'Failed' }))).toMatchObject([{ state: 'failed' }]);
});
