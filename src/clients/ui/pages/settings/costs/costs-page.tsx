import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { costGroups, costsQuery, type CostGroup } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Details, Empty, PageHead } from '../../../parts/page.tsx';
import { Select } from '../../../parts/select.tsx';
import table from '../../../parts/table.module.css';
import { formatDuration } from '../../../parts/time.tsx';
import { formatCost, formatCount } from './format-cost.ts';
import type { CostsSearch } from './route.ts';
import styles from './costs.module.css';
import { windows } from './windows.ts';

const route = getRouteApi('/signed-in/$org/settings/costs');
const labels: Record<CostGroup, string> = {
  product: 'Product',
  agentRole: 'AgentRole',
  model: 'Model',
  agentWorkflow: 'AgentWorkflow',
  day: 'Day (UTC)',
};
type Costs = Schemas['AgentCosts'] & { key: string };

/** The usage and cost of the agents of an org. */
export function CostsPage() {
  const { org } = route.useParams();
  const { by = 'product', days = 30 } = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(costsQuery(org, { groupBy: by, days }));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const limit = organization.spec.agents?.costUsdPerDay;
  const show = (search: CostsSearch): void =>
    void navigate({ to: '/$org/settings/costs', params: { org }, search: { by, days, ...search } });
  return (
    <>
      <PageHead
        title="Costs"
        actions={
          <>
            <Select
              label="By"
              value={by}
              options={costGroups.map((group): [string, string] => [group, `By ${labels[group]}`])}
              onChange={(value) => show({ by: value as CostGroup })}
            />
            <Select
              label="Window"
              value={String(days)}
              options={windows.map(([value, label]): [string, string] => [String(value), label])}
              onChange={(value) => show({ days: Number(value) })}
            />
          </>
        }
      >
        What the agents of {org} used from {data.from} to {data.to} (UTC).
      </PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>In total</h2>
              <p className={styles['figure']}>{formatCost(data.total.costMicroUsd)}</p>
              <Details
                items={[
                  ['Turns', formatCount(data.total.turns)],
                  ['Input', `${formatCount(data.total.inputTokens)} tokens`],
                  ['Cached', `${formatCount(data.total.cachedInputTokens)} of them`],
                  ['Output', `${formatCount(data.total.outputTokens)} tokens`],
                  ['Limit', limit === undefined ? 'None per day' : `$${limit} per day`],
                ]}
              />
              <p className="small">
                <Link to="/$org/settings/models" params={{ org }}>
                  Change limits and prices
                </Link>
              </p>
            </section>
            <CurlLine path={`/orgs/${org}/agent-costs?groupBy=${by}&days=${days}`} />
          </>
        }
      >
        {data.items.length === 0 ? (
          <Empty title="No agent worked in this time">
            <p>Each turn of an agent is counted here, at the prices at its time.</p>
          </Empty>
        ) : (
          <CostTable items={sortCosts(data.items, by)} total={data.total.costMicroUsd} label={labels[by]} />
        )}
        {data.total.costUnknown && (
          <p className="dim small">
            Some turns had no known price, so the real cost is higher. Set the price of their model in Models.
          </p>
        )}
      </Columns>
    </>
  );
}

/** The dearest is first; days stay in order. */
const sortCosts = (items: Costs[], by: CostGroup): Costs[] =>
  by === 'day' ? items : items.toSorted((one, other) => other.costMicroUsd - one.costMicroUsd);

const CostTable = ({ items, total, label }: { items: Costs[]; total: number; label: string }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">{label}</th>
        <th scope="col" className={table['n']}>
          Turns
        </th>
        <th scope="col" className={table['n']}>
          Input
        </th>
        <th scope="col" className={table['n']}>
          Cached
        </th>
        <th scope="col" className={table['n']}>
          Output
        </th>
        <th scope="col" className={table['n']}>
          Time
        </th>
        <th scope="col" className={table['n']}>
          Share
        </th>
        <th scope="col" className={table['n']}>
          Cost
        </th>
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr key={item.key}>
          <th scope="row" className={table['title']}>
            {item.key}
          </th>
          <td data-l="Turns" className={table['n']}>
            {formatCount(item.turns)}
          </td>
          <td data-l="Input" className={table['n']}>
            {formatCount(item.inputTokens)}
          </td>
          <td data-l="Cached" className={table['n']}>
            {formatCount(item.cachedInputTokens)}
          </td>
          <td data-l="Output" className={table['n']}>
            {formatCount(item.outputTokens)}
          </td>
          <td data-l="Time" className={table['n']}>
            {formatDuration(item.seconds * 1_000)}
          </td>
          <td data-l="Share" className={table['n']}>
            {total === 0 ? '' : `${Math.round((item.costMicroUsd / total) * 100)} %`}
          </td>
          <td data-l="Cost" className={table['n']}>
            {item.costUnknown && item.costMicroUsd === 0 ? 'Not known' : formatCost(item.costMicroUsd)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
