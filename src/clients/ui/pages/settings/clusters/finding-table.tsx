import type { Schemas } from '../../../api/generated/openapi.ts';
import { Mark } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { resultMarks, subjectWords } from './cluster-state.tsx';

/** The findings of a check, each with its fix. */
export const FindingTable = ({ findings }: { findings: Schemas['Cluster']['findings'] }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Checked</th>
        <th scope="col">Result</th>
        <th scope="col">Finding</th>
      </tr>
    </thead>
    <tbody>
      {findings.map(({ subject, result, message, fix }) => (
        <tr key={subject}>
          <th scope="row" className={table['title']}>
            {subjectWords[subject]}
          </th>
          <td data-l="Result">
            <span className="row">
              <Mark state={resultMarks[result][0]} />
              {resultMarks[result][1]}
            </span>
          </td>
          <td data-l="Finding">
            {message}
            {fix !== undefined && <p className="dim">{fix}</p>}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
