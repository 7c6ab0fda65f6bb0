import { Mark } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';

type Finding = { title: string; result: 'ok' | 'warning' | 'failed'; message: string; fix?: string | undefined };

const resultMarks: Record<Finding['result'], [mark: 'done' | 'warn' | 'failed', word: string]> = {
  ok: ['done', 'OK'],
  warning: ['warn', 'Warning'],
  failed: ['failed', 'Failed'],
};

/** The findings of a check, each with its fix. Their titles are unique. */
export const FindingTable = ({ findings }: { findings: Finding[] }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Checked</th>
        <th scope="col">Result</th>
        <th scope="col">Finding</th>
      </tr>
    </thead>
    <tbody>
      {findings.map(({ title, result, message, fix }) => (
        <tr key={title}>
          <th scope="row" className={table['title']}>
            {title}
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
