import type { Change } from '../../api/types.ts';
import table from '../../parts/table.module.css';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

type Made = NonNullable<NonNullable<Change['status']>['decisions']>[number];

const outcomes: Record<Made['outcome'], string> = {
  approved: 'Approved',
  rejected: 'Rejected',
  guided: 'Gave guidance',
  retried: 'Retried',
  cancelled: 'Cancelled the Change',
};

/** Every decision of a person about the Change, including those that a later commit or conflict invalidated. */
export function DecisionLog({ change: { status } }: { change: Change }) {
  const decisions = status?.decisions ?? [];
  if (decisions.length === 0) return null;
  return (
    <Section id="decisions" title="Decisions" note="Every decision, including those that a later commit invalidated">
      <table className={table['tbl']}>
        <thead>
          <tr>
            {['Decision', 'Step', 'Who', 'Commit', 'When'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {decisions.map((made) => (
            <tr key={`${made.step} ${made.at}`}>
              <th scope="row" className={table['title']}>
                {outcomes[made.outcome]}
                {made.note !== undefined && <span className="small dim">: {made.note}</span>}
              </th>
              <td data-l="Step">{made.step ?? 'Whole Change'}</td>
              <td data-l="Who">
                {made.by}
                {made.role !== undefined && <span className="dim">, {made.role}</span>}
              </td>
              <td data-l="Commit">{made.headSha === undefined ? '–' : <code>{made.headSha.slice(0, 7)}</code>}</td>
              <td data-l="When">
                <Time at={made.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
