import { Link } from '@tanstack/react-router';
import type { ChangeSummary } from '../../api/types.ts';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Age, Elapsed } from '../../parts/time.tsx';

const rowsMax = 8;
const order = ['WaitingForPerson', 'NeedsGuidance', 'Running', 'Pending'];
function toRank({ status }: ChangeSummary): number {
  const rank = order.indexOf(status?.phase ?? 'Pending');
  return rank < 0 ? order.length : rank;
}

/** The Changes of a Product: first those that wait for a person, then those that go on, then the newest others. */
export function GoingChanges({ changes }: { changes: ChangeSummary[] }) {
  if (changes.length === 0) return <p className="dim">No Change yet. A label on an issue starts one.</p>;
  const sorted = changes.toSorted((one, other) => toRank(one) - toRank(other));
  return (
    <table className={`${table['tbl']} ${table['mid']}`}>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Change</th>
          <th scope="col">Step</th>
          <th scope="col" className={table['n']}>
            Took
          </th>
          <th scope="col" className={table['n']}>
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.slice(0, rowsMax).map((change) => (
          <Row key={change.name} change={change} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ change: { org, name, spec, status, createdAt } }: { change: ChangeSummary }) {
  const step = status?.steps.find(({ phase }) => !['Pending', 'Succeeded', 'Skipped'].includes(phase));
  return (
    <tr>
      <td>
        <Phase phase={status?.phase ?? 'Pending'} />
      </td>
      <th scope="row">
        <Link className={table['title']} to="/$org/changes/$run" params={{ org, run: name }}>
          {status?.issue?.title ?? spec.agentWorkflow}
        </Link>{' '}
        {spec.target && <span className="faint">#{spec.target.number}</span>}
      </th>
      <td data-l="Step">{step?.name}</td>
      <td data-l="Took" className={table['n']}>
        {status?.startedAt !== undefined && <Elapsed from={status.startedAt} to={status.finishedAt} />}
      </td>
      <td data-l="Age" className={table['n']}>
        <Age since={createdAt} />
      </td>
    </tr>
  );
}
