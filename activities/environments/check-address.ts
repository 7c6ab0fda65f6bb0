import { probeUrl } from '../../src/integrations/http/probe-url.ts';
import type { AddressCheck } from '../../src/rules/products/kinds.ts';
import { resolveSite, type SiteScope } from './resolve-site.ts';

type CheckInput = SiteScope & { url: string; signal: AbortSignal; now: () => Date };

const timeoutMs = 10_000;

/** The codes of errors with which a connection ends because of the certificate that the host shows. */
const certificateErrorPattern = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/;

/** Requests the address of a zone once. The address and its certificate often become ready long after the app. */
export async function checkAddress({ url, signal, now, ...scope }: CheckInput): Promise<AddressCheck> {
  const check = { url, checkedAt: now().toISOString() };
  const site = await resolveSite(url, scope);
  if ('problem' in site) return { ...check, reachable: false, certificate: 'unknown', message: site.problem };
  const certificate = new URL(url).protocol === 'https:' ? 'valid' : 'none';
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { status } = await probeUrl(site, { signal: timeout, bodyBytesMax: 0 });
    return { ...check, reachable: true, certificate, message: `The address responds with status ${status}.` };
  } catch (error) {
    signal.throwIfAborted();
    const { code = '', message } = error as Error & { code?: string };
    if (certificateErrorPattern.test(code))
      return {
        ...check,
        reachable: true,
        certificate: 'invalid',
        message: `The certificate is not valid: ${message}.`,
      };
    return { ...check, reachable: false, certificate: 'unknown', message: `The address does not respond: ${message}.` };
  }
}
