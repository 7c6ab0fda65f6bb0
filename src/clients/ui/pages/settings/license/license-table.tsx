import { Status } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { states } from './license-states.ts';

/** Explains the states that a licence can have. */
export const LicenseTable = () => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">When</th>
        <th scope="col">What happens</th>
      </tr>
    </thead>
    <tbody>
      {Object.values(states).map(({ mark, word, when, effect }) => (
        <tr key={word}>
          <th scope="row">
            <Status state={mark} words={word} />
          </th>
          <td data-l="When">{when}</td>
          <td data-l="What happens">{effect}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
