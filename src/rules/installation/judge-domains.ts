import { judgeTraffic, type TrafficFacts } from '../domains/judge-checks.ts';
import { isSubdomain } from '../domains/host-name.ts';
import type { Observation } from '../domains/observation.ts';
import type { InstallationFinding } from './kinds.ts';

/** Names under localhost always resolve to the machine of the browser. */
const isLocal = (host: string): boolean => host === 'localhost' || isSubdomain(host, 'localhost');

/** Judges a platform domain by the addresses of a random name under it, which only a wildcard record has. */
export function judgePlatformDomain(name: string, traffic: TrafficFacts): InstallationFinding {
  const subject = 'platform-domain';
  if (isLocal(name))
    return { subject, name, result: 'ok', message: `Names under ${name} resolve to the machine of the browser.` };
  const { ingress } = traffic;
  if (ingress.host === undefined && ingress.addresses.length === 0)
    return {
      subject,
      name,
      result: 'warning',
      message: 'The service does not know its own ingress, so it cannot compare.',
      fix: 'Ask the operator to set INGRESS_HOST or INGRESS_ADDRESSES.',
    };
  const { verdict, message } = judgeTraffic(traffic);
  if (verdict === 'connected')
    return { subject, name, result: 'ok', message: `Names under ${name} point to the service.` };
  const target = ingress.host === undefined ? `A *.${name} → ${ingress.addresses.join(', ')}` : undefined;
  return {
    subject,
    name,
    result: 'warning',
    message: `A name under ${name}: ${message}`,
    fix: `Add the record ${target ?? `CNAME *.${name} → ${ingress.host}`} at your DNS provider.`,
  };
}

type RootFacts = {
  answer: Observation<unknown>;
  /** A verified domain under the root, whose records the DNS controller has written. */
  verified: string | undefined;
};

/** Judges a root by the servers of its DNS zone, and by the records that the DNS controller has written there. */
export function judgeManagedRoot(name: string, { answer, verified }: RootFacts): InstallationFinding {
  const subject = 'managed-domain-root';
  if (verified !== undefined)
    return { subject, name, result: 'ok', message: `The DNS controller writes there: ${verified} is verified.` };
  const { outcome, authoritative, server, response } = answer;
  if (outcome !== 'unknown' && authoritative)
    return {
      subject,
      name,
      result: 'ok',
      message: `${server} serves its DNS zone. The first domain that an org claims shows whether the DNS controller may write there.`,
    };
  return {
    subject,
    name,
    result: 'warning',
    message: `No server of its DNS zone answers: ${server} ${response}.`,
    fix: 'Create the DNS zone at the provider of the DNS controller (ExternalDNS), and let the controller write to it.',
  };
}
