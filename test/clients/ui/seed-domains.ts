import { DomainKind, type DomainStatus } from '../../../src/rules/domains/kinds.ts';
import type { Store } from '../../../src/store/store.ts';

const org = 'org-acme';
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Creates a verified domain, and one whose records are wrong. */
export async function seedDomains(store: Store): Promise<void> {
  await createDomain(store, 'tidewater.test', { state: 'Verified', verifiedAt: ago(90_000), ...checked('verified') });
  await createDomain(store, 'northisles.test', {
    state: 'WaitingForDns',
    message: 'Add the records at your DNS provider. The service checks them every minute.',
    ...checked('wrong-value'),
  });
}

const answer = { server: 'ns1.isleshost.test', at: ago(1) };
const checked = (verdict: 'verified' | 'wrong-value'): Pick<DomainStatus, 'checks' | 'lastCheckedAt'> => ({
  lastCheckedAt: ago(1),
  checks: {
    ownership:
      verdict === 'verified'
        ? { ...answer, verdict, observed: ['service-verify=t'], message: 'The record is right.', authoritative: true }
        : {
            ...answer,
            verdict,
            observed: ['service-verify=4mQx81'],
            message: 'There are TXT records, but none with the right value.',
            authoritative: true,
          },
    traffic:
      verdict === 'verified'
        ? { ...answer, verdict: 'connected', observed: ['192.0.2.1'], message: 'The domain points to the ingress.' }
        : {
            ...answer,
            verdict: 'proxied',
            observed: ['198.51.100.14', '198.51.100.15'],
            message: 'A DNS proxy hides where it leads. Set the record to “DNS only”.',
          },
    certificates: { ...answer, verdict: 'allowed', observed: [], message: 'No CAA record stands in the way.' },
  },
});

const createDomain = async (
  store: Store,
  name: string,
  status: Omit<DomainStatus, 'claimedAt' | 'conditions'>,
): Promise<void> => {
  await store.create(DomainKind, {
    metadata: { namespace: org, name },
    spec: { name, kind: 'external', shared: false, token: 'r7Kp2vLw9Zd0' },
  });
  await store.updateStatus(DomainKind, { namespace: org, name }, () => ({ claimedAt: ago(18), ...status }));
};
