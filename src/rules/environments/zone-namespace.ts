import { group } from '../resource.ts';

/** What says whose a zone's namespace is: without it nobody takes the namespace away. */
export const zoneNamespaceLabels = ({ org, product }: { org: string; product: string }): Record<string, string> => ({
  [`${group}/org`]: org,
  [`${group}/product`]: product,
});
