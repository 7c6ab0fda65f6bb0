import { Link } from '@tanstack/react-router';
import type { ChangeSummary } from '../api/types.ts';
import { Person } from './person.tsx';
import { toStageState } from './phase-state.ts';
import { Phase } from './state.tsx';
import table from './table.module.css';
import { Age, Elapsed } from './time.tsx';

/** Changes as rows: state, title, the stage that they are in, who started them, and for how long they have run. */
export const ChangesTable = ({
  changes,
  withProduct = false,
}: {
  changes: ChangeSummary[];
  /** Shows the Product of each Change, for lists of several. */
  withProduct?: boolean;
}) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Change</th>
        <th scope="col">Stage</th>
        {withProduct && <th scope="col">Product</th>}
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
      {changes.map((change) => (
        <Row key={change.name} change={change} withProduct={withProduct} />
      ))}
    </tbody>
  </table>
);

function Row({ change, withProduct }: { change: ChangeSummary; withProduct: boolean }) {
  const { org, name, spec, status, createdAt } = change;
  const stage = findCurrentStage(change);
  return (
    <tr>
      <td data-l="State" className="nowrap">
        <Phase phase={status?.phase ?? 'Pending'} {...(isForViewer(change) && { words: 'Waits for you' })} />
      </td>
      <th scope="row">
        <Link className={table['title']} to="/$org/changes/$run" params={{ org, run: name }}>
          {status?.issue?.title ?? name}
        </Link>
        {spec.target && <span className="dim"> #{spec.target.number}</span>}
      </th>
      <td data-l="Stage">{stage?.stage === 'review' ? (stage.detail ?? stage.label) : stage?.label}</td>
      {withProduct && (
        <td data-l="Product">
          <Link to="/$org/products/$product" params={{ org, product: spec.product }}>
            {spec.product}
          </Link>
        </td>
      )}
      <td data-l="Started by">{spec.startedBy.includes('@') ? <Person email={spec.startedBy} /> : spec.startedBy}</td>
      <td data-l="Took" className={table['n']}>
        {status?.startedAt && <Elapsed from={status.startedAt} to={status.finishedAt} />}
      </td>
      <td data-l="Age" className={table['n']}>
        <Age since={createdAt} />
      </td>
    </tr>
  );
}

/** A Change that waits for a person waits for the reader only if they may decide. */
const isForViewer = ({ status, actions }: ChangeSummary): boolean =>
  ['WaitingForPerson', 'NeedsGuidance'].includes(status?.phase ?? '') &&
  actions.some(({ name, allowed }) => allowed && ['approveStep', 'guideStep'].includes(name));

/** The stage that something happens in, or the last one that is done. */
function findCurrentStage({ progress }: ChangeSummary) {
  const states = progress.map(({ colour }) => toStageState(colour));
  const current = states.findIndex((state) => state !== 'done' && state !== 'idle');
  return progress[current === -1 ? states.lastIndexOf('done') : current];
}
