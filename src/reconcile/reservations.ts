import { addressReservationLabels, addressReservationName } from '../rules/domains/address-reservations.ts';
import { toHostName } from '../rules/domains/addresses.ts';
import type { ProductSpec } from '../rules/products/kinds.ts';
import { repoReservationName } from '../rules/products/repo-reservation-name.ts';
import { zoneReservationName } from '../rules/products/reservations.ts';
import type { OrgDomain } from '../store/org-domains.ts';

/** An object in the installation's namespace, whose name only one Product can hold. */
export type Reservation = {
  name: string;
  description: string;
  /** Stored in addition to the holder. */
  data?: Record<string, string>;
  labels?: Record<string, string>;
  pointer?: string;
  /** Whether only a Product of the same org can hold it. */
  isOfOrg?: boolean;
};

export const toRepoReservations = ({ org }: { org: string }, { repos }: ProductSpec): Reservation[] =>
  repos.map((repo, index) => ({
    name: repoReservationName(org, repo),
    description: `repo "${repo}"`,
    pointer: `/spec/repos/${index}`,
    isOfOrg: true,
  }));

export const toZoneReservations = ({ delivery }: ProductSpec): Reservation[] =>
  delivery.zones.map(({ name }, index) => ({
    name: zoneReservationName(name),
    description: `zone name "${name}"`,
    pointer: `/spec/delivery/zones/${index}/name`,
  }));

type AddressContext = { domains: readonly OrgDomain[]; platformDomain: string | undefined };
export type AddressReservation = Reservation & { domain: string };

export function toAddressReservations(
  { delivery }: ProductSpec,
  { domains, platformDomain }: AddressContext,
): AddressReservation[] {
  return delivery.zones.flatMap(({ name: zone, addresses = [] }, zoneIndex) =>
    addresses.map((address, index) => {
      const host = toHostName(address);
      const { domain } = address;
      const candidates = domains.filter(({ name }) => name === domain);
      const domainOwner = (candidates.find(({ isVerified }) => isVerified) ?? candidates[0])?.owner;
      return {
        domain,
        name: addressReservationName({ host, domainOwner }, platformDomain),
        description: `address "${host}"`,
        data: { host, zone, domain, domainOrg: domainOwner ?? '' },
        labels: addressReservationLabels(domain),
        pointer: `/spec/delivery/zones/${zoneIndex}/addresses/${index}`,
      };
    }),
  );
}
