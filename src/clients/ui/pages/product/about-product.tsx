import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { slosQuery } from '../../api/queries/slos.ts';
import type { Product } from '../../api/types.ts';
import { CurlLine } from '../../parts/curl-line.tsx';
import { Details } from '../../parts/page.tsx';
import { describeMet } from '../reliability/slos/slo-words.ts';
import { LastDays } from './last-days.tsx';
import { StatusPageLink } from '../../parts/status-page-link.tsx';
import styles from './zones.module.css';
import { Time } from '../../parts/time.tsx';

/** Describes a Product: its purpose, its origin and its storage. */
export function AboutProduct({ product }: { product: Product }) {
  const { org, name, spec, status, createdAt } = product;
  const volumes = spec.delivery.zones.flatMap((zone) =>
    (zone.volumes ?? []).map(({ name: volume, size, path }) => ({ key: `${zone.name}/${volume}`, size, path })),
  );
  return (
    <>
      <section>
        <h2>About</h2>
        {spec.description !== undefined && <p className={styles['about']}>{spec.description}</p>}
        <Details
          items={[
            ['Name', <code key="name">{name}</code>],
            ['Repos', spec.repos.length === 0 ? 'None' : spec.repos.join(', ')],
            spec.source !== undefined && [
              'Made from',
              spec.source.template === undefined ? 'an archive' : `the template ${spec.source.template}`,
            ],
            status?.scaffold?.commit !== undefined && [
              'First commit',
              <code key="commit">{status.scaffold.commit.slice(0, 7)}</code>,
            ],
            ['SLOs', <Objectives key="slos" product={product} />],
            ['Status', <StatusPageLink key="status" product={product} />],
            ['Created', <Time key="created" at={createdAt} />],
            [
              'Logo',
              <Link
                key="logo"
                to="/$org/products/$product"
                params={{ org, product: name }}
                search={{ logo: true }}
                resetScroll={false}
              >
                {status?.logo ? 'Replace or suggest' : 'Upload or suggest'}
              </Link>,
            ],
          ]}
        />
      </section>
      <section>
        <h2>Storage</h2>
        {volumes.length === 0 ? (
          <p className="dim">No zone has a volume: files that the app writes are lost with its pod.</p>
        ) : (
          <Details items={volumes.map(({ key, size, path }) => [key, `${size} at ${path}`])} />
        )}
      </section>
      <LastDays org={org} product={name} />
      <CurlLine path={`/orgs/${org}/products/${name}`} />
    </>
  );
}

/** Says how many objectives are met, once Prometheus has responded. */
function Objectives({ product: { org, name, spec } }: { product: Product }) {
  const hasSlos = (spec.slos ?? []).length > 0;
  const { data } = useQuery({ ...slosQuery(org, name), enabled: hasSlos });
  if (!hasSlos) return 'None';
  return (
    <Link to="/$org/products/$product/reliability" params={{ org, product: name }}>
      {data ? describeMet(data.items) : 'Open'}
    </Link>
  );
}
