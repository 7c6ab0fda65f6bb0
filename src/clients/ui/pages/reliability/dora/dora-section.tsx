import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { productDoraQuery } from '../../../api/queries/observability.ts';
import type { Product } from '../../../api/types.ts';
import { Section } from '../../../parts/page.tsx';
import { Segmented } from '../../../parts/segmented.tsx';
import { reliabilityRoute } from '../route.ts';
import { DoraCards } from './dora-cards.tsx';
import { measures } from './measures.ts';
import { DoraEvents } from './dora-events.tsx';

/** The DORA metrics of a Product, each of which opens what it counts. */
export function DoraSection({ product }: { product: Product }) {
  const { org, name } = product;
  const { delivery: days = 30, metric = 'changeFailureRate' } = reliabilityRoute.useSearch();
  const navigate = useNavigate({ from: '/$org/products/$product/reliability' });
  const { data } = useSuspenseQuery(productDoraQuery(org, name, days));
  const set = (changed: { delivery?: 30 | 90; metric?: typeof metric }): void =>
    void navigate({ search: (old) => ({ ...old, ...changed }), resetScroll: false });
  const { title, counted, note } = measures[metric];
  const { count, total, events } = data[metric];
  return (
    <>
      <Section
        id="delivery"
        title={`Delivery, last ${days} days`}
        note="From the Releases themselves; each figure opens what it counts"
        aside={
          <Segmented
            label="Days"
            value={String(days)}
            options={[
              ['30', '30 days'],
              ['90', '90 days'],
            ]}
            onChange={(value) => set({ delivery: value === '90' ? 90 : 30 })}
          />
        }
      >
        <DoraCards dora={data} shown={metric} onShow={(chosen) => set({ metric: chosen })} />
        <p className="dim small">
          Ratings by the bands of the {data.bands.title}. Release zones: {data.releaseZones.join(', ')}.
        </p>
      </Section>
      <Section
        id="events"
        title={`Behind ${title.toLowerCase()}: ${counted(count, total)}`}
        note={events.length < count ? `The newest ${events.length}` : note}
      >
        <DoraEvents org={org} dora={data} metric={metric} />
      </Section>
    </>
  );
}
