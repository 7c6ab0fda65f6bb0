import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionsQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { NewPasswordField } from '../../../parts/new-password-field.tsx';
import { announce } from '../../../shell/announcer.tsx';

export function ChangePassword() {
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/me/password', { params: {}, body: { currentPassword, newPassword } }),
    onSuccess: async () => {
      announce('Your password is changed.');
      setCurrentPassword('');
      setNewPassword('');
      await queryClient.invalidateQueries(sessionsQuery);
    },
  });
  return (
    <Form
      label="Change your password"
      error={change.error}
      onSubmit={() => change.isPending || change.mutate()}
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
        value={currentPassword}
        onChange={setCurrentPassword}
      />
      <NewPasswordField label="New password" pointer="/newPassword" value={newPassword} onChange={setNewPassword} />
      {change.isSuccess && <p role="status">Your password is changed. Your other sessions have ended.</p>}
    </Form>
  );
}
