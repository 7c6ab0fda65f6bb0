import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionsQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { NewPasswordField } from '../../../parts/new-password-field.tsx';
import { announce } from '../../../shell/announcer.tsx';

const empty = { currentPassword: '', newPassword: '' };

export function ChangePassword() {
  const [draft, setDraft] = useState(empty);
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: async (body: typeof empty) => await request('put', '/v1/me/password', { params: {}, body }),
    onSuccess: async (_, sent) => {
      announce('Your password is changed.');
      setDraft(clearSent(sent, empty));
      await queryClient.invalidateQueries(sessionsQuery);
    },
  });
  return (
    <Form
      label="Change your password"
      error={change.error}
      onSubmit={() => change.isPending || change.mutate(draft)}
      foot={
        <Button look="primary" type="submit" busy={change.isPending}>
          Change the password
        </Button>
      }
    >
      <TextField
        label="Current password"
        pointer="/currentPassword"
        type="password"
        autoComplete="current-password"
        required
        value={draft.currentPassword}
        onChange={(currentPassword) => setDraft({ ...draft, currentPassword })}
      />
      <NewPasswordField
        label="New password"
        pointer="/newPassword"
        value={draft.newPassword}
        onChange={(newPassword) => setDraft({ ...draft, newPassword })}
      />
      {change.isSuccess && <p role="status">Your password is changed. Your other sessions have ended.</p>}
    </Form>
  );
}
