import { useMutation, useQueryClient } from '@tanstack/react-query';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';
import { announce } from '../../../shell/announcer.tsx';
import type { Provider } from './provider-draft.ts';

type Props = { providers: Provider[]; onEdit: (name: string) => void };

export const ProviderTable = ({ providers, onEdit }: Props) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Provider</th>
        <th scope="col">Issuer</th>
        <th scope="col">Redirect URL</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {providers.map(({ name, spec, redirectUri }) => (
        <tr key={name}>
          <th scope="row" className={table['title']}>
            {spec.label} <code>{name}</code>
          </th>
          <td data-l="Issuer">{spec.issuer}</td>
          <td data-l="Redirect URL">
            <Copy text={redirectUri} label={`Copy the redirect URL of ${name}`} />
          </td>
          <td className="right">
            <Button small aria-label={`Edit ${name}`} onClick={() => onEdit(name)}>
              Edit
            </Button>{' '}
            <RemoveProvider name={name} label={spec.label} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function RemoveProvider({ name, label }: { name: string; label: string }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () =>
      await request('delete', '/v1/identity-providers/{provider}', { params: { provider: name } }),
    onSuccess: () => announce(`${label} is removed.`),
    onSettled: async () => await queryClient.invalidateQueries(identityProvidersQuery),
  });
  return (
    <>
      <Confirm
        trigger={
          <Button small aria-label={`Remove ${name}`} busy={remove.isPending}>
            Remove
          </Button>
        }
        title={`Remove ${label}?`}
        action="Remove"
        onConfirm={() => remove.mutate()}
      >
        Everyone who signed in through it is signed out, the API tokens that they created then are revoked, and its
        groups give no role. People without a password can no longer sign in.
      </Confirm>
      {remove.error && <ProblemNotice error={remove.error} />}
    </>
  );
}
