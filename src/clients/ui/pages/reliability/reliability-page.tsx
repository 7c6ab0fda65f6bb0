import { useSuspenseQuery } from '@tanstack/react-query';
import { productQuery } from '../../api/queries/products.ts';
import { useLive } from '../../live/live.tsx';
import { ProductHead } from '../../parts/product-head.tsx';
import { reliabilityRoute } from './route.ts';
import { DoraSection } from './dora/dora-section.tsx';
import { IncidentsSection } from './incidents-section.tsx';
import { Objectives } from './slos/objectives.tsx';

/** Shows whether a Product serves its users as promised: its objectives with their error budgets, and its deployments. */
export function ReliabilityPage() {
  const { org, product: name } = reliabilityRoute.useParams();
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  useLive({ kind: 'products', org, name }, { kind: 'releases', org });
  return (
    <>
      <ProductHead product={product} tab="Reliability" />
      <Objectives product={product} />
      <DoraSection product={product} />
      <IncidentsSection product={product} />
    </>
  );
}
