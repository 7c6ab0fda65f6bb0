import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { request } from '../../api/request.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';

/** Deletes a Product after its name was typed, because that cannot be taken back. */
export function DeleteProduct({
  product,
  onClose,
  onDeleted,
}: {
  product: Product;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}) {
  const { org, name, spec } = product;
  const queryClient = useQueryClient();
  const nameField = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: async () =>
      await request('delete', '/v1/orgs/{org}/products/{product}', { params: { org, product: name } }),
    onSuccess: async () => {
      announce('Requested. The Product is being deleted.');
      await queryClient.invalidateQueries({ queryKey: ['products', org] });
      await queryClient.invalidateQueries({ queryKey: ['product', org, name] });
      await onDeleted();
    },
  });
  const why = typed.trim() === name ? undefined : `Type ${name} to delete it.`;
  return (
    <Dialog
      title={`Delete ${spec.displayName ?? name}?`}
      note="This cannot be taken back."
      initialFocus={nameField}
      onClose={onClose}
      foot={
        <>
          <Button look="danger" why={why} busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete {name}
          </Button>
          <Button onClick={onClose}>Keep it</Button>
        </>
      }
    >
      <p>
        {spec.delivery.zones.length === 0
          ? 'It has no zone.'
          : `These zones are removed with their pods and volumes: ${spec.delivery.zones.map((zone) => zone.name).join(', ')}.`}{' '}
        {spec.repos.length > 0 &&
          `${spec.repos.join(', ')} ${spec.repos.length === 1 ? 'stays' : 'stay'} at the code host.`}
      </p>
      <div className={field['field']}>
        <label htmlFor="delete-name">
          Type <code>{name}</code> to confirm
        </label>
        <input
          id="delete-name"
          ref={nameField}
          className={field['input']}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </div>
      {remove.error && <ProblemNotice error={remove.error} />}
    </Dialog>
  );
}
