import type { Schemas } from '../../../api/generated/openapi.ts';
import { Button } from '../../../parts/button.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { ClusterState } from './cluster-state.tsx';

type Cluster = Schemas['Cluster'];

export const ClusterTable = ({ clusters, onOpen }: { clusters: Cluster[]; onOpen: (name: string) => void }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Cluster</th>
        <th scope="col">State</th>
        <th scope="col">Kubernetes</th>
        <th scope="col">Zones</th>
        <th scope="col">Last check</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {clusters.map(({ name, label, state, version, zones, checkedAt }) => (
        <tr key={name}>
          <th scope="row" className={table['title']}>
            {label ?? name}
          </th>
          <td data-l="State">
            <ClusterState state={state} />
          </td>
          <td data-l="Kubernetes">{version ?? '–'}</td>
          <td data-l="Zones">{zones.length}</td>
          <td data-l="Last check">{checkedAt === undefined ? '–' : <Time at={checkedAt} />}</td>
          <td className="right">
            <Button small aria-label={`Open ${name}`} onClick={() => onOpen(name)}>
              Open
            </Button>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
