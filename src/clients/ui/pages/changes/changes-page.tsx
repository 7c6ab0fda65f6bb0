import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { changesQuery, phases, type Phase as RunPhase } from '../../api/queries/changes.ts';
import { useLive } from '../../live/live.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { toWords } from '../../parts/phase-state.ts';
import { Phase } from '../../parts/state.tsx';
import { Select } from '../../parts/select.tsx';
import table from '../../parts/table.module.css';
import { Age, Elapsed } from '../../parts/time.tsx';
import { formatDuration } from '../../parts/time.tsx';
import type { ChangeSummary } from '../../api/types.ts';

const route = getRouteApi('/signed-in/$org/changes');

/** The Changes of an org, the newest first. */
export function ChangesPage() {
  const { org } = route.useParams();
  const filter = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(changesQuery(org, filter));
  useLive({ kind: 'changes', org });
  const isFiltered = Object.keys(filter).length > 0;
  const setPhase = (phase: string): void =>
    void navigate({
      to: '/$org/changes',
      params: { org },
      search: ({ phase: _phase, ...rest }) => ({ ...rest, ...(phase !== '' && { phase: phase as RunPhase }) }),
    });
  return (
    <>
      <PageHead
        title="Changes"
        actions={
          <Select
            label="Phase"
            value={filter.phase ?? ''}
            options={[['', 'All phases'], ...phases.map((phase): [string, string] => [phase, toWords(phase)])]}
            onChange={setPhase}
          />
        }
      >
        The work of agents on the issues of {filter.product ?? org}, the newest first.
      </PageHead>
      {data.items.length === 0 ? (
        <Empty title={isFiltered ? 'No Change matches' : 'No Change yet'}>
          <p>A Change is the work on one issue or pull request. A label on an issue starts one, or a person does.</p>
          {isFiltered && (
            <Link to="/$org/changes" params={{ org }}>
              Show all Changes
            </Link>
          )}
        </Empty>
      ) : (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">Phase</th>
              <th scope="col">Product</th>
              <th scope="col">Started by</th>
              <th scope="col" className={table['n']}>
                Took
              </th>
              <th scope="col" className={table['n']}>
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((change) => (
              <Row key={change.name} change={change} />
            ))}
          </tbody>
        </table>
      )}
      {data.continue !== undefined && (
        <p className="dim small">Older Changes are not shown. Narrow the list by phase.</p>
      )}
    </>
  );
}

const Row = ({ change: { org, name, spec, status, createdAt } }: { change: ChangeSummary }) => (
  <tr>
    <th scope="row">
      <Link className={table['title']} to="/$org/changes/$run" params={{ org, run: name }}>
        {spec.target && <span className="dim">#{spec.target.number} </span>}
        {status?.issue?.title ?? spec.agentWorkflow}
      </Link>
    </th>
    <td data-l="Phase">
      <Phase phase={status?.phase ?? 'Pending'} />
    </td>
    <td data-l="Product">
      <Link to="/$org/products/$product" params={{ org, product: spec.product }}>
        {spec.product}
      </Link>
    </td>
    <td data-l="Started by">{spec.startedBy.split('@')[0]}</td>
    <td data-l="Took" className={table['n']}>
      {status?.startedAt &&
        status.finishedAt &&
        formatDuration(Date.parse(status.finishedAt) - Date.parse(status.startedAt))}
      {status?.startedAt && !status.finishedAt && <Elapsed from={status.startedAt} />}
    </td>
    <td data-l="Age" className={table['n']}>
      <Age since={createdAt} />
    </td>
  </tr>
);
