import { describe, expect, it } from 'vitest';
import type { CaaRecord, Seen } from '../../../src/integrations/dns/dns.ts';
import { isProxied } from '../../../src/integrations/dns/cloudflare.ts';
import { judgeCertificates, judgeOwnership, judgeTraffic } from '../../../src/rules/domains/judge-checks.ts';

const seen = <T>(outcome: Seen<T>['outcome'], records: T[] = [], aliases: string[] = []): Seen<T> => ({
  outcome,
  records,
  aliases,
  authoritative: outcome !== 'unknown',
  server: 'ns.x (192.0.2.53)',
  said: outcome === 'unknown' ? 'says SERVFAIL' : 'has it',
  at: '2026-03-08T12:00:00.000Z',
});

it.each([
  ['the right text', seen('found', ['service-verify=a']), 'proven'],
  ['the right text among others', seen('found', ['v=spf1', 'service-verify=a']), 'proven'],
  ['the text of another claim', seen('found', ['service-verify=b']), 'wrong-value'],
  ['the right text as a part', seen('found', ['service-verify=ab']), 'wrong-value'],
  ['nothing', seen<string>('absent'), 'missing'],
  ['an alias', seen<string>('absent', [], ['elsewhere.test']), 'missing'],
  ['nobody who can tell', seen<string>('unknown'), 'unknown'],
])('ownership with %s: %s', (_, texts, verdict) => {
  expect(judgeOwnership(texts, 'service-verify=a')).toMatchObject({
    verdict,
    server: 'ns.x (192.0.2.53)',
    at: texts.at,
  });
});

it('says at which name the TXT record belongs where a wildcard answers, and shows no endless texts', () => {
  expect(judgeOwnership(seen<string>('absent', [], ['elsewhere.test']), 'a').message).toContain('wildcard');
  const { seen: shown } = judgeOwnership(
    seen(
      'found',
      Array.from({ length: 50 }, () => 'x'.repeat(5_000)),
    ),
    'a',
  );
  expect(shown).toHaveLength(10);
  expect(shown[0]).toHaveLength(255);
});

describe('traffic', () => {
  const ingress = { host: 'in.service.test', addresses: ['192.0.2.1', '2001:db8::1'] };
  it.each([
    ['to our addresses', seen('found', ['192.0.2.1', '2001:db8::1']), 'reaches'],
    ['to some of our addresses', seen('found', ['192.0.2.1']), 'reaches'],
    ['by our host', seen<string>('absent', [], ['in.service.test']), 'reaches'],
    ['by a chain that comes to our host', seen<string>('absent', [], ['x.test', 'in.service.test']), 'reaches'],
    ['by our host that cannot be followed', seen<string>('unknown', [], ['in.service.test']), 'reaches'],
    ['partly elsewhere', seen('found', ['192.0.2.1', '2001:db8::9']), 'elsewhere'],
    ['elsewhere', seen('found', ['198.51.100.1']), 'elsewhere'],
    ['to a proxy', seen('found', ['104.16.1.1', '2606:4700::1']), 'proxied'],
    ['to nothing', seen<string>('absent'), 'unresolved'],
    ['to nobody knows where', seen<string>('unknown'), 'unknown'],
  ])('%s: %s', (_, addresses, verdict) => {
    expect(judgeTraffic({ addresses, ingress, proxied: isProxied })).toMatchObject({ verdict });
  });

  it('says to switch the proxy off', () => {
    const { message } = judgeTraffic({ addresses: seen('found', ['172.67.0.1']), ingress, proxied: isProxied });
    expect(message).toContain('DNS only');
  });
});

describe('certificates', () => {
  const caa = (...records: [tag: string, value: string, critical?: boolean][]): Seen<CaaRecord> =>
    seen(
      'found',
      records.map(([tag, value, critical = false]) => ({ tag, value, critical })),
    );
  it.each<[string, Seen<CaaRecord>, string]>([
    ['without records', seen<CaaRecord>('absent'), 'allowed'],
    ['that let us', caa(['issue', 'letsencrypt.org']), 'allowed'],
    ['that let us with parameters', caa(['issue', ' LetsEncrypt.org ; validationmethods=http-01']), 'allowed'],
    ['that let us among others', caa(['issue', 'digicert.com'], ['issue', 'letsencrypt.org']), 'allowed'],
    ['that let somebody else', caa(['issue', 'digicert.com']), 'blocked'],
    ['that let nobody', caa(['issue', ';']), 'blocked'],
    ['about wildcards alone', caa(['issuewild', ';']), 'allowed'],
    ['that let us for wildcards alone', caa(['issue', ';'], ['issuewild', 'letsencrypt.org']), 'blocked'],
    ['about reports alone', caa(['iodef', 'mailto:a@b.test']), 'allowed'],
    ['that are critical and unknown', caa(['issue', 'letsencrypt.org'], ['tbs', 'x', true]), 'blocked'],
    ['that are unknown', caa(['tbs', 'x']), 'allowed'],
    ['that are known and critical', caa(['issue', 'letsencrypt.org', true]), 'allowed'],
    ['that nobody tells', seen<CaaRecord>('unknown'), 'unknown'],
  ])('with CAA records %s: %s', (_, records, verdict) => {
    expect(judgeCertificates(records, ['letsencrypt.org'])).toMatchObject({ verdict });
  });

  it('says how wildcards fare', () => {
    const judged = (records: Seen<CaaRecord>) => judgeCertificates(records, ['letsencrypt.org']).message;
    expect(judged(caa(['issue', 'letsencrypt.org']))).not.toContain('wildcard');
    expect(judged(caa(['issue', 'letsencrypt.org'], ['issuewild', ';']))).toContain('not wildcard');
    expect(judged(caa(['issue', 'digicert.com']))).toContain('Add: CAA 0 issue "letsencrypt.org"');
  });
});
