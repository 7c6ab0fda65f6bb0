import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { changesQuery } from '../../api/queries/changes.ts';
import { productQuery, zonesQuery } from '../../api/queries/products.ts';
import { releasesQuery } from '../../api/queries/releases.ts';
import type { ChangeSummary, Release } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Logo } from '../../parts/logo.tsx';
import { Columns, Details, PageHead, Section } from '../../parts/page.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Age, Time } from '../../parts/time.tsx';
import { ZonePair } from './zone-pair.tsx';

const route = getRouteApi('/signed-in/$org/products/$product');

/** A Product: what runs in each zone, and what is on its way there. */
export function ProductPage() {
  const { org, product: name } = route.useParams();
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  const { data: zones } = useSuspenseQuery({ ...zonesQuery(org, name), refetchInterval: 10_000 });
  const { data: changes } = useSuspenseQuery(changesQuery(org, { product: name }));
  const { data: releases } = useSuspenseQuery(releasesQuery(org, name));
  useLive({ kind: 'changes', org }, { kind: 'releases', org });
  const { spec } = product;
  return (
    <>
      <PageHead title={spec.displayName ?? name} icon={<Logo product={product} />}>
        {spec.description}
      </PageHead>
      <ZonePair zones={zones.items} />
      <Columns
        aside={
          <section>
            <h2>This Product</h2>
            <Details
              items={[
                ['Name', <code key="name">{name}</code>],
                ['Repos', spec.repos.length === 0 ? 'None' : spec.repos.join(', ')],
                ['Zones', `${spec.delivery.zones.length}`],
                ['Created', <Time key="created" at={product.createdAt} />],
              ]}
            />
          </section>
        }
      >
        <Section
          id="changes"
          title="Changes"
          aside={
            <Link to="/$org/changes" params={{ org }} search={{ product: name }}>
              All Changes
            </Link>
          }
        >
          <Changes changes={changes.items.slice(0, 8)} />
        </Section>
        <Section id="releases" title="Releases">
          <Releases releases={releases.items.slice(0, 8)} />
        </Section>
      </Columns>
    </>
  );
}

const Changes = ({ changes }: { changes: ChangeSummary[] }) =>
  changes.length === 0 ? (
    <p className="dim">No Change yet. A label on an issue starts one.</p>
  ) : (
    <table className={table['tbl']}>
      <thead>
        <tr>
          <th scope="col">Change</th>
          <th scope="col">Phase</th>
          <th scope="col" className={table['n']}>
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ org, name, spec, status, createdAt }) => (
          <tr key={name}>
            <th scope="row">
              <Link className={table['title']} to="/$org/changes/$run" params={{ org, run: name }}>
                {status?.issue?.title ?? spec.agentWorkflow}
              </Link>
            </th>
            <td data-l="Phase">
              <Phase phase={status?.phase ?? 'Pending'} />
            </td>
            <td data-l="Age" className={table['n']}>
              <Age since={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );

const Releases = ({ releases }: { releases: Release[] }) =>
  releases.length === 0 ? (
    <p className="dim">No Release yet. The merge of a Change starts one.</p>
  ) : (
    <table className={table['tbl']}>
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Phase</th>
          <th scope="col">Commit</th>
          <th scope="col" className={table['n']}>
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {releases.map(({ org, name, spec, status, createdAt }) => (
          <tr key={name}>
            <th scope="row">
              <Link className={table['title']} to="/$org/releases/$release" params={{ org, release: name }}>
                {spec.version}
              </Link>
            </th>
            <td data-l="Phase">
              <Phase phase={status?.phase ?? 'Building'} />
            </td>
            <td data-l="Commit">
              <code>{spec.commit.slice(0, 7)}</code>
            </td>
            <td data-l="Age" className={table['n']}>
              <Age since={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
