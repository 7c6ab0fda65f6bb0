import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { DeleteRow } from '../delete-row.tsx';

type Registry = Schemas['Registry'];
type Props = { org: string; registries: Registry[]; onEdit: (name: string) => void };

const accesses: Record<Registry['lastCheck']['access'], string> = {
  'signed-in': 'Signed in',
  pull: 'Can pull, not push',
  'pull-and-push': 'Can pull and push',
};

export const RegistryTable = ({ org, registries, onEdit }: Props) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Registry</th>
        <th scope="col">Images</th>
        <th scope="col">Account</th>
        <th scope="col">Last check</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {registries.map((registry) => (
        <Row key={registry.name} org={org} registry={registry} onEdit={onEdit} />
      ))}
    </tbody>
  </table>
);

function Row({ org, registry, onEdit }: Pick<Props, 'org' | 'onEdit'> & { registry: Registry }) {
  const { name, host, repositoryPrefix, username, lastCheck, actions } = registry;
  return (
    <tr>
      <th scope="row" className={table['title']}>
        {name}
      </th>
      <td data-l="Images">
        <code>{repositoryPrefix === undefined ? host : `${host}/${repositoryPrefix}`}</code>
      </td>
      <td data-l="Account">{username}</td>
      <td data-l="Last check">
        {accesses[lastCheck.access]}, <Time at={lastCheck.at} />
      </td>
      <td className="right">
        <Button
          small
          why={findRefusal(actions, 'putRegistry')}
          aria-label={`Edit ${name}`}
          onClick={() => onEdit(name)}
        >
          Edit
        </Button>{' '}
        <DeleteRegistry org={org} registry={registry} />
      </td>
    </tr>
  );
}

function DeleteRegistry({ org, registry: { name, actions } }: { org: string; registry: Registry }) {
  const queryClient = useQueryClient();
  return (
    <DeleteRow
      kind="registry"
      name={name}
      why={findRefusal(actions, 'deleteRegistry')}
      onDelete={async () => await request('delete', '/v1/orgs/{org}/registries/{name}', { params: { org, name } })}
      onSettled={async () => await queryClient.invalidateQueries(registriesQuery(org))}
    >
      Its credentials are deleted, also those that builds and zones have. Pods that start later, also after a rollback
      to a Release whose image is there, cannot pull its private images.
    </DeleteRow>
  );
}
