import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { setupQuery } from '../../api/queries/me.ts';
import { ApiProblem, request } from '../../api/request.ts';
import { signIn } from '../../shell/sign-in.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { Form } from '../../parts/form.tsx';
import { NewPasswordField } from '../../parts/new-password-field.tsx';
import { Step } from './step.tsx';

/** The first person of the installation, with the token that proves access to its data. */
export function RootUser({ givenToken }: { givenToken: string | undefined }) {
  const [token, setToken] = useState(givenToken ?? '');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const headers = { 'X-Service-Setup-Token': token.trim() };
      try {
        await request('post', '/v1/setup/root-user', { params: {}, headers, body: { email, password } });
        await signIn(queryClient, { email, password });
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.reason !== 'already-exists') throw error;
        // The response to an earlier request was lost: then the password is right.
        await signIn(queryClient, { email, password }).catch(async (): Promise<never> => {
          // The setup offers the sign-in once it knows of the root user.
          await queryClient.invalidateQueries(setupQuery);
          throw error;
        });
      }
    },
    onSuccess: async () => {
      await queryClient.fetchQuery(setupQuery);
      await navigate({ to: '/setup', search: { step: 'domain' } });
    },
  });
  return (
    <Step title="Create the root user" lead="The first person of this installation, who may change everything in it.">
      <Form
        label="Root user"
        error={create.error}
        onSubmit={() => create.isPending || create.mutate()}
        foot={
          <Button look="primary" type="submit" busy={create.isPending}>
            Create the root user
          </Button>
        }
      >
        <TextField
          label="Setup token"
          hint="In the link that the service printed at its start, and in the file setup-token of its data directory."
          name="token"
          mono
          required
          autoFocus={givenToken === undefined}
          spellCheck={false}
          value={token}
          onChange={setToken}
        />
        <TextField
          label="E-mail address"
          pointer="/email"
          name="email"
          type="email"
          autoComplete="username"
          autoFocus={givenToken !== undefined}
          required
          value={email}
          onChange={setEmail}
        />
        <NewPasswordField
          label="Password"
          pointer="/password"
          name="password"
          value={password}
          onChange={setPassword}
        />
      </Form>
    </Step>
  );
}
