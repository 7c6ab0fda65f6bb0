import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { announce } from '../../shell/announcer.tsx';

type EditRowProps = {
  name: string;
  /** The list that contains the row. */
  query: { queryKey: QueryKey };
  /** Sends the fields with the version of the row that was opened, and returns the announcement. */
  onSave: () => Promise<string>;
  saveText?: string;
  onDone: () => void;
  children: ReactNode;
};

/** Edits one row of a list in a form below it, which has the focus until it closes. */
export function EditRow({ name, query, onSave, saveText = 'Save', onDone, children }: EditRowProps) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: onSave,
    onSuccess: (announcement) => {
      announce(announcement);
      void queryClient.invalidateQueries(query);
    },
    // Another person may have saved the row since, so it is opened again as it is now.
    onError: async () => await queryClient.invalidateQueries(query),
  });
  return (
    <Form
      label={`Edit ${name}`}
      error={save.error}
      isOpened
      // A form that was closed and opened again stays open.
      onSubmit={() => save.isPending || save.mutate(undefined, { onSuccess: onDone })}
      foot={
        <>
          <Button look="primary" type="submit" busy={save.isPending}>
            {saveText}
          </Button>
          <Button look="plain" onClick={onDone}>
            Cancel
          </Button>
        </>
      }
    >
      {children}
    </Form>
  );
}
