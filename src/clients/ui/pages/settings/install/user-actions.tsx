import { useMutation, useQueryClient } from '@tanstack/react-query';
import { usersQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { announce } from '../../../shell/announcer.tsx';

export type User = { name: string; email: string };

type Props = {
  user: User;
  isSelf: boolean;
  areRolesShown: boolean;
  onShowRoles: () => void;
  onReset: () => void;
};

export function UserActions({ user, isSelf, areRolesShown, onShowRoles, onReset }: Props) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await request('delete', '/v1/access/users/{user}', { params: { user: user.name } }),
    onSuccess: async () => {
      announce(`${user.email} is removed.`);
      await queryClient.invalidateQueries(usersQuery);
    },
  });
  const removeButton = (
    <Button
      small
      aria-label={`Remove ${user.email}`}
      busy={remove.isPending}
      why={isSelf ? 'You cannot remove yourself. Another platform admin can remove you.' : undefined}
    >
      Remove
    </Button>
  );
  return (
    <div className="row">
      <Button small aria-label={`Roles of ${user.email}`} aria-expanded={areRolesShown} onClick={onShowRoles}>
        Roles
      </Button>
      <Button
        small
        aria-label={`Reset password of ${user.email}`}
        why={isSelf ? 'You change your own password in “Your account”.' : undefined}
        onClick={onReset}
      >
        Reset password
      </Button>
      {isSelf ? (
        removeButton
      ) : (
        <Confirm
          trigger={removeButton}
          title={`Remove ${user.email}?`}
          action="Remove"
          onConfirm={() => remove.mutate()}
        >
          Their sessions end and their API tokens are revoked at once. Access groups keep the address.
        </Confirm>
      )}
      {remove.error && <ProblemNotice error={remove.error} />}
    </div>
  );
}
