import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Form } from '../../../parts/form.tsx';
import { NewPasswordField } from '../../../parts/new-password-field.tsx';
import { announce } from '../../../shell/announcer.tsx';
import type { User } from './user-actions.tsx';

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/access/users/{user}/password', { params: { user: user.name }, body: { password } }),
    onSuccess: () => announce(`${user.email} signs in with the new password from now on.`),
  });
  return (
    <Form
      label={`New password of ${user.email}`}
      error={reset.error}
      isOpened
      // A form that was closed and opened again stays open.
      onSubmit={() => reset.isPending || reset.mutate(undefined, { onSuccess: onClose })}
      foot={
        <>
          <Button look="primary" type="submit" busy={reset.isPending}>
            Reset the password
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <NewPasswordField
        label="New password"
        hint="Share it securely."
        pointer="/password"
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}
