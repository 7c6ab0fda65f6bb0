import { Link } from '@tanstack/react-router';
import type { Release } from '../api/types.ts';
import { toWords } from './phase-state.ts';
import { Phase } from './state.tsx';
import table from './table.module.css';
import { Time } from './time.tsx';

/** The Releases of one Product with a column for each of its zones, or of an org with their Products. */
export function ReleasesTable({ releases, zones }: { releases: Release[]; zones?: string[] }) {
  const shown = (zones ?? []).slice(0, 4);
  return (
    <table className={`${table['tbl']} ${table['mid']}`}>
      <thead>
        <tr>
          <th scope="col">Version</th>
          {!zones && <th scope="col">Product</th>}
          <th scope="col">Phase</th>
          {shown.map((zone) => (
            <th key={zone} scope="col">
              {zone}
            </th>
          ))}
          <th scope="col">Commit</th>
          <th scope="col">Started by</th>
          <th scope="col" className={table['n']}>
            Started
          </th>
        </tr>
      </thead>
      <tbody>
        {releases.map((release) => (
          <Row key={release.name} release={release} zones={shown} withProduct={!zones} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ release, zones, withProduct }: { release: Release; zones: string[]; withProduct: boolean }) {
  const { org, name, spec, status, createdAt } = release;
  return (
    <tr>
      <th scope="row">
        <Link className={table['title']} to="/$org/releases/$release" params={{ org, release: name }}>
          {spec.version}
        </Link>
      </th>
      {withProduct && (
        <td data-l="Product">
          <Link to="/$org/products/$product" params={{ org, product: spec.product }}>
            {spec.product}
          </Link>
        </td>
      )}
      <td data-l="Phase">
        <Phase phase={status?.phase ?? 'Building'} quiet={zones.length > 0} />
      </td>
      {zones.map((zone) => (
        <td key={zone} data-l={zone}>
          <ZonePhase release={release} zone={zone} />
        </td>
      ))}
      <td data-l="Commit">
        <code>{spec.commit.slice(0, 7)}</code>
      </td>
      <td data-l="Started by">
        {spec.run === undefined ? (
          spec.startedBy.split('@')[0]
        ) : (
          <Link to="/$org/changes/$run" params={{ org, run: spec.run }}>
            a Change
          </Link>
        )}
      </td>
      <td data-l="Started" className={table['n']}>
        <Time at={status?.startedAt ?? createdAt} />
      </td>
    </tr>
  );
}

function ZonePhase({ release: { status }, zone }: { release: Release; zone: string }) {
  const entry = status?.zones.find(({ name }) => name === zone);
  if (!entry) return null;
  const words = entry.failure ? `Failed: ${entry.failure.reason.replaceAll('-', ' ')}` : toWords(entry.phase);
  return <Phase phase={entry.phase} words={words} />;
}
