import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { changesQuery } from '../../api/queries/changes.ts';
import { productQuery, zonesQuery } from '../../api/queries/products.ts';
import { releasesQuery } from '../../api/queries/releases.ts';
import type { Release, Zone } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import styles from '../../parts/page.module.css';
import { Columns, Section } from '../../parts/page.tsx';
import { ProductHead } from '../../parts/product-head.tsx';
import { Mark } from '../../parts/state.tsx';
import { ReleasesTable } from '../../parts/releases-table.tsx';
import { AboutProduct } from './about-product.tsx';
import { PromotionContents } from './promotion-contents.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { chooseNext } from './next-promotion.tsx';
import { ScaffoldProgress } from './scaffold-progress.tsx';
import { WaitingPromotions, ZonePair } from './zone-pair.tsx';
import zoneStyles from './zones.module.css';
import { lazyPart } from '../../parts/lazy-file.ts';

const PromoteDialog = lazyPart(async () => (await import('./promote-dialog.tsx')).PromoteDialog);
const LogoPicker = lazyPart(async () => (await import('./logo-picker.tsx')).LogoPicker);

const route = getRouteApi('/signed-in/$org/products/$product');

/** A Product: what runs in each zone, and what is on its way there. */
export function ProductPage() {
  const { org, product: name } = route.useParams();
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  const { data: zones } = useSuspenseQuery(zonesQuery(org, name));
  const { data: changes } = useSuspenseQuery(changesQuery(org, { product: name }));
  const { data: releases } = useSuspenseQuery(releasesQuery(org, name));
  useLive({ kind: 'changes', org }, { kind: 'releases', org }, { kind: 'products', org, name });
  const zoneNames = zones.items.map((zone) => zone.name);
  return (
    <>
      <ProductHead product={product} tab="Overview" />
      {product.status?.deletionMessage !== undefined && (
        <div className={styles['notice']} data-state="working" role="status">
          <Mark state="working" />
          <p>
            <b>This Product is being deleted.</b> {product.status.deletionMessage}
          </p>
        </div>
      )}
      <ScaffoldProgress product={product} release={releases.items.at(-1)} />
      <WaitingPromotions product={name} zones={zones.items} />
      <ZonePair product={name} zones={zones.items} releases={releases.items} />
      <p className={`small ${zoneStyles['add']}`}>
        <Link to="/$org/products/$product/zones/new" params={{ org, product: name }}>
          Add a zone
        </Link>
      </p>
      <Columns aside={<AboutProduct product={product} />}>
        <NextPromotion zones={zones.items} />
        <Section
          id="changes"
          title="Changes"
          aside={
            <Link to="/$org/changes" params={{ org }} search={{ product: name }}>
              All Changes
            </Link>
          }
        >
          <LatestChanges changes={changes.items} />
        </Section>
        <Section
          id="releases"
          title="Releases"
          aside={
            <Link to="/$org/releases" params={{ org }} search={{ product: name }}>
              All Releases
            </Link>
          }
        >
          {releases.items.length === 0 ? (
            <p className="dim">No Release yet. The merge of a Change starts one, or you do under All Releases.</p>
          ) : (
            <ReleasesTable releases={releases.items.slice(0, 6)} zones={zoneNames} />
          )}
        </Section>
      </Columns>
      <OpenDialog product={name} zones={zones.items} releases={releases.items} />
    </>
  );
}

function NextPromotion({ zones }: { zones: Zone[] }) {
  const [from, to] = zones;
  const next = from && to && zones.length === 2 ? chooseNext(from, to) : undefined;
  return next && to ? <PromotionContents zone={to} release={next.release} version={next.version} /> : null;
}

/** The dialog that the URL names. */
function OpenDialog({ product, zones, releases }: { product: string; zones: Zone[]; releases: Release[] }) {
  const { org } = route.useParams();
  const { promote, release, logo } = route.useSearch();
  const navigate = useNavigate();
  const close = (): void =>
    void navigate({ to: '/$org/products/$product', params: { org, product }, search: {}, resetScroll: false });
  const promoted = zones.find((zone) => zone.name === promote);
  return (
    <Suspense>
      {promoted && (
        <PromoteDialog
          key={promoted.name}
          product={product}
          zone={promoted}
          zones={zones}
          releases={releases}
          name={release}
          onClose={close}
        />
      )}
      {logo === true && <LogoPicker org={org} product={product} onClose={close} />}
    </Suspense>
  );
}
