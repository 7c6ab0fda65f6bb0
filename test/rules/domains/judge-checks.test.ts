import { describe, expect, it } from 'vitest';
import type { CaaRecord, Observation } from '../../../src/rules/domains/observation.ts';
import { isCloudflareAddress } from '../../../src/integrations/dns/is-cloudflare-address.ts';
import { judgeCertificates, judgeOwnership, judgeTraffic } from '../../../src/rules/domains/judge-checks.ts';

const observe = <T>(outcome: Observation<T>['outcome'], records: T[] = [], aliases: string[] = []): Observation<T> => ({
  outcome,
  records,
  aliases,
  authoritative: outcome !== 'unknown',
  server: 'ns.x (192.0.2.53)',
  response: outcome === 'unknown' ? 'says SERVFAIL' : 'has it',
  at: '2026-03-08T12:00:00.000Z',
});

it.each([
  ['the expected text', observe('found', ['service-verify=a']), 'verified'],
  ['the expected text among others', observe('found', ['v=spf1', 'service-verify=a']), 'verified'],
  ['the text of another claim', observe('found', ['service-verify=b']), 'wrong-value'],
  ['the expected text as a part', observe('found', ['service-verify=ab']), 'wrong-value'],
  ['no record', observe<string>('absent'), 'missing'],
  ['an alias', observe<string>('absent', [], ['elsewhere.test']), 'missing'],
  ['no usable answer', observe<string>('unknown'), 'unknown'],
])('ownership with %s is %s', (_, texts, verdict) => {
  expect(judgeOwnership(texts, 'service-verify=a')).toMatchObject({
    verdict,
    server: 'ns.x (192.0.2.53)',
    at: texts.at,
  });
});

it('explains that a wildcard hides the TXT record, and truncates long records', () => {
  expect(judgeOwnership(observe<string>('absent', [], ['elsewhere.test']), 'a').message).toContain('wildcard');
  const { observed: shown } = judgeOwnership(
    observe(
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
    ['to the ingress addresses', observe('found', ['192.0.2.1', '2001:db8::1']), 'connected'],
    ['to some of the ingress addresses', observe('found', ['192.0.2.1']), 'connected'],
    ['by an alias of the ingress host', observe<string>('absent', [], ['in.service.test']), 'connected'],
    [
      'by a chain of aliases to the ingress host',
      observe<string>('absent', [], ['x.test', 'in.service.test']),
      'connected',
    ],
    [
      'by an alias of the ingress host that does not resolve',
      observe<string>('unknown', [], ['in.service.test']),
      'connected',
    ],
    ['partly elsewhere', observe('found', ['192.0.2.1', '2001:db8::9']), 'elsewhere'],
    ['elsewhere', observe('found', ['198.51.100.1']), 'elsewhere'],
    ['to a proxy', observe('found', ['104.16.1.1', '2606:4700::1']), 'proxied'],
    ['without records', observe<string>('absent'), 'unresolved'],
    ['without a usable answer', observe<string>('unknown'), 'unknown'],
  ])('%s is %s', (_, addresses, verdict) => {
    expect(judgeTraffic({ addresses, ingress, isProxied: isCloudflareAddress, allowedInside: [] })).toMatchObject({
      verdict,
    });
  });

  it('hides addresses inside the network, except those of the ingress and of the operator’s list', () => {
    const addresses = observe('found', ['10.0.0.7', '10.1.0.7', '10.9.0.1', '93.184.216.34']);
    const judged = judgeTraffic({
      addresses,
      ingress: { host: undefined, addresses: ['10.9.0.1'] },
      isProxied: () => false,
      allowedInside: [{ range: '10.1.0.0/16' }],
    });
    expect(judged.observed).toEqual(['a private address', '10.1.0.7', '10.9.0.1', '93.184.216.34']);
    expect(judged.message).toBe('Some of its addresses point elsewhere: a private address, 10.1.0.7, 93.184.216.34.');
  });

  it('explains how to disable the proxy', () => {
    const { message } = judgeTraffic({
      addresses: observe('found', ['172.67.0.1']),
      ingress,
      isProxied: isCloudflareAddress,
      allowedInside: [],
    });
    expect(message).toContain('DNS only');
  });
});

