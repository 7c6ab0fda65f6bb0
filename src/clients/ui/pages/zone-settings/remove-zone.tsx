import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { formatAmount } from '../../parts/format-amount.ts';
import { toHost } from './zone-draft.ts';
import styles from './zone-settings.module.css';

type Zone = Schemas['ZoneDetails'];

/** Removes a zone after its name was typed. */
export function RemoveZone({ zone, onRemoved }: { zone: Zone; onRemoved: () => Promise<void> }) {
  const { org, product, name, actions, status } = zone;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const action = actions.find((one) => one.name === 'removeZone');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not remove this zone.');
  const remove = useMutation({
    mutationFn: async () =>
      await request('delete', '/v1/orgs/{org}/products/{product}/zones/{zone}', {
        params: { org, product, zone: name },
        query: { confirm: typed },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['zone-details', org, product, name] });
      void queryClient.invalidateQueries({ queryKey: ['zones', org] });
      void queryClient.invalidateQueries({ queryKey: ['product', org, product] });
      // A person who has closed the dialog goes on with the settings.
      if (isOpen) await onRemoved();
    },
  });
  const isTyped = typed === name;
  const hosts = (zone.spec?.addresses ?? []).map(toHost);
  return (
    <fieldset className={styles['danger']}>
      <legend>Remove this zone</legend>
      <p>Deletes what runs there, its volumes and certificates. The repo, builds and Release history stay.</p>
      <FormDialog
        trigger={
          <Button look="danger" why={why}>
            Remove {name}…
          </Button>
        }
        title={`Remove ${name}?`}
        note="This cannot be undone. It happens in this order, and the page of the zone says where it is."
        isOpen={isOpen}
        onOpenChange={setOpen}
        onSubmit={() => isTyped && !remove.isPending && remove.mutate()}
        error={remove.error}
        keep="Keep it"
        foot={
          <Button
            look="danger"
            type="submit"
            busy={remove.isPending}
            why={isTyped ? undefined : 'The name is not complete yet.'}
          >
            Remove {name}
          </Button>
        }
      >
        <ol className={styles['order']}>
          <li>
            <span>
              Its values file and Application leave the gitops repo
              <small>A pull request that the service merges</small>
            </span>
          </li>
          <li>
            <span>
              Everything that was deployed is deleted
              <small>
                {status.version === undefined ? 'Nothing runs there' : `${status.version}, ${describePods(zone)}`}
              </small>
            </span>
          </li>
          <li>
            <span>
              The namespace {name} is deleted
              <small>{describeVolumes(zone)}</small>
            </span>
          </li>
        </ol>
        <p>
          The repo, builds and Release history stay.
          {hosts.length > 0 && ` ${hosts.join(', ')} ${hosts.length === 1 ? 'becomes' : 'become'} free.`}
        </p>
        <Field
          label={`Type ${name} to confirm`}
          name="confirm"
          autoComplete="off"
          autoFocus
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          hint={isTyped ? '' : 'The name is not complete yet.'}
        />
      </FormDialog>
    </fieldset>
  );
}

const describePods = ({ pods }: Zone): string => formatAmount(pods.length, 'pod');

function describeVolumes({ volumes }: Zone): string {
  const names = volumes.map(({ name, size }) => (size === undefined ? name : `${name} (${size})`));
  if (names.length === 0) return 'With its certificates; it has no volume';
  return `With its certificates and the data of ${names.length === 1 ? 'the volume' : 'the volumes'} ${names.join(', ')}`;
}
