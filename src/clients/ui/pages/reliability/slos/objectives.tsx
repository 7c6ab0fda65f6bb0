import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { slosQuery } from '../../../api/queries/slos.ts';
import type { Product } from '../../../api/types.ts';
import { ButtonLink } from '../../../parts/button.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Empty, Section } from '../../../parts/page.tsx';
import { BudgetCharts } from './budget-charts.tsx';
import { SloTable } from './slo-table.tsx';

/** The objectives of a Product in its zones, with their error budgets. */
export function Objectives({ product }: { product: Product }) {
  const { org, name, status } = product;
  const { data } = useSuspenseQuery(slosQuery(org, name));
  const { observability } = status ?? {};
  const issues = data.items.flatMap((slo) => slo.issues.map((message) => ({ slo, message })));
  if (data.items.length === 0)
    return (
      <>
        <Empty title="No SLO yet">
          <p>
            An SLO says which share of requests has to be good. The service then alerts when a zone fails faster than
            that allows.
          </p>
          <ButtonLink to="/$org/products/$product/settings" params={{ org, product: name }} hash="slos">
            Add an SLO
          </ButtonLink>
        </Empty>
        <CurlLine path={`/orgs/${org}/products/${name}/slos`} />
      </>
    );
  return (
    <>
      <Section
        id="objectives"
        title="Objectives"
        note="Burn of 1 spends the budget exactly in its window. Alerts: above 14.4 in 1 h, above 6 in 6 h."
        aside={
          <Link to="/$org/products/$product/settings" params={{ org, product: name }} hash="slos">
            Edit SLOs
          </Link>
        }
      >
        <SloTable slos={data.items} org={org} product={name} />
        {observability && observability.phase !== 'Ready' && <p className="small dim">{observability.message}</p>}
        {issues.map(({ slo, message }) => (
          <p key={`${slo.name} ${slo.zone} ${message}`} className="small">
            <b>
              {slo.name} in {slo.zone}:
            </b>{' '}
            {message}
          </p>
        ))}
      </Section>
      <BudgetCharts slos={data.items} org={org} product={name} />
    </>
  );
}
