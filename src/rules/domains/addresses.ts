import { isHostLabel } from './host-name.ts';

/** An address of a zone beside its own: `name` is the label before the domain, empty for the domain itself. */
export type ZoneAddress = { domain: string; name: string };

export const hostOf = ({ domain, name }: ZoneAddress): string => (name === '' ? domain : `${name}.${domain}`);

/** Why an address cannot be, from its own words alone. */
export function refuseAddress(
  { domain, name }: ZoneAddress,
  platformDomain: string | undefined,
): { field: 'domain' | 'name'; detail: string } | undefined {
  if (name === '' && domain === platformDomain)
    return { field: 'name', detail: 'is required under the platform domain, which is everybody’s' };
  if (name !== '' && !isHostLabel(name))
    return { field: 'name', detail: 'must be one label: lowercase letters, digits and "-", at most 63' };
  return hostOf({ domain, name }).length > 253 ? { field: 'name', detail: 'makes the address too long' } : undefined;
}
