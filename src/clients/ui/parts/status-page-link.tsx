import type { Product } from '../api/types.ts';

/** Opens the status page, which is a page of the service and not of the web UI. */
export const StatusPageLink = ({
  product: { org, name, spec },
}: {
  product: Pick<Product, 'org' | 'name' | 'spec'>;
}) => (
  <a href={`/status/${org}/${name}`}>
    {spec.statusPage?.public === true ? 'Public status page' : 'Status page (sign-in required)'}
  </a>
);
