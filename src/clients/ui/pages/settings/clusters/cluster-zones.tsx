import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/generated/openapi.ts';

/** The zones that run in a cluster, which keep it from being removed. */
export function ClusterZones({ zones }: { zones: Schemas['Cluster']['zones'] }) {
  if (zones.length === 0) return <p className="dim">No zone runs there.</p>;
  return (
    <ul>
      {zones.map(({ org, product, zone }) => (
        <li key={`${org}/${zone}`}>
          <Link to="/$org/products/$product/zones/$zone" params={{ org, product, zone }}>
            {zone}
          </Link>{' '}
          of {org}/{product}
        </li>
      ))}
    </ul>
  );
}