describe('certificates', () => {
  const caa = (...records: [tag: string, value: string, critical?: boolean][]): Observation<CaaRecord> =>
    observe(
      'found',
      records.map(([tag, value, critical = false]) => ({ tag, value, critical })),
    );
  it.each<[string, Observation<CaaRecord>, string]>([
    ['without records', observe<CaaRecord>('absent'), 'allowed'],
    ['that allow the authority', caa(['issue', 'letsencrypt.org']), 'allowed'],
    [
      'that allow the authority with parameters',
      caa(['issue', ' LetsEncrypt.org ; validationmethods=http-01']),
      'allowed',
    ],
    ['that allow the authority among others', caa(['issue', 'digicert.com'], ['issue', 'letsencrypt.org']), 'allowed'],
    [
      'that allow the authority with one of several methods',
      caa(['issue', 'letsencrypt.org; ValidationMethods = dns-01 , HTTP-01']),
      'allowed',
    ],
    ['with parameters of authorities', caa(['issue', 'letsencrypt.org; policy=ev']), 'allowed'],
    ['that allow another method only', caa(['issue', 'letsencrypt.org;validationmethods=dns-01']), 'unknown'],
    ['that allow one account only', caa(['issue', 'letsencrypt.org; accounturi=https://a.test/1?b=c']), 'unknown'],
    [
      'that allow one account, and all',
      caa(['issue', 'letsencrypt.org; accounturi=https://a.test/1'], ['issue', 'letsencrypt.org']),
      'allowed',
    ],
    [
      'that restrict another authority',
      caa(['issue', 'letsencrypt.org'], ['issue', 'digicert.com; accounturi=https://a.test/1']),
      'allowed',
    ],
    ['that allow another authority', caa(['issue', 'digicert.com']), 'blocked'],
    ['that allow no authority', caa(['issue', ';']), 'blocked'],
    ['that only restrict wildcards', caa(['issuewild', ';']), 'allowed'],
    ['that allow the authority only for wildcards', caa(['issue', ';'], ['issuewild', 'letsencrypt.org']), 'blocked'],
    ['that only configure reports', caa(['iodef', 'mailto:a@b.test']), 'allowed'],
    ['with an unknown critical tag', caa(['issue', 'letsencrypt.org'], ['tbs', 'x', true]), 'blocked'],
    ['with an unknown tag', caa(['tbs', 'x']), 'allowed'],
    ['with a known critical tag', caa(['issue', 'letsencrypt.org', true]), 'allowed'],
    ['without a usable answer', observe<CaaRecord>('unknown'), 'unknown'],
  ])('CAA records %s: certificates are %s', (_, records, verdict) => {
    expect(judgeCertificates(records, ['letsencrypt.org'])).toMatchObject({ verdict });
  });

  it('explains the verdict, and whether wildcard certificates are allowed', () => {
    const judged = (records: Observation<CaaRecord>) => judgeCertificates(records, ['letsencrypt.org']).message;
    expect(judged(caa(['issue', 'letsencrypt.org']))).not.toContain('wildcard');
    expect(judged(caa(['issue', 'letsencrypt.org'], ['issuewild', ';']))).toContain('not wildcard');
    expect(judged(caa(['tbs', 'x', true], ['xyz', 'x', true]))).toContain('The CAA record "tbs" is critical');
    expect(judged(caa(['issue', 'letsencrypt.org; validationmethods=dns-01']))).toContain(
      'letsencrypt.org to issue only with validationmethods=dns-01, which',
    );
    expect(judged(caa(['issue', 'digicert.com']))).toContain('Add: CAA 0 issue "letsencrypt.org"');
  });
});
