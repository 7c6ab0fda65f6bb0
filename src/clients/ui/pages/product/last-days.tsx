import { useQuery } from '@tanstack/react-query';
import { productDoraQuery } from '../../api/queries/observability.ts';
import { formatDora } from '../../parts/format-dora.ts';
import { Details } from '../../parts/page.tsx';

/** The DORA metrics of a Product in a few words. */
export function LastDays({ org, product }: { org: string; product: string }) {
  const { data } = useQuery(productDoraQuery(org, product));
  return (
    <section>
      <h2>Last 30 days</h2>
      {data ? <Details items={formatDora(data)} /> : <p className="dim">Reading the deployments.</p>}
    </section>
  );
}
