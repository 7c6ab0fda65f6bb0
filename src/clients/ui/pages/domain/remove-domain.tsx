import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { announce } from '../../shell/announcer.tsx';
import type { Domain } from '../domains/domain-state.ts';

/** Gives a domain up, and names the records that stay at the DNS provider. */
export function RemoveDomain({ domain: { org, name, spec, records, actions } }: { domain: Domain }) {
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere(isOpen);
  const remove = useMutation({
    mutationFn: async () =>
      await request('delete', '/v1/orgs/{org}/domains/{domain}', { params: { org, domain: name } }),
    onSuccess: async () => {
      announce(`${name} was removed.`);
      await queryClient.invalidateQueries({ queryKey: ['domains', org] });
      await navigate({ to: '/$org/domains', params: { org } });
      queryClient.removeQueries({ queryKey: ['domain', org, name] });
    },
  });
  const action = actions.find((one) => one.name === 'deleteDomain');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not remove this domain.');
  return (
    <FormDialog
      trigger={
        <Button look="danger" why={why}>
          Remove…
        </Button>
      }
      title={`Remove ${name}?`}
      note="Another org that proves its ownership can claim the name then."
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSubmit={() => remove.isPending || remove.mutate()}
      error={remove.error}
      keep="Keep it"
      foot={
        <Button look="danger" type="submit" busy={remove.isPending}>
          Remove {name}
        </Button>
      }
    >
      {spec.kind === 'managed' ? (
        <p>The service deletes its DNS records.</p>
      ) : (
        <div>
          <p>These records stay at your DNS provider. Delete them there:</p>
          <ul className="mono small">
            {records.map((record) => (
              <li key={`${record.type} ${record.name} ${record.value}`}>
                {record.type} {record.name}
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
