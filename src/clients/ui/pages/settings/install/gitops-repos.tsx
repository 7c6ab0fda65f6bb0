import type { Schemas } from '../../../api/generated/openapi.ts';
import { Mark } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';

/** The repo of each org, and how far Releases are on their way through its zones. */
export const GitopsRepos = ({ repos }: { repos: Schemas['GitopsSummary'][] }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Repo</th>
        <th scope="col">State</th>
        <th scope="col">Zones</th>
      </tr>
    </thead>
    <tbody>
      {repos.map(({ org, repo, readable, message, products, waves }) => (
        <tr key={org}>
          <th scope="row">
            <span className={table['title']}>{repo}</span>
            <span className="dim small">
              {org}, {products} {products === 1 ? 'Product' : 'Products'}
            </span>
          </th>
          <td data-l="State">
            <span className="row">
              <Mark state={readable ? 'done' : 'failed'} />
              {message ?? 'Readable'}
            </span>
          </td>
          <td data-l="Zones">
            {waves.length === 0 ? 'None yet' : waves.map((wave) => <p key={wave.wave}>{describeWave(wave)}</p>)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function describeWave({ wave, zones, running, promoting, frozen }: Schemas['GitopsSummary']['waves'][number]): string {
  const counts = [
    `${running} of ${zones} ${zones === 1 ? 'zone runs' : 'zones run'} a Release`,
    promoting > 0 && `${promoting} on the way`,
    frozen > 0 && `${frozen} frozen`,
  ];
  return `Wave ${wave}: ${counts.filter(Boolean).join(', ')}`;
}
