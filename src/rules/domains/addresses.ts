import { isHostLabel } from './host-name.ts';
import type { DomainSettings } from './kinds.ts';
import { isReservedLabel } from './reserved-labels.ts';

/** An additional address of a zone; `name` is the label before the domain, or empty for the domain itself. */
export type ZoneAddress = { domain: string; name: string };

export const toHostName = ({ domain, name }: ZoneAddress): string => (name === '' ? domain : `${name}.${domain}`);

/** An object name holds 253 characters, and the one that reserves an address also holds the owner of the domain. */
const addressLengthMax = 200;

type AddressContext = Pick<DomainSettings, 'platformDomain' | 'ownHosts'> & {
  /** True for a domain that several orgs use. */
  isShared: boolean;
};

/** Returns why no zone may have an address, without looking at other addresses. */
export function addressViolation(
  { domain, name }: ZoneAddress,
  { platformDomain, ownHosts, isShared }: AddressContext,
): { field: 'domain' | 'name'; detail: string } | undefined {
  if (ownHosts.includes(toHostName({ domain, name })))
    return { field: 'name', detail: 'makes an address of the installation itself: choose another one' };
  if (isShared && isReservedLabel(name))
    return {
      field: 'name',
      detail: `"${name}" is reserved under a domain that several orgs share: choose another one`,
    };
  if (name === '' && domain === platformDomain)
    return { field: 'name', detail: 'is required under the platform domain, which all orgs share' };
  if (name !== '' && !isHostLabel(name))
    return { field: 'name', detail: 'must be one label: lowercase letters, digits and "-", at most 63' };
  return toHostName({ domain, name }).length > addressLengthMax
    ? { field: 'name', detail: 'makes the address too long' }
    : undefined;
}
