import { apiGroup } from '../resource.ts';

/** The labels that mark the namespace of a zone. The service only deletes namespaces that have them. */
export const zoneNamespaceLabels = ({ org, product }: { org: string; product: string }): Record<string, string> => ({
  [`${apiGroup}/org`]: org,
  [`${apiGroup}/product`]: product,
});
