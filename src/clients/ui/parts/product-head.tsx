import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Product } from '../api/types.ts';
import { Logo } from './logo.tsx';
import { useHeading } from './page.tsx';
import styles from './product-header.module.css';
import { ZoneChip } from './zone-chip.tsx';

type Tab = 'Overview' | 'Board' | 'Changes' | 'Releases' | 'Reliability' | 'Settings';

/** The head of every page of a Product: its logo, what its zones run, and its pages. */
export function ProductHead({ product, tab, actions }: { product: Product; tab: Tab; actions?: ReactNode }) {
  const { org, name, spec } = product;
  const title = spec.displayName ?? name;
  const heading = useHeading(tab === 'Overview' ? title : `${title}: ${tab}`);
  const params = { org, product: name };
  const toCurrent = (one: Tab) => (one === tab ? ('page' as const) : undefined);
  return (
    <>
      <div className={styles['phead']}>
        <Logo product={product} />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <ZoneChips product={product} />
        {actions}
      </div>
      <nav className={styles['tabs']} aria-label="Product">
        <Link
          to="/$org/products/$product"
          params={params}
          activeProps={{}}
          activeOptions={{ exact: true }}
          aria-current={toCurrent('Overview')}
        >
          Overview
        </Link>
        <Link to="/$org/products/$product/board" params={params} activeProps={{}} aria-current={toCurrent('Board')}>
          Board
        </Link>
        <Link to="/$org/changes" params={{ org }} search={{ product: name }} aria-current={toCurrent('Changes')}>
          Changes
        </Link>
        <Link
          to="/$org/releases"
          params={{ org }}
          search={{ product: name }}
          activeProps={{}}
          aria-current={toCurrent('Releases')}
        >
          Releases
        </Link>
        <Link
          to="/$org/products/$product/reliability"
          params={params}
          activeProps={{}}
          aria-current={toCurrent('Reliability')}
        >
          Reliability
        </Link>
        <Link
          to="/$org/products/$product/settings"
          params={params}
          activeProps={{}}
          aria-current={toCurrent('Settings')}
        >
          Settings
        </Link>
      </nav>
    </>
  );
}

const ZoneChips = ({ product: { org, name, spec, status } }: { product: Product }) => (
  <span className={styles['zchips']}>
    {spec.delivery.zones.slice(0, 6).map((zone) => {
      const current = status?.zones?.find((one) => one.name === zone.name);
      return (
        <Link
          key={zone.name}
          className="quiet"
          to="/$org/products/$product/zones/$zone"
          params={{ org, product: name, zone: zone.name }}
        >
          <ZoneChip name={zone.name} status={current} />
        </Link>
      );
    })}
  </span>
);
