import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Elapsed, Time } from '../../parts/time.tsx';
import { LaneLink, toCost, type Lane } from './lane-row.tsx';

/** The lanes as a table, for those who read numbers better than bars. */
export const LaneTable = ({ org, lanes }: { org: string; lanes: Lane[] }) => (
  <table className={table['tbl']} aria-label="Runs and Releases">
    <thead>
      <tr>
        <th scope="col">Change or Release</th>
        <th scope="col">Product</th>
        <th scope="col">Phase</th>
        <th scope="col" className={table['n']}>
          Started
        </th>
        <th scope="col" className={table['n']}>
          Duration
        </th>
        <th scope="col" className={table['n']}>
          Spans
        </th>
        <th scope="col" className={table['n']}>
          Cost
        </th>
      </tr>
    </thead>
    <tbody>
      {lanes.map((lane) => (
        <tr key={`${lane.kind}-${lane.name}`}>
          <th scope="row">
            <LaneLink org={org} lane={lane} />
          </th>
          <td data-l="Product">{lane.product}</td>
          <td>
            <Phase phase={lane.phase} quiet />
          </td>
          <td className={table['n']} data-l="Started">
            <Time at={lane.from} />
          </td>
          <td className={table['n']} data-l="Duration">
            <Elapsed from={lane.from} to={lane.to} />
          </td>
          <td className={table['n']} data-l="Spans">
            {lane.spans.length}
          </td>
          <td className={table['n']} data-l="Cost">
            {toCost(lane)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
