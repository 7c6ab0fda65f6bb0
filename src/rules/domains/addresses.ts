import { isHostLabel } from './host-name.ts';

/** An additional address of a zone; `name` is the label before the domain, or empty for the domain itself. */
export type ZoneAddress = { domain: string; name: string };

export const toHostName = ({ domain, name }: ZoneAddress): string => (name === '' ? domain : `${name}.${domain}`);

/** Returns why an address is malformed, without looking at other addresses. */
export function addressViolation(
  { domain, name }: ZoneAddress,
  platformDomain: string | undefined,
): { field: 'domain' | 'name'; detail: string } | undefined {
  if (name === '' && domain === platformDomain)
    return { field: 'name', detail: 'is required under the platform domain, which all orgs share' };
  if (name !== '' && !isHostLabel(name))
    return { field: 'name', detail: 'must be one label: lowercase letters, digits and "-", at most 63' };
  return toHostName({ domain, name }).length > 253
    ? { field: 'name', detail: 'makes the address too long' }
    : undefined;
}
