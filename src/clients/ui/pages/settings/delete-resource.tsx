import { useMutation } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import forms from '../../parts/form.module.css';

/** The deletion of a resource that the page is about. */
export function DeleteResource({
  kind,
  name,
  effect,
  why,
  onDelete,
  onDeleted,
}: {
  kind: string;
  name: string;
  effect: string;
  why: string | undefined;
  onDelete: () => Promise<unknown>;
  onDeleted: () => Promise<void>;
}) {
  const deletion = useMutation({ mutationFn: onDelete, onSuccess: onDeleted });
  const button = (
    <Button look="danger" why={why} busy={deletion.isPending}>
      Delete {name}…
    </Button>
  );
  return (
    <Section id="delete" title={`Delete this ${kind}`}>
      <p className="dim">{effect}</p>
      {deletion.error && <ProblemNotice error={deletion.error} />}
      <div className={forms['foot']}>
        {why === undefined ? (
          <Confirm
            trigger={button}
            title={`Delete ${name}?`}
            action={`Delete ${name}`}
            onConfirm={() => deletion.mutate()}
          >
            {effect}
          </Confirm>
        ) : (
          button
        )}
        {why !== undefined && <p className={forms['why']}>{why}</p>}
      </div>
    </Section>
  );
}
