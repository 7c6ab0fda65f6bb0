import { parse } from 'tldts';
import { isSubdomain } from './host-name.ts';
import type { DomainSettings } from './kinds.ts';

/** The domain under which a host name is registered; claims that can overlap share it. */
export const registrableDomain = (
  host: string,
  { managedBaseDomains }: Pick<DomainSettings, 'managedBaseDomains'>,
): string =>
  managedBaseDomains.some((root) => isSubdomain(host, root))
    ? host
    : (parse(host, { allowPrivateDomains: false }).domain ?? host);
