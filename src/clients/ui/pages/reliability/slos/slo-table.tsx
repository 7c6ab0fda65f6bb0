import { Link } from '@tanstack/react-router';
import { Status } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import styles from './slos.module.css';
import { describeSlo, formatShare, toFill, toSloState, toSloWords, type Slo } from './slo-words.ts';

const heads = ['Objective', 'Attained', 'Budget left', 'Burn, 1 h', 'Burn, 6 h'];

type SloTableProps = { slos: Slo[]; org: string; product: string };

/** Each SLO in each zone, with what is left of its error budget. */
export const SloTable = ({ slos, ...ref }: SloTableProps) => (
  <table className={`${table['tbl']} ${table['mid']}`}>
    <thead>
      <tr>
        <th scope="col">SLO</th>
        <th scope="col">Zone</th>
        {heads.map((head) => (
          <th key={head} scope="col" className={head === 'Budget left' ? undefined : table['n']}>
            {head}
          </th>
        ))}
        <th scope="col">State</th>
      </tr>
    </thead>
    <tbody>
      {slos.map((slo) => (
        <Row key={`${slo.name} ${slo.zone}`} slo={slo} {...ref} />
      ))}
    </tbody>
  </table>
);

function Row({ slo, org, product }: { slo: Slo; org: string; product: string }) {
  const { name, zone, objective, attainment, budgetLeft, burn1h, burn6h } = slo;
  return (
    <tr>
      <th scope="row">
        <span className={table['title']}>{name}</span>
        <span className={`small dim ${styles['about']}`}>{describeSlo(slo)}</span>
      </th>
      <td data-l="Zone">
        <Link className="quiet" to="/$org/products/$product/zones/$zone" params={{ org, product, zone }}>
          {zone}
        </Link>
      </td>
      <td data-l="Objective" className={table['n']}>
        {objective} %
      </td>
      <td data-l="Attained" className={table['n']}>
        {attainment !== undefined && formatShare(attainment)}
      </td>
      <td data-l="Budget left">
        {budgetLeft !== undefined && (
          <span className={styles['left']}>
            <span className={styles['meter']} data-state={toSloState(slo)} aria-hidden="true">
              <i style={{ width: `${toFill(budgetLeft) * 100}%` }} />
            </span>
            <span>{formatShare(budgetLeft, 0)}</span>
          </span>
        )}
      </td>
      <td data-l="Burn, 1 h" className={table['n']}>
        {burn1h?.toFixed(1)}
      </td>
      <td data-l="Burn, 6 h" className={table['n']}>
        {burn6h?.toFixed(1)}
      </td>
      <td data-l="State">
        <Status state={toSloState(slo)} words={toSloWords(slo)} />
        {slo.state !== 'meeting' && (
          <span className={`small dim ${styles['about']} ${styles['message']}`}>{slo.message}</span>
        )}
      </td>
    </tr>
  );
}
