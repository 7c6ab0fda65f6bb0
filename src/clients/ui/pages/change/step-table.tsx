import type { Step } from '../../api/types.ts';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Elapsed, Time } from '../../parts/time.tsx';
import { formatCost, formatTokens } from './format-usage.ts';
import type { Bar } from './to-bars.ts';

/** The timeline as a table, for those who read numbers better than bars. */
export const StepTable = ({ steps, bars }: { steps: Step[]; bars: ReadonlyMap<string, Bar[]> }) => (
  <table className={table['tbl']} aria-label="Timeline of steps">
    <thead>
      <tr>
        <th>Step</th>
        <th>Phase</th>
        <th className={table['n']}>Started</th>
        <th className={table['n']}>Finished</th>
        <th className={table['n']}>Duration</th>
        <th className={table['n']}>Rounds</th>
        <th className={table['n']}>Tokens</th>
        <th className={table['n']}>Cost</th>
      </tr>
    </thead>
    <tbody>
      {steps.map(({ name, phase, startedAt, finishedAt, usage }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>
            <Phase phase={phase} quiet />
          </td>
          <td className={table['n']} data-l="Started">
            {startedAt !== undefined && <Time at={startedAt} />}
          </td>
          <td className={table['n']} data-l="Finished">
            {finishedAt !== undefined && <Time at={finishedAt} />}
          </td>
          <td className={table['n']} data-l="Duration">
            {startedAt !== undefined && <Elapsed from={startedAt} to={finishedAt} />}
          </td>
          <td className={table['n']} data-l="Rounds">
            {bars.get(name)?.length || ''}
          </td>
          <td className={table['n']} data-l="Tokens">
            {usage && formatTokens(usage)}
          </td>
          <td className={table['n']} data-l="Cost">
            {usage && formatCost(usage)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
